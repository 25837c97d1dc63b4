"""Write files as a whole: a reader sees all of a file or none of it, also after a crash."""

import os
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from casino_agentkit.process.private_file import make_private

from casino_match.errors import StoreFailed

PARTIAL = ".partial"
"""The ending of files that are being written; those of a process that was killed remain."""


def replace(path: Path, content: bytes) -> None:
    """Write a file in place of an earlier one; raises StoreFailed."""
    partial = _partial(path)
    try:
        partial.write_bytes(content)
        partial.replace(path)
    except OSError as error:
        raise _failed(path, error) from error
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def create(path: Path, content: bytes) -> bool:
    """Write a file unless it exists: exactly one of several processes does. Raises StoreFailed."""
    partial = _partial(path)
    try:
        make_private(path.parent)
        partial.write_bytes(content)
    except OSError as error:
        raise _failed(path, error) from error
    try:
        try:
            os.link(partial, path)
        except PermissionError:  # a file system without links
            with path.open("xb") as file:
                file.write(content)
    except FileExistsError:
        return False
    except OSError as error:
        raise _failed(path, error) from error
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
    return True


def read(path: Path) -> bytes | None:
    """Return a file's content, or None if there is no such file; raises StoreFailed."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StoreFailed(f"{path} cannot be read: {error.strerror}") from error


def _partial(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}-{uuid4().hex[:8]}{PARTIAL}")


def _failed(path: Path, error: OSError) -> StoreFailed:
    return StoreFailed(f"{path} cannot be written: {error.strerror}")
