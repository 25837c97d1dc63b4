"""Simple card: the smallest complete game, as an example; the highest card takes the trick."""

from casino_games.game import ArenaConfig
from casino_games.simple_card.config import SimpleCardConfig
from casino_games.simple_card.game import SimpleCardGame

__all__ = ["SimpleCardConfig", "SimpleCardGame", "create_game"]


def create_game(arena_config: ArenaConfig) -> SimpleCardGame:
    return SimpleCardGame(arena_config)
