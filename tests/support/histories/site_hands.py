"""Hands as sites write them, and what is read of a file."""

from fractions import Fraction
from pathlib import Path
from typing import Final

from casino_histories import HandHistory, UnreadHand
from casino_histories.history_files import read_hands

FIELD: Final = Path(__file__).parents[2] / "vectors/field"

SEATS: Final = """Table 'Kappa IV' 6-max Seat #1 is the button
Seat 1: Ana ($200 in chips)
Seat 2: Ben ($200 in chips)
Seat 3: Cy ($200 in chips)
Ben: posts small blind $1
Cy: posts big blind $2
*** HOLE CARDS ***
"""
WALK: Final = """Ana: folds
Ben: folds
Uncalled bet ($1) returned to Cy
Cy collected $2 from pot
*** SUMMARY ***
Total pot $2 | Rake $0
"""


def head(
    number: int = 1, words: str = "PokerStars Hand", time: str = "2025/03/01 20:15:30 ET"
) -> str:
    return f"{words} #{number}:  Hold'em No Limit ($1/$2 USD) - {time}\n"


def hand(number: int = 1, words: str = "PokerStars Hand") -> str:
    return head(number, words) + SEATS + WALK


def items(content: "str | bytes") -> list[HandHistory | UnreadHand]:
    return list(read_hands(content.encode() if isinstance(content, str) else content))


def only(content: "str | bytes") -> HandHistory:
    (item,) = items(content)
    assert isinstance(item, HandHistory), item
    return item


def nets(hand: HandHistory) -> dict[str, Fraction]:
    """Return what each player won or lost, in the file's unit."""
    unit = 10**hand.decimals
    ends = zip(hand.seats, hand.finishing_stacks, strict=True)
    return {seat.name: Fraction(end - seat.stack, unit) for seat, end in ends}


def described(found: list[HandHistory | UnreadHand]) -> list[str]:
    """Return the ids of the hands, and what is unread as text."""
    return [str(item) if isinstance(item, UnreadHand) else item.hand_id for item in found]
