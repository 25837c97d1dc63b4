"""European roulette: up to ten players against the bank, one window of bets for each spin."""

from casino_games.game import ArenaConfig
from casino_games.roulette.config import RouletteConfig
from casino_games.roulette.game import RouletteGame

__all__ = ["RouletteConfig", "RouletteGame", "create_game"]


def create_game(arena_config: ArenaConfig) -> RouletteGame:
    """Return a spin of roulette that waits for its `reset`, or raise `InvalidConfig`."""
    return RouletteGame(arena_config)
