"""What the seats of a process share: store, clock, metrics, times."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

from casino_seats.clock import Clock
from casino_seats.turns import Answer

from casino_gateway.metrics import GatewayMetrics

LAST_RESULT_S = 1.0
"""The table tells a hand's result beside its events, which may be faster."""


class AnswerStore(Protocol):
    """Keeps turns and answers over a restart."""

    async def opened(self, seat_id: str, request_id: str, turn: int) -> None:
        """Store the turn of a question durably; raises StoreFailed."""
        ...

    async def answered(self, seat_id: str, answer: Answer) -> None:
        """Store an answer durably; raises StoreFailed."""
        ...


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class SeatParts:
    """What the seats of a process share."""

    store: AnswerStore
    clock: Clock
    metrics: GatewayMetrics
    presence_s: float
    """How long after a message somebody counts as there."""
    reserve_s: float
    """Time kept for an answer's way to the table."""
    default_of: Callable[[str, str], str | None] = lambda _game_type, _version: None
    """The `defaultTimeoutAction` of a game's specification, if it is known."""
    on_close: Callable[[Any], None] = lambda _seat: None
    """Called once when a seat is given back."""
    wall: Callable[[], datetime] = _now

    @property
    def last_result_at(self) -> float:
        """Until when the result of a seat's last hand may come."""
        return self.clock.now() + LAST_RESULT_S
