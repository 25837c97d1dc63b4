"""Makes the casino's keys: one file each in a directory, readable by its owner alone.

    python keys.py /run/keys operator=CASINO_LOBBY_OPERATOR_TOKEN fleet=CASINO_LOBBY_FLEET_KEY

A key is made once, of 256 random bits, and kept. Where the environment variable behind the name is
set, its value is the key instead. What is printed never holds a key.
"""
# ruff: noqa: INP001, T201  a script, not a package

import os
import secrets
import sys
from pathlib import Path


def written(file: Path, key: str) -> Path:
    """Write a key to a new file beside the one that it is for, so that no half a key is read."""
    draft = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o400)
    with os.fdopen(descriptor, "w") as content:
        content.write(f"{key}\n")
        content.flush()
        os.fsync(content.fileno())
    return draft


def kept(file: Path, wanted: str) -> str:
    """See to it that a file holds a key; returns what was done: kept, set or made."""
    if wanted:
        if file.is_file() and file.read_text().strip() == wanted:
            return "kept"
        written(file, wanted).replace(file)
        return "set"
    draft = written(file, secrets.token_urlsafe(32))
    try:
        file.hardlink_to(draft)  # fails where there is a key, whoever made it in the meantime
    except FileExistsError:
        return "kept"
    else:
        return "made"
    finally:
        draft.unlink()


def main(directory: Path, *keys: str) -> None:
    """Make the keys that are missing; raises OSError where the directory is not ours."""
    directory.chmod(0o700)
    for key in keys:
        name, _, variable = key.partition("=")
        print(f"{name} key:", kept(directory / name, os.environ.get(variable, "").strip()))


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]), *sys.argv[2:])
    except OSError as error:
        sys.exit(f"keys.py: {error}: it must be a directory of user {os.getuid()}")
