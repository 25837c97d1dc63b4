"""Describe hands worth looking at: played again, as PHH."""

from casino_histories.writing.phh import phh

from casino_match.domain.plan import Plan
from casino_match.export.match_hands import MatchHands
from casino_match.results.notable import Describe, HandText


def describer(plan: Plan) -> Describe:
    """Return what describes the hands of a plan; it raises StoreFailed for an impossible hand."""
    hands = MatchHands(plan)

    def describe(deck: int, seating: int, actions: str) -> HandText:
        hand = hands.hand(deck, seating, actions)
        return HandText(hand.pot, phh(hand))

    return describe
