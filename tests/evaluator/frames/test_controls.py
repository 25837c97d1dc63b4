"""What the numbers and the clicks mean: always an action that is offered."""

import random
from itertools import pairwise
from typing import Any

import pytest
from casino_evaluator.domain.evaluation_session import Moment
from casino_evaluator.frames.controls import action_of, available_actions, observation
from casino_evaluator.frames.render import render
from casino_seats.offered_action import checked
from support.evaluator.dealt_moments import EXAMINED, OTHERS, dealt, moment_of, moments

Json = dict[str, Any]
BLACK = 5


def after(game_type: str, *actions: Json, seed: str = "a seed", first: bool = True) -> Moment:
    game = dealt(game_type, seed, first=first)
    for action in actions:
        game.step(action)
    return moment_of(game)


def kinds(moment: Moment) -> dict[int, Any]:
    """Return type, card or amount of the action of each number."""
    return {
        number: tuple((action_of(moment, number) or {}).values())
        for number in available_actions(moment)
        if number < 6
    }


CHECK, CALL = {"action_type": "CHECK"}, {"action_type": "call"}


def test_the_numbers_of_poker() -> None:
    """1 folds, 2 checks or calls, 3 bets or raises."""
    moment = after("kuhn_poker", first=True)
    assert kinds(moment) == {2: ("CHECK",), 3: ("BET",)}
    moment = after("kuhn_poker", {"action_type": "BET"}, first=False)
    assert kinds(moment) == {1: ("FOLD",), 2: ("CALL",)}
    moment = after("leduc_poker", {"action_type": "BET"}, first=False)
    assert kinds(moment) == {1: ("FOLD",), 2: ("CALL",), 3: ("RAISE",)}


def test_the_numbers_of_holdem() -> None:
    """4 raises by the pot: to what is to be matched, and on top the pot after a call."""
    assert kinds(after("texas-holdem")) == {
        1: ("fold",),
        2: ("call",),
        3: ("raise", 4),
        4: ("raise", 2 + 3 + 1),
        5: ("all-in",),
    }
    raised = after("texas-holdem", {"action_type": "raise", "amount": 20}, first=False)
    assert kinds(raised) == {
        1: ("fold",),
        2: ("call",),
        3: ("raise", 38),
        4: ("raise", 20 + 22 + 18),
        5: ("all-in",),
    }
    large = after("texas-holdem", {"action_type": "raise", "amount": 100}, first=False)
    assert kinds(large)[4] == ("raise", 200), "no more than the offer allows"
    flop = after("texas-holdem", CALL, {"action_type": "check"}, first=False)
    assert kinds(flop) == {2: ("check",), 3: ("bet", 2), 4: ("bet", 4), 5: ("all-in",)}
    all_in = after("texas-holdem", {"action_type": "all-in"}, first=False)
    assert kinds(all_in) == {1: ("fold",), 2: ("call",), 5: ("all-in",)}


def test_the_numbers_of_blackjack() -> None:
    """The bet as in poker; then 1 stands, 2 hits, 3 doubles, 4 splits."""
    bet = kinds(after("blackjack"))
    assert bet == {1: ("PASS",), 3: ("BET", 2), 4: ("BET", 11), 5: ("BET", 20)}
    seen: dict[int, Any] = {}
    for moment in moments("blackjack", 60):
        if moment.state["public"]["phase"] == "playing":
            seen |= kinds(moment)
    assert seen == {1: ("STAND",), 2: ("HIT",), 3: ("DOUBLE",), 4: ("SPLIT",)}


def test_the_numbers_of_simple_card() -> None:
    """From the lowest card on; equal cards are offered once."""
    moment = after("simple_card")
    hand = sorted({*moment.state["private"]["hand"]})
    assert kinds(moment) == {
        number: ("PLAY_CARD", card) for number, card in enumerate(hand, start=1)
    }


def test_a_game_without_a_layout_has_every_offer_on_a_button() -> None:
    """The first five have numbers; a number on the wheel is a click away."""
    moment = after("roulette")
    assert len(moment.offers) > 40
    assert [*available_actions(moment)] == [1, 2, 3, 4, 5, 6]
    buttons = observation(moment)["actions"][-1]["buttons"]
    clicked = [action_of(moment, 6, button["x"], button["y"]) for button in buttons]
    for offer in moment.offers:
        least = {key: value for key, value in offer.items() if key not in {"min", "max"}}
        assert least | ({"amount": offer["min"]} if "min" in offer else {}) in clicked


