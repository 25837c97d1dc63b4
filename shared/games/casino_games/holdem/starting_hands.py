"""Points of starting hands: the Chen formula, by which players choose hands before the flop."""

from collections.abc import Sequence

from casino_games.cards import RANKS, Card

_HIGH_CARD_POINTS = {12: 10.0, 11: 8.0, 10: 7.0, 9: 6.0}
_GAP_COSTS = {0: 0, 1: 1, 2: 2, 3: 4}


def chen_points(hole_cards: Sequence[Card]) -> float:
    """Return the points of two hole cards: 20 for aces, below 0 for the worst.

    Source: the Chen formula (Bill Chen), here without rounding up.
    """
    high, low = sorted((card // 4 for card in hole_cards), reverse=True)
    points = _HIGH_CARD_POINTS.get(high, (high + 2) / 2)
    if high == low:
        return max(5.0, 2 * points)
    first, second = hole_cards
    if first % 4 == second % 4:
        points += 2
    gap = high - low - 1
    points -= _GAP_COSTS.get(gap, 5)
    is_straight_maker = gap <= 1 and high < RANKS.index("Q")
    return points + 1 if is_straight_maker else points
