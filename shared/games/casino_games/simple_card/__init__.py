"""Simple card: the smallest complete game, as an example; the highest card takes the trick."""

from casino_games.simple_card.config import SimpleCardConfig
from casino_games.simple_card.game import SimpleCardGame

__all__ = ["SimpleCardConfig", "SimpleCardGame", "create_game"]

create_game = SimpleCardGame
