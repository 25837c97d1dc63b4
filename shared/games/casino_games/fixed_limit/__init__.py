"""Shared base of Kuhn and Leduc: two players, fixed bets and one private card each."""

from casino_games.fixed_limit.game import FixedLimitGame
from casino_games.fixed_limit.state_adapter import FixedLimitStateAdapter

__all__ = ["FixedLimitGame", "FixedLimitStateAdapter"]
