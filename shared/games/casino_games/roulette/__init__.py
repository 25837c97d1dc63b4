"""European roulette: up to ten players against the bank, with concurrent bets."""

from casino_games.roulette.config import RouletteConfig
from casino_games.roulette.game import RouletteGame

__all__ = ["RouletteConfig", "RouletteGame", "create_game"]

create_game = RouletteGame
