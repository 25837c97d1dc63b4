"""The settings of one hand of Kuhn poker."""

from casino_games.config import Chips, GameConfig


class KuhnConfig(GameConfig):
    """`ante` is paid by both before the deal, `bet` is the one bet that can be made."""

    ante: Chips = 1
    bet: Chips = 1

    def chips_needed(self) -> int:
        """Return the ante: everything after it is a decision."""
        return self.ante

    def chips_enough(self, players: int) -> int:
        """Return ante and bet."""
        del players
        return self.ante + self.bet
