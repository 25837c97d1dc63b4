"""Amounts of the wire, their sums, and what a message may hold of them. Pure."""

from casino_contracts import MAX_SAFE

Chips = int | float
"""An amount of the wire; a sum of them may be negative or beyond what the wire allows."""
_DECIMALS = 6


def exact(amount: Chips) -> Chips:
    """Return an amount without floating-point errors.

    >>> exact(0.1 + 0.2), exact(7)
    (0.3, 7)
    """
    return round(amount, _DECIMALS)


def bounded(amount: Chips) -> Chips:
    """Return an amount within what a message may hold: a table may report anything."""
    return max(-MAX_SAFE, min(MAX_SAFE, amount))
