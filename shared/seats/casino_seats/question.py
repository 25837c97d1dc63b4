"""A question of a table to a seat, as it is kept until somebody outside answers."""

from dataclasses import dataclass, field
from typing import Any

from casino_contracts import GameActionRequest

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Question:
    """One decision of one seat. Times are seconds of the injected monotonic clock."""

    request_id: str
    """Names the question: a redelivery has the same id, a second attempt another."""
    turn: int
    """Counts the decisions of the match, from 1; never falls. A lock for late answers."""
    game_type: str
    spec_version: str
    hand_id: str | None
    hand_number: int | None
    state: Json = field(repr=False)
    """`public` and `private`: what the player may know."""
    offers: tuple[Json, ...]
    """The legal actions, as the game spells them."""
    asked_at: float
    ends_at: float
    """No answer is taken any more; a little before the table's own deadline."""
    rejected: str | None = None
    """With a second attempt: why the table refused the first answer."""
    deadline: float = 0.0
    """The table's own deadline, after which it decides by default."""
    bank_ms: int = 0
    """How much of the time is the seat's time bank, in milliseconds."""

    def left_ms(self, now: float) -> int:
        """Return the time that is left for an answer, in milliseconds."""
        return max(0, round((self.ends_at - now) * 1000))


def question_of(request: GameActionRequest, turn: int, now: float, reserve_s: float) -> Question:
    """Return the question in a request of the table that arrived at `now`.

    `reserve_s` is the time kept for the answer's way to the table.
    """
    bank_ms = request.time_bank_ms or 0
    clock_s = (request.deadline_ms + bank_ms) / 1000
    return Question(
        request_id=request.request_id,
        turn=turn,
        game_type=request.game_type,
        spec_version=request.spec_version,
        hand_id=request.hand_id,
        hand_number=request.hand_number,
        state=request.state,
        offers=request.available_actions,
        asked_at=now,
        ends_at=now + clock_s - min(reserve_s, clock_s / 4),
        deadline=now + clock_s,
        rejected=request.rejected.message if request.rejected else None,
        bank_ms=bank_ms,
    )
