"""A room as its seats see it: the table of its public events, and how its session goes."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from casino_contracts import HOLDEM, RoomSnapshot, TableEvent
from casino_contracts.events.content import (
    ActionTaken,
    EventContent,
    HandCompleted,
    HandStarted,
    StatusChanged,
    TableFailed,
)
from casino_contracts.events.table_view import TableView

Json = dict[str, Any]
MatchStatus = Literal["waiting", "started", "ended", "abandoned"]

_OUTSIDE_A_HAND = {"waiting": "waiting", "started": "between_hands"}
_GONE = {"closed", "failed"}


@dataclass
class Match(TableView):
    """Public facts of a room.

    Its stage is `waiting` before the first hand, `started` while a session runs (pauses included),
    `ended` when it finished, `abandoned` when the room failed, or closed before the session
    finished.
    """

    stage: MatchStatus = "waiting"
    decisions: int = 0
    """Decisions taken since the gateway follows the room."""
    started_at: datetime | None = None
    ended_at: datetime | None = None
    result: Json | None = None
    """Result of the newest completed hand, where the event carried it."""
    result_hand: int | None = None

    @property
    def phase(self) -> str:
        """The betting round of Hold'em; of other games `phase` of the public state, else `main`.

        `waiting`, `between_hands` or `over` outside a hand.
        """
        if not self.is_running:
            return _OUTSIDE_A_HAND.get(self.stage, "over")
        if self.game_type == HOLDEM and not self.public:
            return self.betting_round
        phase = self.public.get("phase")
        if self.game_type == HOLDEM:
            phase = self.public.get("betting_round", phase)
        return phase if isinstance(phase, str) and phase else "main"

    @property
    def active_player_id(self) -> str | None:
        """Whose action is awaited, as far as the public events say it; None if unknown."""
        seat = self.to_act
        return seat.player_id if seat else None

    def catch_up(self, room: RoomSnapshot) -> list[TableEvent]:
        """Fold a snapshot, of which a part may be known; returns the events that were new."""
        new = super().catch_up(room)
        oldest, newest = (_time(room.events[index]) if room.events else None for index in (0, -1))
        if room.summary is None:
            return new
        if self.status == "running":
            self._start(self.started_at or oldest)
        elif self.status == "idle" and self.stage != "ended":
            self._start(self.started_at or oldest)
            self._end("ended", newest)
        if room.state in _GONE:
            self.close(newest)
        return new

    def note_question(self, at: datetime) -> None:
        """Note that the table asked for a decision, which may come before its events."""
        if self.stage == "waiting":
            self._start(at)

    def close(self, at: datetime | None) -> None:
        """Fold the end of the room: abandoned, unless its session was over."""
        self._end("ended" if self.stage == "ended" else "abandoned", at)

    def _fold(self, content: EventContent | None, event: TableEvent, /) -> None:
        super()._fold(content, event)
        at = _time(event)
        match content:
            case HandStarted():
                self._start(self.started_at or at)
            case ActionTaken():
                self.decisions += 1
            case HandCompleted(result=dict(result)):
                self.result, self.result_hand = dict(result), self.hand_number
            case StatusChanged(kind="started"):
                self.stage, self.started_at, self.ended_at = "started", at, None
            case StatusChanged(kind="finished"):
                self._end("ended", at)
            case StatusChanged(kind="closed"):
                self.close(at)
            case TableFailed(status="error"):
                self._end("abandoned", at)

    def _start(self, at: datetime | None) -> None:
        if self.stage != "started":
            self.stage, self.started_at, self.ended_at = "started", at, None

    def _end(self, stage: MatchStatus, at: datetime | None) -> None:
        self.stage, self.is_running = stage, False
        self.ended_at = self.ended_at or at


def _time(event: TableEvent) -> datetime | None:
    try:
        at = datetime.fromisoformat(event.timestamp)
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)
