"""Kuhn poker as a `Game` (H. W. Kuhn, "A simplified two-person poker", 1950).

A deck of jack, queen and king; one card each; one bet. OpenSpiel's `kuhn_poker` has two actions,
which correspond to these: its Pass is CHECK or, facing a bet, FOLD; its Bet is BET or, facing one,
CALL.
"""

from typing import ClassVar

from casino_games.fixed_limit import FixedLimitGame
from casino_games.game import GameConfig
from casino_games.kuhn_poker.config import KuhnConfig


class KuhnGame(FixedLimitGame[KuhnConfig]):
    """One hand between two players; the higher card wins."""

    game_type = "kuhn_poker"
    config_model: ClassVar[type[GameConfig]] = KuhnConfig
    card_names: ClassVar[tuple[str, ...]] = ("J", "Q", "K")

    @property
    def _ante(self) -> int:
        return self._config.ante

    @property
    def _sizes(self) -> tuple[int, ...]:
        return (self._config.bet,)

    @property
    def _most_raises(self) -> int:
        return 1

    def _strength(self, card: int, public_card: int) -> int:
        del public_card  # there is none in this game
        return card
