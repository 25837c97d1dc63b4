"""Poker between two with fixed bets and a private card each: what kuhn and leduc share."""

from casino_games.fixed_limit.game import FixedLimitGame
from casino_games.fixed_limit.state_adapter import FixedLimitStateAdapter

__all__ = ["FixedLimitGame", "FixedLimitStateAdapter"]
