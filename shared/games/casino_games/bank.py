"""What games against a bank have in common: limits of a bet, and a bank that pays and takes."""

from abc import abstractmethod
from typing import Annotated, Generic, Self

from pydantic import Field, model_validator

from casino_games.config import GameConfig
from casino_games.game import HOUSE
from casino_games.replayed import ConfigT, ReplayedGame, RoundT

MOST_BET = 10**9
"""Far below all chips there can be, whatever a bank has to pay for it."""
ENOUGH = 10
"""In highest bets: the stack of whoever gives none."""

_Bet = Annotated[int, Field(strict=True, gt=0, le=MOST_BET)]


class BankConfig(GameConfig):
    """The limits of a bet, in whole chips."""

    min_bet: _Bet = 2
    max_bet: _Bet = 100

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if self.min_bet > self.max_bet:
            raise ValueError("min_bet is larger than max_bet")
        return self

    def chips_needed(self) -> int:
        """Return the smallest bet: with less there would be nothing to decide."""
        return self.min_bet

    def chips_enough(self, players: int) -> int:
        """Return ten highest bets."""
        del players
        return ENOUGH * self.max_bet


class BankGame(ReplayedGame[ConfigT, RoundT], Generic[ConfigT, RoundT]):
    """One round against the bank, whose chips stand under `house` in the scores."""

    @abstractmethod
    def _won(self) -> list[int]:
        """Return what each player won or lost, in their order; zeros before the end."""

    def get_winner(self) -> str | None:
        """Return the player who alone won most from the bank; `None` when nobody did."""
        won = self._won()
        most = max(won)
        return self._players[won.index(most)] if most > 0 and won.count(most) == 1 else None

    def get_scores(self) -> dict[str, int]:
        """Return what each player won or lost, and the bank the other way round."""
        won = self._won()
        return {**dict(zip(self._players, won, strict=True)), HOUSE: -sum(won)}
