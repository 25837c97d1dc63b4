"""Whatever a moment holds, it gives a frame, and every action is offered."""

import json
from dataclasses import replace
from typing import Any

import pytest
from casino_evaluator.domain.evaluation_session import LevelStanding, Moment
from casino_evaluator.frames.controls import action_of, available_actions, observation
from casino_evaluator.frames.render import render
from casino_evaluator.frames.state_values import short
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.evaluator.dealt_moments import CANDIDATE, EXAMINED, OPPONENT, OTHERS, moments

Json = dict[str, Any]

WITHOUT_DEADLINE = settings(
    deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow]
)
TYPES = [*EXAMINED, *OTHERS, "another game"]
REAL = [moment for game_type in EXAMINED | OTHERS for moment in moments(game_type, 2)]
KEYS = sorted({key for moment in REAL for key in str(moment.state).split("'")[1::2]})
LARGE = 2**53
numbers = st.integers(-LARGE, LARGE) | st.integers(-3, 300)
words = st.sampled_from([*KEYS, "Ah", "Tc", "candidate", "🂡", "", "x" * 500]) | st.text(max_size=9)
leaves = st.none() | st.booleans() | numbers | st.floats() | words
junk = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(words, inner, max_size=6),
    max_leaves=20,
)
offers = st.fixed_dictionaries(
    {"action_type": st.sampled_from(["fold", "call", "raise", "all-in", "BET", "HIT", "x"]) | junk},
    optional={"min": numbers | junk, "max": numbers | junk, "card": junk, "amount": junk},
)


def is_frame(frame: list[list[int]]) -> bool:
    """Return whether these are 64 x 64 colours 0 to 15."""
    return len(frame) == 64 and all(
        len(row) == 64 and all(type(colour) is int and 0 <= colour <= 15 for colour in row)
        for row in frame
    )


def check(moment: Moment) -> None:
    """Draw, observe and use every control."""
    assert is_frame(render(moment))
    assert json.dumps(observation(moment))
    available = available_actions(moment)
    assert {*available} <= {1, 2, 3, 4, 5, 6}
    for number in (*available, 0, 7, -1):
        for x, y in ((0, 0), (0, 60), (31, 53), (63, 63)):
            action = action_of(moment, number, x, y)
            assert number == 6 or (action is not None) is (number in available)


@st.composite
def spoiled(draw: st.DrawFn, value: Any) -> Any:
    """Return a JSON value of which a part is replaced by junk."""
    if not isinstance(value, dict | list) or not value or draw(st.integers(0, 4)) == 0:
        return draw(junk)
    if isinstance(value, dict):
        key = draw(st.sampled_from(sorted(value)))
        return {**value, key: draw(spoiled(value[key]))}
    place = draw(st.integers(0, len(value) - 1))
    return [*value[:place], draw(spoiled(value[place])), *value[place + 1 :]]


@WITHOUT_DEADLINE
@given(
    st.sampled_from(TYPES),
    junk,
    junk,
    st.lists(offers, max_size=12),
    st.none() | st.fixed_dictionaries({"scores": junk, "public": junk}),
    st.tuples(numbers, numbers, numbers, numbers, numbers, numbers),
)
def test_junk_gives_a_frame(
    game_type: str,
    public: Any,
    private: Any,
    available: list[Json],
    result: Json | None,
    chips: tuple[int, int, int, int, int, int],
) -> None:
    state = {"public": public, "private": private}
    check(
        Moment(
            game_type,
            chips[0],
            CANDIDATE,
            OPPONENT,
            state,
            LevelStanding(*chips),
            tuple(available),
            result,
        )
    )


@WITHOUT_DEADLINE
@given(st.data(), st.sampled_from(REAL))
def test_a_real_state_with_a_wrong_part_gives_a_frame(data: st.DataObject, moment: Moment) -> None:
    check(replace(moment, state=data.draw(spoiled(moment.state))))


@pytest.mark.parametrize("count", [0, 1, 5, 6, 9, 10, 63, 64, 128, 129, 1000])
def test_any_number_of_offers_has_buttons_in_the_strip(count: int) -> None:
    moment = replace(REAL[0], offers=tuple({"action_type": "X", "card": n} for n in range(count)))
    check(moment)
    actions = observation(moment)["actions"]
    assert len(actions) == min(count, 5) + bool(count)
    buttons = actions[-1]["buttons"] if actions else []
    assert len(buttons) == min(count, 128)
    for button in buttons:
        assert action_of(moment, 6, button["x"], button["y"]) == button["action"]


@WITHOUT_DEADLINE
@given(st.integers(-(10**40), 10**40), st.integers(0, 12))
def test_an_amount_never_takes_more_than_its_room(amount: int, room: int) -> None:
    text = short(amount, room)
    assert len(text) <= room
    if len(str(amount)) <= room:
        assert text == str(amount)


@pytest.mark.parametrize(
    ("amount", "room", "text"),
    [
        (0, 1, "0"),
        (999, 3, "999"),
        (1000, 3, "1K"),
        (1234, 3, "1K2"),
        (12_345, 3, "12K"),
        (12_345, 4, "12K3"),
        (123_456, 3, "0M1"),
        (-2_500_000, 4, "-2M5"),
        (2**53, 6, "9007T1"),
        (2**53, 3, "9P0"),
        (1234, 1, "+"),
    ],
)
def test_a_long_amount_has_a_unit(amount: int, room: int, text: str) -> None:
    assert short(amount, room) == text