@pytest.mark.parametrize("game_type", EXAMINED | OTHERS)
def test_all_actions_are_offered(game_type: str) -> None:
    """By numbers and by clicks on random pixels; without an offer there is no action."""
    dice = random.Random(f"clicks of {game_type}")
    for moment in moments(game_type, 40):
        available = available_actions(moment)
        assert bool(available) is bool(moment.offers)
        assert [*available] == sorted({*available} & {1, 2, 3, 4, 5, 6})
        assert (6 in available) is bool(moment.offers)
        for number in range(8):
            action = action_of(moment, number)
            assert (action is not None) is (number in available and number != 6)
            assert action is None or checked(action, moment.offers) == action
        for _ in range(10):
            x, y = dice.randrange(64), dice.randrange(46, 64)
            action = action_of(moment, 6, x, y)
            assert action is None or checked(action, moment.offers) == action


def shown_to_be_clicked(game_type: str) -> list[Moment]:
    by_labels = {}
    for moment in moments(game_type, 20):
        if moment.offers:
            buttons = observation(moment)["actions"][-1]["buttons"]
            by_labels[tuple(button["label"].split()[0] for button in buttons)] = moment
    return list(by_labels.values())[:3]


@pytest.mark.parametrize("game_type", EXAMINED | OTHERS)
def test_every_pixel_of_a_button_gives_its_action_and_every_other_none(game_type: str) -> None:
    """Buttons and slider lie in the strip, apart from each other, and are drawn where they are."""
    for moment in shown_to_be_clicked(game_type):
        clicks = observation(moment)["actions"][-1]
        assert clicks["number"] == 6
        slider = clicks["slider"]
        rectangles = [*clicks["buttons"], *([slider] if slider else [])]
        places = {
            (x, y): rectangle
            for rectangle in rectangles
            for x in range(rectangle["x"], rectangle["x"] + rectangle["width"])
            for y in range(rectangle["y"], rectangle["y"] + rectangle["height"])
        }
        assert len(places) == sum(place["width"] * place["height"] for place in rectangles)
        assert {y for _, y in places} <= {*range(52, 64)}
        frame = render(moment)
        for x in range(64):
            for y in range(64):
                place = places.get((x, y))
                action = action_of(moment, 6, x, y)
                if place is None:
                    assert action is None
                elif "action" in place:
                    assert action == place["action"]
                else:
                    assert action is not None
                    assert action["action_type"] == slider["action_type"]
        edges = {
            (x, rectangle["y"])
            for rectangle in rectangles
            for x in range(rectangle["x"], rectangle["x"] + rectangle["width"])
        }
        assert all(frame[y][x] != BLACK for x, y in edges)
        strip = {(x, y) for x in range(64) for y in range(52, 64)}
        assert all(frame[y][x] == BLACK for x, y in strip - places.keys())


@pytest.mark.parametrize("game_type", ["texas-holdem", "blackjack"])
def test_the_slider_rises_from_the_least_to_the_largest_amount(game_type: str) -> None:
    moment = after(game_type)
    slider = observation(moment)["actions"][-1]["slider"]
    columns = range(slider["x"], slider["x"] + slider["width"])
    actions = [action_of(moment, 6, x, slider["y"]) or {} for x in columns]
    amounts = [action["amount"] for action in actions]
    (offer,) = [offer for offer in moment.offers if "min" in offer]
    assert (amounts[0], amounts[-1]) == (offer["min"], offer["max"])
    steps = {after - before for before, after in pairwise(amounts)}
    assert max(steps) - min(steps) <= 1


@pytest.mark.parametrize(
    ("x", "y"),
    [(None, None), (3, None), (None, 60), (-1, 60), (64, 60), (3, 64), (10**30, 60)],
)
def test_a_click_beside_the_frame_is_no_action(x: int | None, y: int | None) -> None:
    assert action_of(after("texas-holdem"), 6, x, y) is None


def test_the_observation_says_what_every_number_does() -> None:
    """With the chips of a call, and the state as the game shows it."""
    moment = after("texas-holdem", {"action_type": "raise", "amount": 20}, first=False)
    seen = observation(moment)
    labels = {action["number"]: action.get("label") for action in seen["actions"]}
    assert labels == {
        1: "fold",
        2: "call 18",
        3: "raise 38 (min)",
        4: "raise 60 (pot)",
        5: "all-in 200",
        6: None,
    }
    assert seen["state"] == moment.state
    assert seen["offers"] == [*moment.offers]
    assert seen["standing"]["target"] == 240
    assert observation(after("kuhn_poker", first=False))["actions"] == []
