"""Files and directories of one owner: read and created with strict permissions, and locked."""

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

_OWNER_ONLY: Final = 0o600
_MOST_BYTES: Final = 64 * 1024
_OPEN_TO_OTHERS: Final = stat.S_IWGRP | stat.S_IRWXO


def read_file(path: Path, *, is_private: bool) -> bytes:
    """Return the content of a small file.

    A private file must be accessible to its owner only; its group may read it, so that a service
    can use the key. Raises ValueError; its message is a predicate of the file's name.
    """
    try:
        # Not blocking: opening a pipe without a writer would block the start.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror}") from error
    try:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            raise ValueError("is no regular file")
        if is_private and mode & _OPEN_TO_OTHERS:
            raise ValueError(
                f"is open to others (mode {stat.S_IMODE(mode):04o}): `chmod 600` it, and take"
                " another key if somebody may have read this one"
            )
        content = os.read(descriptor, _MOST_BYTES + 1)
    finally:
        os.close(descriptor)
    if len(content) > _MOST_BYTES:
        raise ValueError(f"has more than {_MOST_BYTES} bytes")
    return content


def make_private_file(path: Path, content: bytes) -> bool:
    """Create a file that only its owner can read; return False if it exists already.

    The file appears atomically, with its whole content. Its directory must exist. Raises OSError.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(
        temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _OWNER_ONLY
    )
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        with suppress(FileExistsError):
            os.link(temporary, path)  # does not replace an existing file
            return True
    finally:
        temporary.unlink()
    return False


_OWNER_ENTERS = 0o700


def make_private(directory: Path) -> None:
    """Create a directory and its missing parents, accessible to their owner only.

    The umask does not matter. An existing directory keeps its mode. Raises OSError.
    """
    missing = [path for path in (directory, *directory.parents) if not path.exists()]
    for path in reversed(missing):
        path.mkdir(mode=_OWNER_ENTERS, exist_ok=True)
    directory.mkdir(exist_ok=True)  # raises OSError if it is not a directory


def lock_file(path: Path) -> int:
    """Lock a file for this process, and create it and its directory, for its owner only.

    Returns the descriptor of the lock, a file beside it; closing it, and the end of the process,
    release the lock. Raises BlockingIOError if another process holds it, else OSError.
    """
    import fcntl  # noqa: PLC0415  Windows, where matches are played too, has none

    make_private(path.parent)
    lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _OWNER_ONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # A library that creates it later would let other users read it.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _OWNER_ONLY))
    except OSError:
        os.close(lock)
        raise
    return lock
