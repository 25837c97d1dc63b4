"""Exceptions of seats.

```
ActionRefused         an action from outside that the table never gets
```
"""

from enum import StrEnum
from typing import Any


class RefusedAction(StrEnum):
    """Why an action from outside is refused."""

    ILLEGAL_ACTION = "ILLEGAL_ACTION"  # it is not offered
    INVALID_AMOUNT = "INVALID_AMOUNT"  # its amount is missing, no whole number, or out of range
    NOT_YOUR_TURN = "NOT_YOUR_TURN"  # no question is open for the seat
    STALE_TURN = "STALE_TURN"  # it names a turn whose question is answered or over
    MATCH_NOT_STARTED = "MATCH_NOT_STARTED"
    MATCH_ENDED = "MATCH_ENDED"


class ActionRefused(Exception):
    """An action from outside that the table never gets; the question stays open."""

    def __init__(
        self, reason: RefusedAction, message: str, offers: tuple[dict[str, Any], ...] = ()
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.offers = offers
