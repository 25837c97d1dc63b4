"""Read secrets from environment variables, or from files named by them."""

import os
import stat
from collections.abc import Mapping

from casino_agentkit.errors import InvalidSecret

FILE_SUFFIX = "_FILE"
_MOST_BYTES = 64 * 1024
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def find_secret(environment: Mapping[str, str], variable: str) -> str | None:
    """Return the value of `variable`, or the content of the file at `variable_FILE`.

    None if neither is set. The content is stripped. Raises InvalidSecret.
    """
    value, file_variable = environment.get(variable), variable + FILE_SUFFIX
    path = environment.get(file_variable)
    if not path:
        return value or None
    if value:
        raise InvalidSecret(f"{variable} and {file_variable} are both set: keep one of them")
    try:
        return _content(path)
    except ValueError as error:
        # Neither the path nor the cause is included: the variable may contain the secret itself.
        raise InvalidSecret(f"{file_variable}: the file that it names {error}") from None


def _content(path: str) -> str:
    """Return a file's content. Raises ValueError; its message is a predicate of the file."""
    try:
        # Not blocking: opening a pipe without a writer would block the start.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            mode = os.fstat(descriptor).st_mode
            content = os.read(descriptor, _MOST_BYTES + 1) if stat.S_ISREG(mode) else None
        finally:
            os.close(descriptor)
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror}") from None
    except ValueError:
        raise ValueError("cannot exist: its name contains a null character") from None
    if content is None:
        raise ValueError("is no regular file")
    if mode & _WRITABLE_BY_OTHERS:
        raise ValueError("can be changed by its group or by everybody: chmod go-w")
    if len(content) > _MOST_BYTES:
        raise ValueError(f"has more than {_MOST_BYTES} bytes")
    try:
        text = content.decode().strip()
    except UnicodeDecodeError:
        raise ValueError("is no UTF-8 text") from None
    if not text:
        raise ValueError("is empty")
    return text
