"""The European wheel: 37 pockets, the bets and their payouts."""

from typing import TypeAlias

Pocket: TypeAlias = int
"""0..36; 0 is green."""

POCKETS = range(37)
_REDS = frozenset({1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36})
_NUMBERS = range(1, 37)


def _covered() -> dict[str, frozenset[Pocket]]:
    """Return the pockets that each bet wins on, in the order in which bets are offered."""
    bets = {
        "red": _REDS,
        "black": frozenset(_NUMBERS) - _REDS,
        "odd": frozenset(range(1, 37, 2)),
        "even": frozenset(range(2, 37, 2)),
        "low": frozenset(range(1, 19)),
        "high": frozenset(range(19, 37)),
    }
    for third in range(3):
        bets[f"dozen-{third + 1}"] = frozenset(range(12 * third + 1, 12 * third + 13))
    for third in range(3):
        bets[f"column-{third + 1}"] = frozenset(range(third + 1, 37, 3))
    return bets | {f"straight-{pocket}": frozenset({pocket}) for pocket in POCKETS}


COVERED = _covered()
"""The pockets that each bet wins on."""
PAYS = {bet: len(_NUMBERS) // len(pockets) - 1 for bet, pockets in COVERED.items()}
"""Payout of a winning bet per chip, without the bet itself: fair odds without the zero."""


def color(pocket: Pocket) -> str:
    """Return `green` for the zero, else `red` or `black`."""
    if pocket == 0:
        return "green"
    return "red" if pocket in _REDS else "black"


def won_by(bet: str, amount: int, pocket: Pocket) -> int:
    """Return the chips that a bet wins or, negative, loses with `pocket`."""
    return amount * PAYS[bet] if pocket in COVERED[bet] else -amount
