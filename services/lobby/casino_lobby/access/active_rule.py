"""Refuse A2A calls while another lobby is active on the same database."""

from collections.abc import Callable
from typing import Any

from casino_agentkit import Caller, Rule, Scheme
from casino_contracts import Reason

from casino_lobby.errors import NotAdmitted

RETRY_AFTER_S = 1


class OnlyWhileActive:
    """Wraps a rule that reads the lobby's state; `standby` returns why it must not be read now."""

    def __init__(self, rule: Rule, standby: Callable[[], str | None]) -> None:
        self._rule = rule
        self._standby = standby

    @property
    def scheme(self) -> Scheme | None:
        """The security scheme that the wrapped rule requires."""
        return self._rule.scheme

    def admit(self, caller: Caller, message: Any) -> None:
        """Apply the rule if this lobby is active.

        Raises CommandRefused: STANDBY, and refusal reasons of the rule.
        """
        if (refusal := standby_refusal(self._standby)) is not None:
            try:
                raise refusal
            finally:
                del refusal  # else this frame and the error keep each other, and the message
        self._rule.admit(caller, message)


def standby_refusal(standby: Callable[[], str | None]) -> NotAdmitted | None:
    """Return what callers get while the lobby is not active; None while it is."""
    cause = standby()
    if cause is None:
        return None
    return NotAdmitted(
        Reason.STANDBY,
        f"{cause} Send the request again, to the address that the lobbies share.",
        details={"retryAfter": str(RETRY_AFTER_S)},
    )
