"""Addresses of a room: the agents of its players, and its table. Pure."""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from casino_contracts import PlayerProfile, PlayerType
from casino_contracts.lobby_messages import Service
from pydantic import PlainSerializer

PlayerIds = Annotated[set[str], PlainSerializer(sorted, return_type=list[str])]
"""A set of player ids. Its JSON is sorted: equal sets have equal JSON in every process."""


@dataclass(frozen=True)
class PlayerAgent:
    """Address of a seated player's agent, and how to call it."""

    card_url: str
    action_skill: str = "act"
    plays_any_game: bool = False
    is_invited: bool = False
    """Whether the lobby invited it; a table event cannot replace such an agent."""
    signer: str | None = None
    """Thumbprint of the key that signed its card; None for an unsigned card."""
    clock_ms: int | None = None
    """The time for a decision that it asked for."""
    player_type: PlayerType | None = None
    """Who decides for it, as it said at its signup."""
    profile: PlayerProfile | None = None
    """What it said of itself there."""
    description: str | None = None
    """Of its agent card, as one line."""
    registrar: Service | None = None
    """The service that registered it; None: the operator, or its table."""


AWAY = "table-away"
WAITING = "waits-for-table"
"""State of a room whose table is lost while no other one is free."""


class TablePlace(NamedTuple):
    """Where a room's table is, and what its card says."""

    card_url: str
    base_url: str | None
    is_keyed: bool
