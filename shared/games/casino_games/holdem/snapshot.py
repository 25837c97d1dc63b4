"""Snapshot of a hand of Hold'em, whose order is the deck as text.

**Private data**: it holds every card.
"""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, PlainSerializer

from casino_games.cards import Card, cards_from_text, cards_to_text
from casino_games.dealt import Snapshot


def _cards(deck: Any) -> list[Card]:
    if not isinstance(deck, str):
        raise ValueError("a deck is a text")  # noqa: TRY004 - pydantic reads a ValueError
    return cards_from_text(deck)


class HoldemSnapshot(Snapshot):
    """Snapshot of a hand; `deck` are the names of the cards that the hand can use."""

    order: Annotated[tuple[Card, ...], BeforeValidator(_cards), PlainSerializer(cards_to_text)] = (
        Field(alias="deck", repr=False)
    )
