"""The settings of one hand of Leduc hold'em."""

from casino_games.config import Chips, GameConfig

MOST_RAISES = 2
"""Bets and raises in one betting round."""


class LeducConfig(GameConfig):
    """`ante` is paid by both; a bet or raise is `first_bet` and, later, `second_bet`."""

    ante: Chips = 1
    first_bet: Chips = 2
    second_bet: Chips = 4

    def chips_needed(self) -> int:
        """Return the ante: everything after it is a decision."""
        return self.ante

    def chips_enough(self, players: int) -> int:
        """Return the ante and every bet and raise there can be."""
        del players
        return self.ante + MOST_RAISES * (self.first_bet + self.second_bet)
