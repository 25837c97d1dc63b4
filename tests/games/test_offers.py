"""What is legal is decided in one place, and a refusal names no cards."""

from typing import Any

import pytest
from casino_games import IllegalAction, offers

BET = {"action_type": "BET", "min": 1, "max": 50}
CARDS = [{"action_type": "PLAY_CARD", "card": card} for card in (3, 7)]


@pytest.mark.parametrize(
    ("action", "answer"),
    [
        ({"action_type": "BET", "amount": 1}, {"action_type": "BET", "amount": 1}),
        ({"action_type": "BET", "amount": 50, "min": 0}, {"action_type": "BET", "amount": 50}),
        ({"card": 7, "action_type": "PLAY_CARD", "why": "!"}, CARDS[1]),
    ],
)
def test_an_answer_that_fits_an_offer_is_taken(action: Any, answer: Any) -> None:
    """Whatever else it says is left out."""
    assert offers.match(action, [BET, *CARDS]) == answer


@pytest.mark.parametrize(
    "action",
    [
        {"action_type": "BET"},
        {"action_type": "BET", "amount": 0},
        {"action_type": "BET", "amount": 51},
        {"action_type": "BET", "amount": True},
        {"action_type": "BET", "amount": 20.0},
        {"action_type": "BET", "amount": "20"},
        {"action_type": "bet", "amount": 20},
        {"action_type": "PLAY_CARD"},
        {"action_type": "PLAY_CARD", "card": 5},
        {"action_type": "PLAY_CARD", "card": 7.0},
        {"amount": 20},
        "BET",
        None,
    ],
)
def test_everything_else_is_refused_with_what_would_be_legal(action: object) -> None:
    """The message helps, and names no card: it may be logged."""
    with pytest.raises(IllegalAction) as caught:
        offers.match(action, [BET, *CARDS])
    assert str(caught.value) == (
        "an action is now an object whose action_type is one of: BET (with an amount, a whole "
        "number from 1 to 50), PLAY_CARD (with a card that is offered)"
    )


def test_ranges_that_differ_are_not_reported_as_one() -> None:
    """One type of action may have several offers."""
    places = [BET | {"place": "red"}, BET | {"place": "0", "max": 5}]
    assert offers.describe(places).endswith(
        "BET (with a place that is offered and an amount, a whole number in the range of its offer)"
    )
    assert offers.match({"action_type": "BET", "place": "0", "amount": 5}, places)["place"] == "0"
    with pytest.raises(IllegalAction):
        offers.match({"action_type": "BET", "place": "0", "amount": 6}, places)


def test_nothing_is_legal_where_nothing_is_offered() -> None:
    with pytest.raises(IllegalAction, match="not possible: nobody is asked"):
        offers.match({"action_type": "BET"}, [])


@pytest.mark.parametrize(
    ("given", "offered", "same"),
    [
        (1, 1, True),
        (True, 1, False),
        (1.0, 1, False),
        ("1", 1, False),
        (None, None, True),
        ([1, [2]], [1, [2]], True),
        ([1, [True]], [1, [1]], False),
        ([1], [1, 2], False),
        ({"a": [1]}, {"a": [1]}, True),
        ({"a": [1], "b": 2}, {"a": [1]}, False),
        ({"a": True}, {"a": 1}, False),
    ],
)
def test_json_values_are_compared_with_their_types(given: Any, offered: Any, same: bool) -> None:  # noqa: FBT001 - a column
    """To Python `True == 1 == 1.0`, to JSON not."""
    assert offers.is_same(given, offered) is same
