"""Settings of one hand of Hold'em (`ArenaConfig.game_config`), and its snapshot.

The snapshot's order is the deck as text. **Private data**: it holds every card.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, PlainSerializer, model_validator

from casino_games.cards import Card, cards_from_text, cards_to_text
from casino_games.dealt import Snapshot
from casino_games.errors import InvalidConfig
from casino_games.game import MOST_CHIPS, Chips, GameConfig

DEFAULT_STACK = 100
"""Default stack, in big blinds."""

NotNegative = Annotated[int, Field(strict=True, ge=0, le=MOST_CHIPS)]


class HoldemConfig(GameConfig):
    """Blinds, ante, stacks and button; every amount is a whole number of chips.

    `stacks` are in player order; the default is 100 big blinds each. `button` is the index of the
    player on the button, or the last one before it where its seat is empty. A `small_blind` of 0 is
    dead: nobody posts it, and the first player left of the button has the big blind. `ante` is paid
    by every player before the blinds; it goes to the pot and does not count as a bet. A player
    whose stack does not cover ante and blind is all-in.
    """

    small_blind: NotNegative = 50
    big_blind: Chips = 100
    ante: NotNegative = 0
    button: NotNegative = 0

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if self.small_blind > self.big_blind:
            raise ValueError("small_blind is larger than big_blind")
        return self

    def chips_enough(self, players: int) -> int:
        """Return the default stack: the maximum loss of a player is any stack."""
        del players
        return DEFAULT_STACK * self.big_blind

    @classmethod
    def for_players(cls, players: int, settings: Mapping[str, Any]) -> Self:
        """Return the validated settings; raises `InvalidConfig`, also for a button of nobody."""
        config = super().for_players(players, settings)
        if config.button >= players:
            raise InvalidConfig(f"button: {config.button} is not the index of one of {players}")
        return config


def _cards(deck: Any) -> list[Card]:
    if not isinstance(deck, str):
        raise ValueError("a deck is a text")  # noqa: TRY004 - pydantic reads a ValueError
    return cards_from_text(deck)


class HoldemSnapshot(Snapshot):
    """Snapshot of a hand; `deck` are the names of the cards that the hand can use."""

    order: Annotated[tuple[Card, ...], BeforeValidator(_cards), PlainSerializer(cards_to_text)] = (
        Field(alias="deck", repr=False)
    )
