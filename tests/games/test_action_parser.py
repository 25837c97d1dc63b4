"""The shared parser finds the intended action, guesses nothing, and always returns."""

import random
from typing import Any

import pytest
from casino_agentkit.answer_in_text import TextAnswer
from casino_games import ActionParseError, JsonActionParser, offers
from hypothesis import given
from hypothesis import strategies as st

BET: dict[str, Any] = {"action_type": "BET", "min": 1, "max": 50}
ALL_IN: dict[str, Any] = {"action_type": "ALL_IN"}
CARDS: list[dict[str, Any]] = [{"action_type": "PLAY_CARD", "card": card} for card in (3, 7)]
ACTIONS = [BET, ALL_IN, *CARDS]
STRICT = JsonActionParser(fallback_to_random=False)


@pytest.mark.parametrize(
    ("parsed", "meant"),
    [
        ({"action_type": "all-in"}, ALL_IN),
        ({"action_type": " All  In "}, ALL_IN),
        ({"action": "all in"}, ALL_IN),
        ({"action": {"action_type": "ALL_IN"}}, ALL_IN),
        ({"action_type": "bet", "amount": 20}, {"action_type": "BET", "amount": 20}),
        ({"action_type": "bet", "amount": 20.0}, {"action_type": "BET", "amount": 20}),
        ({"action_type": "bet", "amount": " 20 "}, {"action_type": "BET", "amount": 20}),
        ({"action_type": "play card", "card": "7"}, CARDS[1]),
        ({"action_type": "play_card", "card": 3, "reasoning": "low"}, CARDS[0]),
    ],
)
def test_what_was_meant_is_found(parsed: dict[str, Any], meant: dict[str, Any]) -> None:
    """Case, separators and the kind of number make no difference."""
    assert STRICT.find_meant_action(parsed=parsed, valid_actions=ACTIONS) == meant
    assert STRICT.find_closest_action(parsed=parsed, valid_actions=ACTIONS) == meant


@pytest.mark.parametrize(
    "parsed",
    [
        {},
        {"action_type": None},
        {"action_type": 7},
        {"action_type": "allin!"},
        {"action_type": "BET"},
        {"action_type": "BET", "amount": 51},
        {"action_type": "BET", "amount": 0},
        {"action_type": "BET", "amount": True},
        {"action_type": "BET", "amount": 20.5},
        {"action_type": "BET", "amount": float("inf")},
        {"action_type": "BET", "amount": "²"},
        {"action_type": "BET", "amount": "9" * 5000},
        {"action_type": "PLAY_CARD"},
        {"action_type": "PLAY_CARD", "card": 5},
        {"action_type": "PLAY_CARD", "card": True},
        {"action": ["all-in"]},
    ],
)
def test_nothing_is_guessed_or_clamped(parsed: dict[str, Any]) -> None:
    """An amount outside the range is another bet, and one of two cards is a choice."""
    assert STRICT.find_meant_action(parsed, ACTIONS) is None


@pytest.mark.parametrize(
    ("parsed", "closest"),
    [
        ({"action_type": "PLAY_CARD"}, CARDS[0]),
        ({"action_type": "play card", "card": 5}, CARDS[0]),
        ({"action_type": "PLAY_CARD", "card": "7", "why": "high"}, CARDS[1]),
        ({"action_type": "BET", "amount": 51}, {"action_type": "BET", "amount": 50}),
        ({"action_type": "BET", "amount": -3}, {"action_type": "BET", "amount": 1}),
        ({"action_type": "BET"}, {"action_type": "BET", "amount": 1}),
        ({"action_type": "FOLD"}, None),
        ({}, None),
    ],
)
def test_the_closest_action_is_one_of_the_same_type(
    parsed: dict[str, Any], closest: dict[str, Any] | None
) -> None:
    """As the interface says: matched by `action_type`; equal parameters decide among several."""
    assert STRICT.find_closest_action(parsed, ACTIONS) == closest


def test_a_parameter_may_be_missing_where_one_action_is_left() -> None:
    """There is nothing else it could mean."""
    assert STRICT.find_meant_action({"action_type": "play_card"}, [BET, CARDS[0]]) == CARDS[0]


def test_unreadable_text_is_an_error_or_a_random_action() -> None:
    """As the constructor's setting says; by default a random action, as the interface says."""
    with pytest.raises(ActionParseError, match="no JSON object") as caught:
        STRICT.parse("I might bet!", ACTIONS)
    assert caught.value.raw_output == "I might bet!"
    with pytest.raises(ActionParseError, match="no valid action: .*BET"):
        STRICT.parse('{"action_type": "FOLD"}', ACTIONS)
    with pytest.raises(ActionParseError, match="fold in words at character 0: .* no valid action"):
        STRICT.parse("I fold!", ACTIONS)
    action = JsonActionParser().parse("I fold!", ACTIONS)
    assert offers.match(action, ACTIONS) == action


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("I bet 20.", {"action_type": "BET", "amount": 20}),
        ("All-in", ALL_IN),
        ("Play card", None),
        ("PLAY_CARD 7", None),
        ("I hit.", None),
    ],
)
def test_words_are_an_action_of_any_game(text: str, action: dict[str, Any] | None) -> None:
    """But not one that another parameter than an amount chooses."""
    read = STRICT.read(text, ACTIONS)
    assert (read.value if isinstance(read, TextAnswer) else None) == action
    assert not isinstance(STRICT.read("play card 7", [CARDS[0]]), TextAnswer)


def test_random_actions_follow_the_generator() -> None:
    """The one that is passed in, or the parser's own, which always starts the same."""

    def drawn(rng: random.Random | None) -> list[dict[str, Any]]:
        parser = JsonActionParser(rng=rng)
        return [parser.get_random_action(ACTIONS) for _ in range(20)]

    assert drawn(None) == drawn(None)
    assert drawn(random.Random(5)) == drawn(random.Random(5)) != drawn(random.Random(6))
    state = random.getstate()
    drawn(None)
    assert random.getstate() == state


def test_reasoning_is_what_stands_before_the_object() -> None:
    assert STRICT.extract_reasoning('I am weak. {"action_type": "BET"}') == "I am weak."
    assert STRICT.extract_reasoning('Weak.\n```json\n{"action_type": "BET"}\n```') == "Weak."
    assert STRICT.extract_reasoning(" only words ") == "only words"
    thought = '<think>Weak?</think> Yes. {"action_type": "BET"}<think>Or?</think>'
    assert STRICT.extract_reasoning(thought) == "Weak?\nOr?\nYes."


@given(st.text(alphabet='{}[]":,\\`aBET_ctionype 120 \n', max_size=200) | st.text(max_size=100))
def test_any_text_gives_a_legal_action_or_the_one_error(text: str) -> None:
    assert offers.match(action := JsonActionParser().parse(text, ACTIONS), ACTIONS) == action
    try:
        strict = STRICT.parse(text, ACTIONS)
    except ActionParseError:
        return
    assert offers.match(strict, ACTIONS) == strict
