"""What strangers wrote and tables count, fit for a terminal."""

from collections.abc import Iterable

from casino_contracts import Card
from rich.text import Text

_SUITS = {"clubs": "♣", "diamonds": "♦", "hearts": "♥", "spades": "♠"}
_RED = {"diamonds", "hearts"}
_SHOWN_DECIMALS = 6


def tame(text: str) -> str:
    r"""Return a text as one line that moves no cursor, turns no writing round and hides nothing.

    Names, messages and reasons come from agents of anyone: control characters and invisible ones
    become blanks.

    >>> tame("\x1b[2JBob\u202e\n")
    ' [2JBob  '
    """
    return "".join(character if character.isprintable() else " " for character in text)


def plain(text: str, style: str = "") -> Text:
    """Return a tame text for rich, which would read `[red]` in a bare string as its own."""
    return Text(tame(text), style)


def cards(given: Iterable[Card]) -> Text:
    """Return cards as a terminal shows them."""
    return Text(" ").join(
        Text(card.rank + _SUITS[card.suit], "red" if card.suit in _RED else "") for card in given
    )


def card_letters(given: Iterable[Card]) -> str:
    """Return cards in letters, which every program reads: ``Qh 7s``."""
    return " ".join(card.text for card in given)


def chips(amount: float) -> str:
    """Return an amount without exponents, and without what floating point added to it.

    >>> chips(200), chips(0.1 + 0.2), chips(12_345_678.05)
    ('200', '0.3', '12345678.05')
    """
    if isinstance(amount, int):
        return str(amount)
    text = f"{amount:.{_SHOWN_DECIMALS}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def counted(number: int, noun: str) -> str:
    """Return a number of things.

    >>> counted(1, "hand"), counted(2, "hand")
    ('1 hand', '2 hands')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def signed(amount: float) -> str:
    """Return chips won or lost, with their sign."""
    return f"+{chips(amount)}" if amount > 0 else chips(amount)
