"""Format untrusted text, cards and amounts for a terminal."""

from collections.abc import Iterable

from casino_contracts import Card
from rich.text import Text

_SUITS = {"clubs": "♣", "diamonds": "♦", "hearts": "♥", "spades": "♠"}
_COLOURS = {"clubs": "green", "diamonds": "blue", "hearts": "red", "spades": ""}
"""Four, as on the page, so that no two suits look alike."""
_SHOWN_DECIMALS = 6
_TWO_DIGITS = 9.5

TOO_FEW_HANDS = "says nothing yet"
"""In place of the interval of a win rate."""
GUEST = " (guest)"
"""Behind the name of a player for whom a person decides."""


def sanitize(text: str) -> str:
    r"""Return untrusted text as one line of printable characters.

    Each control or invisible character becomes a space, so that the text cannot move the cursor
    or reverse the writing direction.

    >>> sanitize("\x1b[2JBob\u202e\n")
    ' [2JBob  '
    """
    return "".join(character if character.isprintable() else " " for character in text)


def plain(text: str, style: str = "") -> Text:
    """Return sanitized text for rich, without interpreting markup such as `[red]`."""
    return Text(sanitize(text), style)


def cards(hand: Iterable[Card]) -> Text:
    """Return cards with suit symbols, coloured for a terminal."""
    return Text(" ").join(Text(card.rank + _SUITS[card.suit], _COLOURS[card.suit]) for card in hand)


def card_letters(hand: Iterable[Card]) -> str:
    """Return cards in ASCII letters, such as `Qh 7s`."""
    return " ".join(card.text for card in hand)


def chips(amount: float) -> str:
    """Return an amount without an exponent, rounded to hide floating-point errors.

    >>> chips(200), chips(0.1 + 0.2), chips(12_345_678.05)
    ('200', '0.3', '12345678.05')
    """
    if isinstance(amount, int):
        return str(amount)
    text = f"{amount:.{_SHOWN_DECIMALS}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, plural unless it is 1.

    >>> counted(1, "hand"), counted(2, "hand")
    ('1 hand', '2 hands')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def signed(amount: float) -> str:
    """Return an amount with its sign."""
    return f"+{chips(amount)}" if amount > 0 else chips(amount)


def half_width(half_interval: float | None) -> str:
    """Return half an interval with two digits at least, so that a small one is not 0.

    >>> half_width(61.35), half_width(0.234), half_width(None)
    ('61', '0.23', 'says nothing yet')
    """
    if half_interval is None:
        return TOO_FEW_HANDS
    return f"{half_interval:.0f}" if half_interval >= _TWO_DIGITS else f"{half_interval:.2g}"
