"""Generate the casino's keys as files that only their owner can read.

    python keys.py /run/keys operator=CASINO_LOBBY_OPERATOR_TOKEN fleet=CASINO_LOBBY_FLEET_KEY

A key of 256 random bits is generated once and kept. If the environment variable after the name is
set, its value is used instead. The output never contains a key.
"""
# ruff: noqa: INP001, T201  a script, not a package

import os
import secrets
import sys
from pathlib import Path


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
    """Generate the missing keys; raises OSError if the directory belongs to another user."""
    directory.chmod(0o700)
    for key in keys:
        name, _, variable = key.partition("=")
        print(f"{name} key:", kept(directory / name, os.environ.get(variable, "").strip()))


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]), *sys.argv[2:])
    except OSError as error:
        sys.exit(f"keys.py: {error}: it must be a directory of user {os.getuid()}")
