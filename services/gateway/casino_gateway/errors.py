"""Exceptions of the gateway, which have the root of `casino_lobby_client.errors`.

```
GatewayError          root of the gateway's own, a CallFailed
├── MessageRefused    a message of the Boardgame Protocol that cannot be taken
├── A2gRefused        a message or a request of A2G that cannot be taken
├── BadFrame          a frame of a bot that dialled in is no request and no answer
├── StoreFailed       the database could not be opened, read or written
└── ListenerLagged    a listener of a seat reads too slowly
```
"""

from enum import StrEnum
from typing import Self

from casino_lobby_client.errors import CallFailed


class ProtocolCode(StrEnum):
    """A code of a protocol's errors, with the HTTP status that it has as a response."""

    status: int

    def __new__(cls, word: str, status: int) -> Self:
        member = str.__new__(cls, word)
        member._value_ = word
        member.status = status
        return member


class GatewayError(CallFailed):
    """Root of the exceptions of this package."""


class RefusedSeat(StrEnum):
    """Why the gateway itself refuses a seat; the lobby has further reasons."""

    TOO_MANY_SEATS = "TOO_MANY_SEATS"
    """All seats of the gateway, or of the address, are taken."""


class BadFrame(GatewayError):
    """A frame that is neither a request nor an answer; the message says what it must be."""


class StoreFailed(GatewayError):
    """The database could not be opened, read or written."""


class ListenerLagged(GatewayError):
    """A listener of a seat reads too slowly: updates were dropped; it listens again."""
