"""A JSON object is found in the text of a model, with bounded work."""

import cProfile
import json
from json import JSONDecoder
from typing import Any

import pytest
from casino_games.json_in_text import LONGEST_TEXT, find_object
from hypothesis import given
from hypothesis import strategies as st

ACTION = {"action_type": "CALL"}
TEXT = json.dumps(ACTION)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (TEXT, ACTION),
        (f"Hm. {TEXT} Done.", ACTION),
        (f"```json\n{TEXT}\n```", ACTION),
        (f"```\n{TEXT}\n```", ACTION),
        (f"``` {TEXT}```", ACTION),
        (f"```JSON5\n// so\n{TEXT}\n```", ACTION),
        (f'first {{"a": 1}}, then {TEXT}', ACTION),
        (f'```json\n{{"a": 1}}\n```\nand\n```json\n{TEXT}\n```', ACTION),
        (f'bare {{"action_type": "FOLD"}} before\n```json\n{TEXT}\n```', ACTION),
        (f"a brace {{ of prose, {{and more}}, {TEXT}", ACTION),
        (f"an open fence ```json\n{TEXT}", ACTION),
        (f'{{"action": {TEXT}}}', ACTION),
        (f'{{"a": [[{{"b": {TEXT}}}]]}}', ACTION),
        ('{"a": {"b": 1}} {"c": 2}', {"a": {"b": 1}}),
        (
            r'{"why": "a } and a { and a \" too", "action_type": "CALL"}',
            {"why": 'a } and a { and a " too', "action_type": "CALL"},
        ),
        (f'{{"why": "unfinished {TEXT}', ACTION),
        (f'{{"n": NaN}} {{"n": {"9" * 5000}}} {TEXT}', ACTION),
    ],
)
def test_the_answer_is_found(text: str, value: Any) -> None:
    """Fences first, then what has an `action_type`, then the first object."""
    found = find_object(text)
    assert found is not None
    assert found.value == value


@pytest.mark.parametrize(
    "text", ["", "CALL", "[1, 2]", "{", "}{", "{'action_type': 'CALL'}", "```"]
)
def test_nothing_is_found_where_there_is_no_object(text: str) -> None:
    assert find_object(text) is None


@pytest.mark.parametrize(
    ("text", "before"),
    [(f"so: {TEXT}", "so: "), (f"so:\n```json\n{TEXT}```", "so:\n"), (f'x {{"a": {TEXT}}}', "x ")],
)
def test_an_object_begins_with_its_fence_or_the_outermost_brace(text: str, before: str) -> None:
    found = find_object(text)
    assert found is not None
    assert text[: found.start] == before


def test_what_stands_behind_the_cut_is_not_read() -> None:
    assert find_object(" " * (LONGEST_TEXT - len(TEXT)) + TEXT) is not None
    assert find_object(" " * LONGEST_TEXT + TEXT) is None


@pytest.mark.parametrize(
    "hostile",
    [
        "{",
        '{"a":',
        '{"a":[',
        "[" * 50 + "{",
        '{"',
        '{"\\',
        '{"a":"',
        "```{",
        "```",
        '{"a":1}',
        '{"a":{"a":1},',
        '{"a":' + "9" * 4000 + ",",
        '{"a":1e999,',
    ],
)
def test_no_text_is_tried_everywhere(hostile: str) -> None:
    """However many objects begin in it, not even one at every seventh character is tried."""
    for text in (
        hostile * (1_000_000 // len(hostile)),
        hostile * (60_000 // len(hostile)) + "}" * 5_000,
    ):
        profile = cProfile.Profile()
        profile.runcall(find_object, text)
        attempts = [
            entry.callcount
            for entry in profile.getstats()
            if entry.code is JSONDecoder.raw_decode.__code__
        ]
        assert sum(attempts) <= LONGEST_TEXT // len('{"a":1}') + 1


@given(st.text(alphabet='{}[]":,\\`a1 \n', max_size=300) | st.text(max_size=100))
def test_any_text_is_answered(text: str) -> None:
    """With an object or with nothing, never with an error."""
    found = find_object(text)
    assert found is None or isinstance(found.value, dict)
