"""Leduc hold'em as a `Game` (F. Southey et al., "Bayes' Bluff", 2005).

Two jacks, two queens, two kings; one card each; a betting round; a public card; another betting
round. OpenSpiel's `leduc_poker` has three actions, which correspond to these: its Call is CALL or,
with nothing to call, CHECK; its Raise is RAISE or BET; its Fold is FOLD.
"""

from typing import ClassVar

from casino_games.fixed_limit import FixedLimitGame
from casino_games.game import GameConfig
from casino_games.leduc_poker.config import MOST_RAISES, LeducConfig

SUITS = 2


class LeducGame(FixedLimitGame[LeducConfig]):
    """One hand between two players; a pair with the public card wins, else the higher rank."""

    game_type = "leduc_poker"
    config_model: ClassVar[type[GameConfig]] = LeducConfig
    card_names: ClassVar[tuple[str, ...]] = ("Jh", "Js", "Qh", "Qs", "Kh", "Ks")
    has_board: ClassVar[bool] = True

    @property
    def _ante(self) -> int:
        return self._config.ante

    @property
    def _sizes(self) -> tuple[int, ...]:
        return (self._config.first_bet, self._config.second_bet)

    @property
    def _most_raises(self) -> int:
        return MOST_RAISES

    def _strength(self, card: int, public_card: int) -> int:
        rank = card // SUITS
        is_pair = rank == public_card // SUITS
        return rank + (len(self.card_names) if is_pair else 0)
