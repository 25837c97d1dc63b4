"""Notable hands of a match as text: pot and PHH, played again from the actions."""

from casino_histories.writing.phh import phh

from casino_match.domain.plan import Plan
from casino_match.export.match_hands import MatchHands
from casino_match.results.notable import Describe, HandText


def describe_of(plan: Plan) -> Describe:
    """Return what describes the hands of a plan by deck, seating and actions."""
    hands = MatchHands(plan)

    def describe(deck: int, seating: int, actions: str) -> HandText:
        hand = hands.hand(deck, seating, actions)
        return HandText(hand.pot, phh(hand))

    return describe
