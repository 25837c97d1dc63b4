"""The agent of a seated player. Pure."""

from dataclasses import dataclass

from casino_contracts import PlayerType


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
