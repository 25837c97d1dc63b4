"""Exceptions of the lobby's client.

```
CallFailed            root of all: a call was refused, or has no sensible answer
├── CallRefused       the lobby refuses the request
├── UnknownRoom       the lobby has no such room
└── LobbyAway         it cannot be reached, or gives no sensible reply
```
"""


class CallFailed(Exception):
    """A call was refused or has no sensible answer; `reason` is the problem's code, or ""."""

    def __init__(self, message: str = "", reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class CallRefused(CallFailed):
    """The lobby refuses; `reason` is a stable upper-case word, `status` the fitting HTTP one."""

    def __init__(self, reason: str, message: str, status: int = 409) -> None:
        super().__init__(message, reason)
        self.message = message
        self.status = status


class UnknownRoom(CallFailed):
    """The lobby has no such room."""


class LobbyAway(CallFailed):
    """The lobby is unreachable or temporarily unavailable: a retry may succeed."""
