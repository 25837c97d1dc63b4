"""A secret from the environment, or from a file that the environment names."""

import os
import stat
from collections.abc import Mapping

FILE_SUFFIX = "_FILE"
_MOST_BYTES = 64 * 1024
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


class InvalidSecret(Exception):
    """A secret cannot be read; the message names its variable, and never what stands in it."""


def find_secret(environment: Mapping[str, str], variable: str) -> str | None:
    """Return the value of `variable`, or the content of the file that `variable_FILE` names.

    None where neither is set; blanks around the content are left out. Raises InvalidSecret.
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
        # Neither the path nor a cause is told: somebody may have put the secret itself there.
        raise InvalidSecret(f"{file_variable}: the file that it names {error}") from None


def _content(path: str) -> str:
    """Return what stands in a file; raises ValueError with the rest of a sentence about it."""
    try:
        # Without waiting: a pipe that nobody writes to would hold the start up for ever.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            mode = os.fstat(descriptor).st_mode
            content = os.read(descriptor, _MOST_BYTES + 1) if stat.S_ISREG(mode) else None
        finally:
            os.close(descriptor)
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror}") from None
    except ValueError:
        raise ValueError("cannot be there: its name holds a null character") from None
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
