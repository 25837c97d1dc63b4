"""No-limit Texas Hold'em; `odds` and `batch_ranking` need numpy."""

from casino_games.game import ArenaConfig
from casino_games.holdem.config import HoldemConfig
from casino_games.holdem.game import HoldemGame
from casino_games.holdem.hand import Hand

__all__ = ["Hand", "HoldemConfig", "HoldemGame", "create_game"]


def create_game(arena_config: ArenaConfig) -> HoldemGame:
    return HoldemGame(arena_config)
