"""Play hands of a block again, from their texts: everything else is computed from them. Pure."""

import re
from collections.abc import Iterator
from typing import Final

from casino_games.errors import IllegalAction
from casino_games.holdem import Hand

from casino_match.domain.decks import deck_of
from casino_match.domain.plan import Plan
from casino_match.errors import StoreFailed
from casino_match.play.hand import deal_hand
from casino_match.players.player import Place

_ACTION: Final = re.compile(r"f|cc|cbr([1-9][0-9]{0,11})")


def replay(plan: Plan, deck: int, seating: int, actions: str) -> Hand:
    """Return a hand that is over, from the text of its actions.

    Raises StoreFailed, which names the hand, if it cannot have been played so.
    """
    *_, (hand, _end) = steps(plan, deck, seating, actions)
    return hand


def steps(plan: Plan, deck: int, seating: int, actions: str) -> Iterator[tuple[Hand, str]]:
    """Yield the hand before each action with its text, and at last the hand that is over with "".

    It is the same object each time. Raises StoreFailed as `replay`.
    """
    place = Place(deck, seating)
    seats = len(plan.players)
    hand = deal_hand(plan.rules, deck_of(plan.deal.seed, deck, seats), seats)
    for number, action in enumerate(actions.split(), start=1):
        yield hand, action
        try:
            _play(hand, action)
        except (IllegalAction, ValueError) as error:
            raise StoreFailed(f"{place}: action {number}, {action!r}: {error}") from error
    if not hand.is_over:
        raise StoreFailed(f"{place}: the hand is not over after its last action")
    yield hand, ""


def _play(hand: Hand, action: str) -> None:
    match = _ACTION.fullmatch(action)
    if match is None:
        raise ValueError("an action is f, cc, or cbr with a total, such as cbr6")
    if action == "f":
        hand.fold()
    elif match[1]:
        hand.raise_to(int(match[1]))
    elif hand.to_call:
        hand.call()
    else:
        hand.check()
