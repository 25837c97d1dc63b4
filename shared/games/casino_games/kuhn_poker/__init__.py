"""Kuhn poker: three cards, two players, one bet; a solved game."""

from casino_games.kuhn_poker.config import KuhnConfig
from casino_games.kuhn_poker.game import KuhnGame

__all__ = ["KuhnConfig", "KuhnGame", "create_game"]

create_game = KuhnGame
