"""No-limit Texas Hold'em; `odds` and `batch_ranking` need numpy."""

from casino_games.holdem.config import HoldemConfig
from casino_games.holdem.game import HoldemGame
from casino_games.holdem.hand import Hand

__all__ = ["Hand", "HoldemConfig", "HoldemGame", "create_game"]

create_game = HoldemGame
