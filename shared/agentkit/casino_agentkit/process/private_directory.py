"""Directories that only their owner can access, for seeds, cards and keys."""

from pathlib import Path

_OWNER_ONLY = 0o700


def make_private(directory: Path) -> None:
    """Create a directory and its missing parents, accessible to their owner only.

    The umask does not matter. An existing directory keeps its mode. Raises OSError.
    """
    missing = [path for path in (directory, *directory.parents) if not path.exists()]
    for path in reversed(missing):
        path.mkdir(mode=_OWNER_ONLY, exist_ok=True)
    directory.mkdir(exist_ok=True)  # raises OSError if it is not a directory
