"""Exceptions of the lobby.

```
LobbyError               root of all
├── OwnedElsewhere       another lobby of the group owns a room or executes a command
├── PeerAway             another lobby of the group cannot be asked at this moment
├── StoreFailed          the store could not be opened, read or written
├── TooFarBehind         a stream's client is too far behind to continue without a gap
├── TooManyPublications  a store has as many publications of a kind as it keeps
├── UnreadableHand       a notable hand of a match to be published cannot be read
└── Problem              an error response of the REST API

CommandRefused           of the agent kit
└── NotAdmitted          the lobby itself refuses a caller
```
"""

from typing import ClassVar, Final

from casino_agentkit import CommandRefused
from casino_agentkit.violations import violations_text
from casino_contracts import Reason
from pydantic import ValidationError

RETRY_AFTER_S: Final = 1
"""After which a caller may find the lobby that is active, or the owner of a room."""


class LobbyError(Exception):
    """Root of the exceptions of this package."""


class StoreFailed(LobbyError):
    """The store could not be opened, read or written; the text of the error is for the log only."""

    reason: ClassVar[Reason] = Reason.STORE_FAILED
    message: ClassVar[str] = "The store failed, so nothing was saved; try again later."
    """For the caller."""

    def refusal(self) -> CommandRefused:
        """Return what the caller of the command gets."""
        return CommandRefused(self.reason, self.message)


class OwnedElsewhere(LobbyError):
    """Another lobby of the group owns the room, or executes the command.

    `number` and `url` are those of that lobby.
    """

    def __init__(self, number: int, url: str) -> None:
        super().__init__(f"lobby {number} at {url} is the owner")
        self.number = number
        self.url = url


class PeerAway(LobbyError):
    """Another lobby of the group cannot be asked at this moment; the text says why."""


class TooFarBehind(LobbyError):
    """The client is too far behind to continue without a gap."""


class TooManyPublications(LobbyError):
    """A store has as many publications of a kind as it keeps."""

    def __init__(self, most: int) -> None:
        super().__init__(f"{most} are kept")
        self.most = most


class UnreadableHand(LobbyError):
    """A notable hand of a match cannot be read; `fault` is what is wrong with the `field`."""

    def __init__(self, field: str, fault: str) -> None:
        super().__init__(f"{field}: {fault}")
        self.field, self.fault = field, fault


class NotAdmitted(CommandRefused):
    """The lobby itself refuses a caller; a refusal by another agent never has this type."""


UNREADABLE = (ValueError, TypeError, KeyError, RecursionError)
"""Exceptions that reading a stored row may raise."""

_FAULTS_SHOWN = 3
_LONGEST_FAULT = 200


def fault_in(error: Exception) -> str:
    """Describe an error without the row's content, which may include a seed."""
    if isinstance(error, ValidationError):
        text = violations_text(error, "content", at_most=_FAULTS_SHOWN)
    else:
        text = f"{type(error).__name__}: {error}"
    return " ".join(text.split())[:_LONGEST_FAULT]
