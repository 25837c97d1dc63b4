"""Settings of one hand of Kuhn poker."""

from casino_games.game import Chips, GameConfig


class KuhnConfig(GameConfig):
    """`ante` is paid by both before the deal; `bet` is the size of the only bet."""

    ante: Chips = 1
    bet: Chips = 1

    def chips_needed(self) -> int:
        return self.ante

    def chips_enough(self, players: int) -> int:
        del players
        return self.ante + self.bet
