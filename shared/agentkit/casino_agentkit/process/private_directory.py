"""Directories for what is nobody else's business: seeds, cards, keys."""

from pathlib import Path

_OWNER_ONLY = 0o700


def make_private(directory: Path) -> None:
    """Make a directory that only its owner may enter, and every missing parent likewise.

    Whatever the umask is. A directory that is there keeps the mode that its operator gave it.
    Raises OSError.
    """
    missing = [one for one in (directory, *directory.parents) if not one.exists()]
    for one in reversed(missing):
        one.mkdir(mode=_OWNER_ONLY, exist_ok=True)
    directory.mkdir(exist_ok=True)  # raises for what is there and is no directory
