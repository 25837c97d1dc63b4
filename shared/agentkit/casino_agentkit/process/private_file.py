"""Read and create private files, such as keys, with strict permissions."""

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
