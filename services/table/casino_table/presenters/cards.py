"""The cards of the games in the words of the wire."""

from collections.abc import Iterable

from casino_contracts import Card

_CARDS = {rank + suit: Card.from_text(rank + suit) for rank in "23456789TJQKA" for suit in "cdhs"}


def wire_cards(names: Iterable[str]) -> tuple[Card, ...]:
    """Return cards, given by names such as ``Ah``, as the wire writes them."""
    return tuple(_CARDS[name] for name in names)
