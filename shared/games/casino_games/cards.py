"""Cards as integers from 0 to 51, and their names.

A card is `4 * rank + suit`, 0..51, with rank 0 = deuce .. 12 = ace and suit 0..3 = clubs,
diamonds, hearts, spades. Its name is two characters, such as `"Ah"` or `"Tc"`.
"""

from collections.abc import Iterable
from typing import Final, TypeAlias

Card: TypeAlias = int
"""0..51, `4 * rank + suit`."""

RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"
DECK: Final = range(52)
NAMES: Final[tuple[str, ...]] = tuple(rank + suit for rank in RANKS for suit in SUITS)
"""The name of each card, indexed by card."""

_CARD_BY_NAME: Final = {name: card for card, name in enumerate(NAMES)}
_NAME_LENGTH: Final = 2


def card_from_text(text: str) -> Card:
    """Return the card of a name such as `"Ah"`; raises `ValueError`."""
    card = _CARD_BY_NAME.get(text)
    if card is None:
        raise ValueError('a card is a rank of 23456789TJQKA and a suit of cdhs, such as "Ah"')
    return card


def cards_from_text(text: str) -> list[Card]:
    """Return the cards of joined names such as `"AhKd7c"`; raises `ValueError`."""
    return [
        card_from_text(text[start : start + _NAME_LENGTH])
        for start in range(0, len(text), _NAME_LENGTH)
    ]


def card_to_text(card: Card) -> str:
    """Return the name of a card; raises `ValueError` for other numbers."""
    if card not in DECK:
        raise ValueError("a card is a number from 0 to 51")
    return NAMES[card]


def cards_to_text(cards: Iterable[Card]) -> str:
    """Return the joined names of cards, such as `"AhKd7c"`."""
    return "".join(map(card_to_text, cards))
