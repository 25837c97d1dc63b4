"""Generate the casino's keys, each as a file that only its owner can read, in its own directory.

    python keys.py /run/keys operator=CASINO_LOBBY_OPERATOR_TOKEN fleet= gateway:operator

`operator=VARIABLE` generates a key of 256 random bits once and keeps it, in `operator/key`; the
value of the environment variable is used instead if it is set. `gateway:operator` derives the
gateway's key from the operator's. The output never contains a key.
"""
# ruff: noqa: INP001, T201  a script, not a package

import os
import secrets
import sys
from pathlib import Path

from casino_agentkit.process.secret_keys import service_key


def written(file: Path, key: str) -> Path:
    """Write a key to a temporary file in the same directory, so that the final one is atomic."""
    draft = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o400)
    with os.fdopen(descriptor, "w") as content:
        content.write(f"{key}\n")
        content.flush()
        os.fsync(content.fileno())
    return draft


def kept(file: Path, wanted: str) -> str:
    """Ensure that a file holds a key; return what was done: kept, set or made."""
    file.parent.mkdir(exist_ok=True)
    file.parent.chmod(0o700)
    if wanted:
        if file.is_file() and file.read_text().strip() == wanted:
            return "kept"
        written(file, wanted).replace(file)
        return "set"
    draft = written(file, secrets.token_urlsafe(32))
    try:
        file.hardlink_to(draft)  # fails if the file exists, even if created concurrently
    except FileExistsError:
        return "kept"
    else:
        return "made"
    finally:
        draft.unlink()


def main(directory: Path, *keys: str) -> None:
    """Generate the missing keys; raises OSError if a directory belongs to another user."""
    if not directory.is_dir():
        raise FileNotFoundError(directory)
    for key in keys:
        name, is_drawn, variable = key.partition("=")
        wanted = os.environ.get(variable, "").strip()
        if not is_drawn:
            name, _, source = key.partition(":")
            wanted = service_key((directory / source / "key").read_text().strip(), name)
        print(f"{name} key:", kept(directory / name / "key", wanted))


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]), *sys.argv[2:])
    except OSError as error:
        sys.exit(f"keys.py: {error}: it must be a directory of user {os.getuid()}")
