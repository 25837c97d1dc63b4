"""The settings of one spin of roulette, as `ArenaConfig.game_config` gives them."""

from casino_games.bank import BankConfig


class RouletteConfig(BankConfig):
    """The limits of a bet and the stacks: nothing else is there to be set."""
