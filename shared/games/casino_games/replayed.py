"""Base class of games whose decisions are answers to their offers.

A game implements `_deck_size`, `_deal` and `_perform`; the order of the cards is a permutation of
the numbers below `_deck_size`.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Generic

from casino_games import offers
from casino_games.chance import Chance
from casino_games.dealt import ConfigT, DealtGame, RoundT
from casino_games.game import ArenaConfig, Json

ORDER_TAG = b"a2a-casino/order/v1"
"""Separates the order of cards from other uses of the same seed."""


class ReplayedGame(DealtGame[ConfigT, RoundT], Generic[ConfigT, RoundT]):
    """A game that checks each action against its offers and records the answer."""

    def __init__(self, arena_config: ArenaConfig) -> None:
        """Validate the configuration; raises `InvalidConfig`."""
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
