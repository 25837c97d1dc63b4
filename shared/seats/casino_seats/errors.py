"""Exceptions of seats.

```
SeatError                 root of all
├── ActionRefused         an action from outside that the table never gets
├── SeatRefused           a seat that cannot be taken or left
├── UnknownRoom           the lobby has no such room
└── LobbyUnavailable      the lobby cannot be reached, or gives no sensible reply
```
"""

from enum import StrEnum
from typing import Any


class SeatError(Exception):
    """Root of the exceptions of this package."""


class RefusedAction(StrEnum):
    """Why an action from outside is refused."""

    ILLEGAL_ACTION = "ILLEGAL_ACTION"
    """It is not offered."""
    INVALID_AMOUNT = "INVALID_AMOUNT"
    """Its amount is missing, no whole number, or out of range."""
    NOT_YOUR_TURN = "NOT_YOUR_TURN"
    """No question is open for the seat."""
    STALE_TURN = "STALE_TURN"
    """It names a turn whose question is answered or over."""
    MATCH_NOT_STARTED = "MATCH_NOT_STARTED"
    MATCH_ENDED = "MATCH_ENDED"


class ActionRefused(SeatError):
    """An action from outside that the table never gets; the question stays open."""

    def __init__(
        self, reason: RefusedAction, message: str, offers: tuple[dict[str, Any], ...] = ()
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.offers = offers


class SeatRefused(SeatError):
    """A seat that cannot be taken or left, with the lobby's reason and message.

    `reason` is a stable upper-case word such as `ROOM_FULL`; `status` is the HTTP status that fits.
    """

    def __init__(self, reason: str, message: str, status: int = 409) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.status = status


class UnknownRoom(SeatError):
    """The lobby has no such room."""


class LobbyUnavailable(SeatError):
    """The lobby cannot be reached, or gives no sensible reply."""
