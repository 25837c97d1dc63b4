"""Keys that authenticate processes and operators."""

import hmac
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Callable
from typing import Annotated

from pydantic import AfterValidator, SecretStr

LEAST_CHARACTERS = 16
"""Minimum length of a key that other machines may try to guess."""

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
    """Return a validator of keys: safe in a header, at least `least` characters.

    It raises ValueError; the message never contains the key.
    """

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
