"""Texas hold'em, no limit. Equity and batch ranking need numpy: import them by their modules."""

from casino_games.game import ArenaConfig
from casino_games.holdem.config import HoldemConfig
from casino_games.holdem.game import HoldemGame
from casino_games.holdem.hand import Hand

__all__ = ["Hand", "HoldemConfig", "HoldemGame", "create_game"]


def create_game(arena_config: ArenaConfig) -> HoldemGame:
    """Return a hand of hold'em that waits for its `reset`, or raise `InvalidConfig`."""
    return HoldemGame(arena_config)
