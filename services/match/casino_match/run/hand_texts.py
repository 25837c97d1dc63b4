"""The texts of a result's notable hands, which are played again from their actions. Pure."""

from casino_histories.writing.phh import phh

from casino_match.domain.plan import Plan
from casino_match.export.match_hands import MatchHands
from casino_match.results.notable import Describe, HandText


def hand_texts(plan: Plan) -> Describe:
    """Return what describes the hands of a plan; it raises StoreFailed for one that cannot be."""
    hands = MatchHands(plan)

    def describe(deck: int, seating: int, actions: str) -> HandText:
        hand = hands.hand(deck, seating, actions)
        return HandText(pot=sum(pot.amount for pot in hand.pots), history=phh(hand))

    return describe
