"""Leduc hold'em: six cards, two players, two betting rounds, a public card in between."""

from casino_games.game import ArenaConfig
from casino_games.leduc.config import LeducConfig
from casino_games.leduc.game import LeducGame

__all__ = ["LeducConfig", "LeducGame", "create_game"]


def create_game(arena_config: ArenaConfig) -> LeducGame:
    """Return a hand that waits for its `reset`, or raise `InvalidConfig`."""
    return LeducGame(arena_config)
