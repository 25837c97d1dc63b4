"""The agents of a room's players, and the ids under which they were invited. Pure."""

from collections.abc import Container
from dataclasses import dataclass, field
from typing import Annotated

from casino_contracts import PlayerType
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
    registrar: Service | None = None
    """The service that registered it; None: the operator, or its table."""


@dataclass(kw_only=True)
class InvitedPlayers:
    """Ids of the players that a lobby invited and seated, also of those who have left.

    Only such an id belongs to whoever has its seat token: a player that sat down at the table
    itself may have an id under which another agent was invited in vain.
    """

    invited_ids: PlayerIds = field(default_factory=set)
    players_named: int = 0

    def name_player(self, taken: Container[str]) -> str:
        """Return a new player id; one that an invited player had is never used again."""
        while True:
            self.players_named += 1
            player_id = f"player-{self.players_named}"
            if player_id not in taken and player_id not in self.invited_ids:
                return player_id
