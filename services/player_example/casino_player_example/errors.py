"""Exceptions of the sample players.

```
PlayerError           root of all
├── ChatError         the model did not answer
├── OutOfTokens       the budget does not allow another call
└── A2GError          playing at an A2G server ended
    ├── LoginRefused  the server does not take the token, or the protocol's version
    ├── NoSeat        there is no seat to take, or it was lost
    └── ServerLost    the server cannot be reached, or does not speak A2G
```
"""


class PlayerError(Exception):
    """Root of the exceptions of this package."""


class ChatError(PlayerError):
    """The model did not answer; `is_temporary` is true if a retry may succeed."""

    def __init__(
        self, message: str, *, wait: float | None = None, is_temporary: bool = False
    ) -> None:
        super().__init__(message)
        self.wait = wait
        self.is_temporary = is_temporary


class OutOfTokens(PlayerError):
    """The budget does not allow another call."""


class A2GError(PlayerError):
    """Playing at an A2G server ended; the message says why."""


class LoginRefused(A2GError):
    """The server does not take the token, or the version of the protocol."""


class NoSeat(A2GError):
    """There is no seat to take, or it was lost."""


class ServerLost(A2GError):
    """The server cannot be reached, or does not speak A2G."""
