"""Settings of one round of blackjack (`ArenaConfig.game_config`)."""

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import Field

from casino_games.blackjack.round import MOST_HANDS, MOST_POINTS_OF_A_HAND, POINTS_OF_A_DECK
from casino_games.errors import InvalidConfig
from casino_games.replayed import BankConfig


class BlackjackConfig(BankConfig):
    """Bet limits, stacks, number of decks, and whether the dealer stands on a soft 17.

    A natural pays 3:2 in whole chips, so only an odd bet is rounded.
    """

    decks: Annotated[int, Field(strict=True, ge=1, le=8)] = 6
    stands_on_soft_17: Annotated[bool, Field(strict=True)] = True

    @classmethod
    def for_players(cls, players: int, settings: Mapping[str, Any]) -> Self:
        """Return the validated settings; raises `InvalidConfig`, also if the shoe could run out."""
        config = super().for_players(players, settings)
        hands = players * MOST_HANDS + 1
        if hands * MOST_POINTS_OF_A_HAND > config.decks * POINTS_OF_A_DECK:
            raise InvalidConfig(f"decks: {config.decks} could run out with {players} players")
        return config
