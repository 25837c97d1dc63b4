"""The settings of one round of sealed bid."""

from typing import Annotated

from casino_games.game import GameConfig
from pydantic import Field


class SealedBidConfig(GameConfig):
    """The deck has the cards 1 to `highest_card`."""

    highest_card: Annotated[int, Field(strict=True, ge=6, le=100)] = 10

    def chips_needed(self) -> int:
        """Return what the others pay at most: the highest card, bought for one chip."""
        return self.highest_card - 1

    def chips_enough(self, players: int) -> int:
        """Return what a bidder loses at most: the lowest card, bought for the highest bid."""
        return (self.highest_card - 1) * (players - 1)
