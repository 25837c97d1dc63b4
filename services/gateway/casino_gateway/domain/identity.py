"""Who sits on a seat of the gateway: its ids, its room and how it plays."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

PlayerKind = Literal["human", "ai"]


@dataclass(frozen=True, slots=True)
class SeatIdentity:
    """A seat of the gateway in one room of the lobby."""

    seat_id: str
    """Random; part of the address of the seat's agent card. No credential."""
    room_id: str
    """The room; the Boardgame Protocol's `match_id`, A2G's `tableId`."""
    player_id: str
    """The player's id in the room; the Boardgame Protocol's `agent_id`, A2G's `playerId`."""
    seat_number: int
    display_name: str
    kind: PlayerKind
    game_type: str
    owner: str
    """Of the login that took it (A2G), else the seat id: who may see it in lists."""


@dataclass(frozen=True, slots=True)
class SeatEnd:
    """How a seat ended."""

    reason: str
    """`left`, `busted`, `room_closed` or `room_lost`."""
    at: datetime

    @classmethod
    def stored(cls, reason: str, at: datetime) -> "SeatEnd":
        """Return it from a row, whose time has no zone."""
        return cls(reason, at.replace(tzinfo=UTC))
