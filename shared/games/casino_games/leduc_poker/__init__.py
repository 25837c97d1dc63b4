"""Leduc hold'em: six cards, two players, two betting rounds and a public card."""

from casino_games.leduc_poker.config import LeducConfig
from casino_games.leduc_poker.game import LeducGame

__all__ = ["LeducConfig", "LeducGame", "create_game"]

create_game = LeducGame
