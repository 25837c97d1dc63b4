"""A room as its seats see it: public facts, folded from the lobby's snapshot and events."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from casino_gateway.domain.identity import PlayerKind

Json = dict[str, Any]
MatchStatus = Literal["waiting", "started", "ended", "abandoned"]


@dataclass(slots=True)
class Opponent:
    """A seated player, the seats of the gateway included."""

    player_id: str
    display_name: str
    seat_number: int
    stack: float
    kind: PlayerKind = "ai"
    is_sitting_out: bool = False


@dataclass(slots=True)
class Match:
    """Public facts of a room.

    `waiting` before the first hand, `started` while a session runs (pauses included), `ended` when
    it finished, `abandoned` when the room failed, or closed before the session finished.
    """

    room_id: str
    game_type: str
    config: Json
    status: MatchStatus = "waiting"
    phase: str = "waiting"
    """Hold'em: the betting round; other games: `phase` of the public state, else `main`;
    `waiting`, `between_hands` or `over` outside a hand."""
    decisions: int = 0
    """Decisions taken since the gateway follows the room."""
    hand_number: int | None = None
    players: dict[str, Opponent] = field(default_factory=dict)
    active_player_id: str | None = None
    """Whose action is awaited, as far as the public events say it; None if unknown."""
    started_at: datetime | None = None
    ended_at: datetime | None = None
    public: Json = field(default_factory=dict)
    """The game's public state after the newest event that carried one."""
    result: Json | None = None
    """Result of the newest completed hand, where the event carried it."""
    result_hand: int | None = None
    """The number of the hand of `result`."""
    epoch: int = 0
    sequence: int = 0
    """Of the newest event of the epoch."""
    button_seat: int | None = None
    live: set[str] = field(default_factory=set)
    """Who can still act in the running hand."""
