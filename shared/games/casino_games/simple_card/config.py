"""Settings of one game of simple card."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from casino_games.game import Chips, GameConfig

MOST_CARDS = 100


class SimpleCardConfig(GameConfig):
    """`stake` are the chips per point that each other player pays.

    The deck has each number from 1 to `max_card_value` once per player.
    """

    cards_per_player: Annotated[int, Field(strict=True, ge=1, le=MOST_CARDS)] = 3
    max_card_value: Annotated[int, Field(strict=True, ge=1, le=MOST_CARDS)] = 10
    stake: Chips = 1

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if self.cards_per_player > self.max_card_value:
            raise ValueError(
                "cards_per_player is larger than max_card_value: the deck is too small"
            )
        return self

    def chips_needed(self) -> int:
        """Return the cost of losing every trick, since players cannot leave a running game."""
        return self.cards_per_player * self.stake

    def chips_enough(self, players: int) -> int:
        del players
        return self.chips_needed()
