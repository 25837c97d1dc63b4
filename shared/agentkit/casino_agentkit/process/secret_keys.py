"""Keys that authenticate processes and operators, and where a process finds secrets."""

import hmac
import os
import secrets
import stat
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping
from typing import Annotated

from pydantic import AfterValidator, SecretStr

from casino_agentkit.errors import InvalidSecret

LEAST_CHARACTERS = 16  # minimum length of a key that other machines may try to guess

_NEW_KEY_BYTES = 32


def new_key() -> str:
    """Return a new key of 256 random bits, in characters safe in headers and shells."""
    return secrets.token_urlsafe(_NEW_KEY_BYTES)


def service_key(key: str, service: str) -> str:
    """Return the key of one service, derived from another key, such as the operator's.

    It names its service and cannot be turned back into the other key. The service's own key is
    returned as it is, so a setting may hold either.

    >>> derived = service_key("0123456789abcdef", "gateway")
    >>> derived
    'gateway.qEBoZCpnNKSnHIxwypulcJhiQkc7ZTXMfEMljv17lMg'
    >>> service_key(derived, "gateway") == derived
    True
    """
    if key.startswith(f"{service}."):
        return key
    digest = hmac.digest(key.encode(), b"a2a-casino service key: " + service.encode(), "sha256")
    return f"{service}.{urlsafe_b64encode(digest).rstrip(b'=').decode()}"


def key_of(least: int) -> Callable[[SecretStr], SecretStr]:
    """Return a validator: safe in a header, `least` characters. Its error never has the key."""

    def check(key: SecretStr) -> SecretStr:
        value = key.get_secret_value()
        if not (value.isascii() and value.isprintable()) or value != value.strip():
            raise ValueError(
                "must be ASCII letters, digits and signs, without a space at either end"
            )
        if len(value) < least:
            raise ValueError(f"must have at least {least} characters; `casino key` creates one")
        return key

    return check


Key = Annotated[SecretStr, AfterValidator(key_of(LEAST_CHARACTERS))]
"""A key in a setting; never printed."""


FILE_SUFFIX = "_FILE"
_MOST_BYTES = 64 * 1024
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def find_secret(environment: Mapping[str, str], variable: str) -> str | None:
    """Return `variable`, or the stripped file at `variable_FILE`, if set. Raises InvalidSecret."""
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
