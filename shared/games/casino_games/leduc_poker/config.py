"""Settings of one hand of Leduc hold'em."""

from casino_games.game import Chips, GameConfig

MOST_RAISES = 2


class LeducConfig(GameConfig):
    """`ante` is paid by both; `first_bet` and `second_bet` are the sizes in each round."""

    ante: Chips = 1
    first_bet: Chips = 2
    second_bet: Chips = 4

    def chips_needed(self) -> int:
        return self.ante

    def chips_enough(self, players: int) -> int:
        del players
        return self.ante + MOST_RAISES * (self.first_bet + self.second_bet)
