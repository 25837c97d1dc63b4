"""Base classes of games against a bank: bet limits and scores."""

from abc import abstractmethod
from typing import Annotated, Generic, Self

from pydantic import Field, model_validator

from casino_games.config import GameConfig
from casino_games.dealt import ConfigT, RoundT
from casino_games.game import HOUSE
from casino_games.replayed import ReplayedGame

MOST_BET = 10**9
"""Maximum of `max_bet`, low enough that payments stay below the maximum of chips."""
ENOUGH = 10
"""Default stack, in maximum bets."""

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
        """Return the minimum bet."""
        return self.min_bet

    def chips_enough(self, players: int) -> int:
        """Return ten maximum bets."""
        del players
        return ENOUGH * self.max_bet


class BankGame(ReplayedGame[ConfigT, RoundT], Generic[ConfigT, RoundT]):
    """One round against the bank, whose id in the scores is `house`."""

    @abstractmethod
    def _won(self) -> list[int]:
        """Return the chips that each player won or lost, in player order; 0 before the end."""

    def get_winner(self) -> str | None:
        """Return the player that won most from the bank; `None` for a tie or no winner."""
        won = self._won()
        most = max(won)
        return self._players[won.index(most)] if most > 0 and won.count(most) == 1 else None

    def get_scores(self) -> dict[str, int]:
        """Return the chips won or lost by each player, and the bank's opposite sum."""
        won = self._won()
        return {**dict(zip(self._players, won, strict=True)), HOUSE: -sum(won)}
