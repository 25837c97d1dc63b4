"""Amounts as exact decimal text: whole chips of the smallest unit, and the number of decimals."""

from decimal import Decimal

from casino_contracts import MAX_SAFE
from casino_contracts.foreign_text import number_of

from casino_histories.errors import UnreadableHistory

MOST_DECIMALS = 6


def amount_text(chips: int, decimals: int) -> str:
    """Return chips as a decimal number without exponent and without zeros at its end.

    >>> amount_text(150, 2), amount_text(-5, 2), amount_text(300, 2), amount_text(7, 0)
    ('1.5', '-0.05', '3', '7')
    """
    if decimals == 0:
        return str(chips)
    sign, digits = ("-" if chips < 0 else ""), str(abs(chips)).rjust(decimals + 1, "0")
    whole, rest = digits[:-decimals], digits[-decimals:].rstrip("0")
    return f"{sign}{whole}.{rest}" if rest else f"{sign}{whole}"


def money_text(chips: int, decimals: int) -> str:
    """Return chips as trackers write money: whole, or with two decimals or more.

    >>> money_text(150, 2), money_text(300, 2), money_text(7, 0), money_text(15, 1)
    ('1.50', '3', '7', '1.50')
    """
    text = amount_text(chips, decimals)
    whole, dot, rest = text.partition(".")
    return f"{whole}.{rest.ljust(2, '0')}" if dot else whole


def decimal_of(text: object) -> Decimal:
    """Return a number of a file, such as `"1,250.50"` or 2.5; raises UnreadableHistory."""
    try:
        number = number_of(str(text).replace(",", "").strip())
    except ValueError as error:  # str() refuses whole numbers of 5,000 digits
        raise UnreadableHistory(f"it is no amount: {error}") from error
    if abs(number) > MAX_SAFE:
        raise UnreadableHistory(f"{str(text)[:40]!r} is no amount of chips")
    return number


def whole_of(value: object) -> int:
    """Return a whole number of a file, also of `2.0` or `"2"`; raises UnreadableHistory."""
    return int(decimal_of(value))


def decimals_of(amounts: "list[Decimal]") -> int:
    """Return how many decimals are needed to write all amounts; raises UnreadableHistory."""
    exponents = (amount.normalize().as_tuple().exponent for amount in amounts)
    most = max((-exponent for exponent in exponents if isinstance(exponent, int)), default=0)
    if most > MOST_DECIMALS:
        raise UnreadableHistory(f"an amount has more than {MOST_DECIMALS} decimals")
    return max(0, most)
