"""A hand is played again from its text, and a text that cannot be is refused."""

import pytest
from casino_match.errors import StoreFailed
from casino_match.play.replayed import replay, steps
from support.match.plans import plan_of

PLAN = plan_of(["style:caller", "style:caller"])


def test_each_step_is_before_its_action() -> None:
    """And the last is the hand that is over."""
    seen = [
        (hand.actor, hand.pot, action) for hand, action in steps(PLAN, 3, 1, "cc cbr6 cbr200 f")
    ]
    assert seen == [(1, 3, "cc"), (0, 4, "cbr6"), (1, 8, "cbr200"), (0, 206, "f"), (-1, 0, "")]
    assert replay(PLAN, 3, 1, "cc cbr6 cbr200 f").stacks == [194, 206]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cc cc cc cc cc cc cc", "not over after its last action"),
        ("f f", "deck 3, seating 1: action 2, 'f': the hand is over"),
        ("cbr3 f", "action 1, 'cbr3': raise to 3 is below the smallest raise, to 4"),
        ("cc r6", "action 2, 'r6': an action is f, cc, or cbr with a total"),
        ("cc cbr0", "action 2, 'cbr0'"),
        ("", "not over"),
    ],
)
def test_what_cannot_have_been_played_is_refused(text: str, message: str) -> None:
    """With the hand, and the action in it."""
    with pytest.raises(StoreFailed, match=message):
        replay(PLAN, 3, 1, text)
