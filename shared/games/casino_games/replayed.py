"""Base classes of games whose decisions are answers to their offers, and of those against a bank.

A game implements `_deck_size`, `_deal` and `_perform`; the order of the cards is a permutation of
the numbers below `_deck_size`.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Annotated, Generic, Self

from pydantic import Field, model_validator

from casino_games import offers
from casino_games.dealt import ConfigT, DealtGame, RoundT
from casino_games.game import HOUSE, ArenaConfig, GameConfig, Json
from casino_games.shuffle import Chance

ORDER_TAG = b"a2a-casino/order/v1"
"""Separates the order of cards from other uses of the same seed."""

MOST_BET = 10**9
"""Maximum of `max_bet`, low enough that payments stay below the maximum of chips."""
ENOUGH = 10
"""Default stack, in maximum bets."""
_Bet = Annotated[int, Field(strict=True, gt=0, le=MOST_BET)]


class ReplayedGame(DealtGame[ConfigT, RoundT], Generic[ConfigT, RoundT]):
    """A game that checks each action against its offers and records the answer."""

    def __init__(self, arena_config: ArenaConfig) -> None:
        super().__init__(arena_config)
        self._actions: list[Json] = []

    def step(self, action: Json) -> tuple[Json, bool]:
        """Apply an action of the current player; raises `IllegalAction` without any change."""
        answer = offers.match(action, self.get_available_actions())
        self._actions.append(answer)
        return {"events": self._perform(answer)}, self.is_over()

    @abstractmethod
    def _deck_size(self) -> int:
        """Return the number of cards to shuffle; the order contains the numbers below it."""

    @abstractmethod
    def _perform(self, answer: Json) -> list[Json]:
        """Apply a legal answer and return its events."""

    def _shuffled(self, seed: str) -> list[int]:
        return Chance(seed, ORDER_TAG).shuffled(range(self._deck_size()))

    def _can_deal(self, order: Sequence[int]) -> bool:
        return sorted(order) == list(range(self._deck_size()))

    def _decisions(self) -> list[Json]:
        return self._actions

    def _begin(self, order: list[int]) -> None:
        super()._begin(order)
        self._actions = []


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
        return self.min_bet

    def chips_enough(self, players: int) -> int:
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
        won = self._won()
        return {**dict(zip(self._players, won, strict=True)), HOUSE: -sum(won)}
