"""Playing card in the protocol's notation."""

from typing import Literal, get_args

from casino_contracts.base import WireModel

Rank = Literal["2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A"]
Suit = Literal["hearts", "diamonds", "clubs", "spades"]

_SUIT_BY_LETTER: dict[str, Suit] = {suit[0]: suit for suit in get_args(Suit)}


class Card(WireModel):
    """One playing card.

    >>> Card.from_text("Td").model_dump_json()
    '{"rank":"T","suit":"diamonds"}'
    """

    rank: Rank
    suit: Suit

    @classmethod
    def from_text(cls, text: str) -> "Card":
        """Parse the short form, such as `"As"`. Raises ValueError if it is not a card."""
        return cls.model_validate({"rank": text[:1], "suit": _SUIT_BY_LETTER.get(text[1:])})

    @property
    def text(self) -> str:
        """The short form: rank and the suit's first letter."""
        return self.rank + self.suit[0]
