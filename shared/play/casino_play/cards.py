"""Convert cards of the games to their wire format."""

from collections.abc import Iterable

from casino_contracts import Card

_CARDS = {rank + suit: Card.from_text(rank + suit) for rank in "23456789TJQKA" for suit in "cdhs"}


def wire_cards(names: Iterable[str]) -> tuple[Card, ...]:
    """Return the wire format of cards with names such as `Ah`."""
    return tuple(_CARDS[name] for name in names)
