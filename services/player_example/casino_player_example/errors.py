"""Exceptions of the sample players.

```
PlayerError           root of all
├── ModelFailed       the model did not answer
├── ReplyTooLarge     its provider sent more than is read
├── BudgetSpent       the budget does not allow another call
└── A2GError          playing at an A2G server ended
    ├── LoginRefused  the server does not take the token, or the protocol's version
    ├── NoSeat        there is no seat to take, or it was lost
    └── ServerLost    the server cannot be reached, or does not speak A2G
```
"""


class PlayerError(Exception):
    """Root of the exceptions of this package."""


class ModelFailed(PlayerError):
    """The model did not answer; the message has its provider's words, and no secrets."""

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        wait: float | None = None,
        is_temporary: bool = False,
        is_free: bool = False,
        is_away: bool = False,
    ) -> None:
        super().__init__(message)
        self.status = status
        """The provider's HTTP status, None without one."""
        self.wait = wait
        """After how many seconds it wants to be asked again, None if it does not say."""
        self.is_temporary = is_temporary
        """Whether another attempt may succeed."""
        self.is_free = is_free
        """Whether nothing was generated, so that the call costs nothing."""
        self.is_away = is_away
        """Whether the provider cannot be reached or refuses every question, not only this one."""


class ReplyTooLarge(PlayerError):
    """A provider sent more than is read."""


class BudgetSpent(PlayerError):
    """The budget does not allow another call."""


class A2GError(PlayerError):
    """Playing at an A2G server ended; the message says why."""


class LoginRefused(A2GError):
    """The server does not take the token, or the version of the protocol."""


class NoSeat(A2GError):
    """There is no seat to take, or it was lost."""


class ServerLost(A2GError):
    """The server cannot be reached, or does not speak A2G."""
