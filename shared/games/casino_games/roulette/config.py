"""Settings of one spin of roulette (`ArenaConfig.game_config`)."""

from casino_games.replayed import BankConfig


class RouletteConfig(BankConfig):
    """The bet limits and the stacks."""
