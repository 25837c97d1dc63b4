"""Hands worth looking at."""

from casino_match.results import result_of
from casino_match.results.notable import MOST, HandText
from support.match.made_blocks import made_block, made_deck, plan_of

PLAN = plan_of("equity", "tight", decks=40, decks_per_block=20)


def described(deck: int, seating: int, actions: str) -> HandText:
    """Return a text that shows what was asked for."""
    return HandText(pot=deck * 10, history=f"{deck}/{seating}/{actions}")


def test_the_biggest_hands_and_the_decks_that_decide_are_chosen() -> None:
    """At most five of each, the earliest of equal ones, each deck once."""
    decks = [made_deck(number, (1, -1), (-1, 1)) for number in range(40)]
    decks[7] = made_deck(7, (-150, 150), (200, -200))
    decks[30] = made_deck(30, (190, -190), (-190, 190))
    decks[9] = made_deck(9, (60, -60), (50, -50))
    decks[33] = made_deck(33, (-5, 5), (-6, 6))
    blocks = [made_block(PLAN, number, decks[number * 20 :][:20]) for number in range(2)]
    hands = result_of(PLAN, blocks, describe=described).notable_hands
    chosen = [(hand.kind, hand.deck, hand.seating) for hand in hands]
    assert chosen == [
        ("biggest", 7, 1),
        ("biggest", 30, 0),
        ("biggest", 9, 0),
        ("biggest", 33, 1),
        ("biggest", 0, 0),
        ("decisive", 9, 0),
        ("decisive", 7, 1),
        ("decisive", 33, 1),
    ]
    assert len(chosen) <= 2 * MOST
    first = hands[0]
    assert first.players == ("tight", "equity")
    assert first.net == {"equity": 200, "tight": -200}
    assert (first.pot, first.history) == (70, "7/1/f")
    assert result_of(PLAN, blocks).notable_hands == ()
