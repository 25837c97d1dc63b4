"""Keys: what one process shows another, or an operator shows a process, to be let in."""

import secrets
from collections.abc import Callable
from typing import Annotated

from pydantic import AfterValidator, SecretStr

LEAST_CHARACTERS = 16
"""Of a key that others than this machine may try to guess."""

_NEW_KEY_BYTES = 32


def new_key() -> str:
    """Return a new key of 256 random bits, in characters that every header and shell takes."""
    return secrets.token_urlsafe(_NEW_KEY_BYTES)


def key_of(least: int) -> Callable[[SecretStr], SecretStr]:
    """Return the check that a key fits into a header and has so many characters.

    It raises ValueError, which never shows the key.
    """

    def check(key: SecretStr) -> SecretStr:
        value = key.get_secret_value()
        if not (value.isascii() and value.isprintable()) or value != value.strip():
            raise ValueError(
                "must be ASCII letters, digits and signs, without a blank at either end"
            )
        if len(value) < least:
            raise ValueError(
                f"must have at least {least} characters; `casino key` makes a good one"
            )
        return key

    return check


Key = Annotated[SecretStr, AfterValidator(key_of(LEAST_CHARACTERS))]
"""A key in a setting; never shown."""
