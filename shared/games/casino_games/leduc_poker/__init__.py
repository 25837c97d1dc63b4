"""Leduc hold'em: six cards, two players, two betting rounds and a public card."""

from casino_games.game import ArenaConfig
from casino_games.leduc_poker.config import LeducConfig
from casino_games.leduc_poker.game import LeducGame

__all__ = ["LeducConfig", "LeducGame", "create_game"]


def create_game(arena_config: ArenaConfig) -> LeducGame:
    return LeducGame(arena_config)
