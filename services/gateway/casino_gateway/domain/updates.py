"""Who sits on a seat, and what its listeners get, in the order in which it happened.

Each protocol turns updates into messages of its own. No update has anything that the seat may not
know: public events of the room, and what the table sent to this seat.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias

from casino_contracts import ContributeInput, OwnHandRecord, TableEvent
from casino_seats.turns import Question

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question is open; sent again to a listener that comes while it is open."""

    question: Question


@dataclass(frozen=True, slots=True)
class Answered:
    """An action was taken for the open question, and is on its way to the table."""

    question: Question
    action: Json


@dataclass(frozen=True, slots=True)
class Expired:
    """The time of a question is over; the table performs the default action."""

    question: Question


@dataclass(frozen=True, slots=True)
class PartAsked:
    """The table asks a person's page for a part in its deal; sent again as a question is."""

    request: ContributeInput


@dataclass(frozen=True, slots=True)
class Dealt:
    """A hand begins; `state` has the seat's own cards."""

    hand_id: str
    hand_number: int
    state: Json = field(repr=False)


@dataclass(frozen=True, slots=True)
class HandOver:
    """A hand is over; `result` conforms to the game's Result Schema."""

    hand_id: str
    hand_number: int
    result: Json
    record: OwnHandRecord | None = field(default=None, repr=False)
    """The seat's own part of the hand."""


@dataclass(frozen=True, slots=True)
class RoomEvent:
    """A public event of the room, as every spectator gets it, once and in order."""

    event: TableEvent


@dataclass(frozen=True, slots=True)
class SeatClosed:
    """The seat is given back: left, busted, or the room closed. The last update."""

    reason: str


Update: TypeAlias = (
    Asked | Answered | Expired | PartAsked | Dealt | HandOver | RoomEvent | SeatClosed
)


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
    """Of the login or the model that took it, else the seat id: who may see it in lists."""

    @property
    def is_of_model(self) -> bool:
        return is_of_model(self.owner)


MODEL_OWNER = "model:"
"""How the owner of a seat begins that a language model takes over MCP."""


def is_of_model(owner: str) -> bool:
    """Return whether a seat has the clock and the presence of a language model."""
    return owner.startswith(MODEL_OWNER)


@dataclass(frozen=True, slots=True)
class SeatEnd:
    """How a seat ended."""

    reason: str
    """`left`, `busted`, `room_closed` or `room_lost`."""
    at: datetime

    @classmethod
    def stored(cls, reason: str, at: datetime) -> "SeatEnd":
        return cls(reason, at.replace(tzinfo=UTC))
