"""A decision of a player: its action, and whether the player itself took it. Pure."""

from datetime import timedelta
from typing import Any, NamedTuple

from casino_contracts import Outcome

Action = dict[str, Any]
"""An action of a game: its `action_type`, and `amount` where it takes one."""

_MILLISECOND = timedelta(milliseconds=1)


class Decision(NamedTuple):
    """An action of a player, and its outcome."""

    action: Action
    outcome: Outcome
    latency: timedelta = timedelta()
    message: str | None = None
    reasoning: str | None = None
    reason: str | None = None
    """Why an answer was refused or none came: one line, at most 300 characters. Never public."""
    refused: str | None = None
    """The answer that was refused last, as JSON of at most 1,000 characters. Never public."""

    @property
    def latency_ms(self) -> int | None:
        """The time for the answer in milliseconds; None if nothing was asked."""
        return None if self.outcome == "sitting_out" else round(self.latency / _MILLISECOND)

    @property
    def is_own(self) -> bool:
        """Whether the action is the player's own, not the default."""
        return self.outcome in {"ok", "retried"}
