"""One answer is read in a text with its place and thoughts, with bounded work for any text."""

import cProfile
import json
from json import JSONDecoder
from typing import Any

import pytest
from casino_agentkit.answer_in_text import Sought, TextAnswer, Unread, read_answer
from casino_agentkit.json_in_text import LONGEST_TEXT
from hypothesis import given
from hypothesis import strategies as st

CALL = {"action": "call"}
TEXT = json.dumps(CALL)


def _action(document: dict[str, Any]) -> dict[str, Any]:
    if document.get("action") not in ("fold", "call"):
        raise ValueError("action: must be fold or call")
    return {"action": document["action"]}


SOUGHT = Sought(_action, dict, words=("fold", "call"), reads_words=True)


@pytest.mark.parametrize(
    ("before", "answer", "after", "document"),
    [
        ("so: ", TEXT, " I call.", CALL),
        ("x [", TEXT, "]", CALL),
        ("x ", f'{{"output": {TEXT}}}', "", {"output": CALL}),
        ("Fine. ", "I call", ".", {}),
    ],
)
def test_an_answer_has_its_place_and_its_object(
    before: str, answer: str, after: str, document: dict[str, Any]
) -> None:
    """The outermost object is the document; words have none."""
    read = read_answer(before + answer + after, SOUGHT)
    end = len(before + answer)
    assert read == TextAnswer(CALL, document, len(before), end)


def test_thoughts_are_kept_apart() -> None:
    read = read_answer(f"<think>Fold?</think>{TEXT}<think>Good.</think>", SOUGHT)
    assert isinstance(read, TextAnswer)
    assert read.thoughts == "Fold?\nGood."


def test_a_fault_has_its_place() -> None:
    read = read_answer(f"{TEXT[:-1]},}}", SOUGHT)
    assert isinstance(read, Unread)
    assert (read.place, read.document) == (17, None)
    read = read_answer('So {"action": "limp"}', SOUGHT)
    assert isinstance(read, Unread)
    assert (read.place, read.document) == (3, {"action": "limp"})
    assert read.message == "action: must be fold or call (the object at character 3)"


def test_a_text_that_is_too_long_has_no_answer() -> None:
    """The last answer in it might be another one."""
    padding = " " * (LONGEST_TEXT - len(TEXT))
    assert isinstance(read_answer(padding + TEXT, SOUGHT), TextAnswer)
    for text in (padding + TEXT + " ", TEXT + padding + " "):
        assert read_answer(text, SOUGHT) == Unread(
            f"the text is longer than {LONGEST_TEXT} characters", LONGEST_TEXT
        )


HOSTILE = [
    *("{", '{"a":', '{"a":[', "[" * 50 + "{", '{"', '{"\\', '{"a":"', "```", '{"a":1}'),
    *('{"a":{"a":1},', '{"a":' + "9" * 4000 + ",", '{"a":1e999,', '{"action":', '"{\\"', "<think>"),
    *('{"action":"fold"}', '{"action":"call",}', "I call. ", "I call,", "call\n", "</think>", "< "),
    *('{"action":"\\"', '{"output":"{\\"output\\":', "<think><reasoning>", "\n", "wait", "or "),
    pytest.param("```{", marks=pytest.mark.full),
]  # fmt: skip


@pytest.mark.parametrize("hostile", HOSTILE)
def test_no_text_is_tried_everywhere(hostile: str) -> None:
    """However many objects begin in it, few are tried, and few steps are taken at all."""
    for start, end in (("", ""), (TEXT, ""), ("", TEXT), ('{"x":"', "")):
        inner = hostile * (LONGEST_TEXT // len(hostile))
        text = start + inner[: LONGEST_TEXT - len(start) - len(end)] + end
        profile = cProfile.Profile()
        profile.runcall(read_answer, text, SOUGHT)
        calls = {entry.code: entry.callcount for entry in profile.getstats()}
        assert calls.get(JSONDecoder.raw_decode.__code__, 0) <= 1_000
        assert sum(calls.values()) <= 8 * LONGEST_TEXT


@given(st.text(alphabet='{}[]":,\\`afoldction1 \n', max_size=300) | st.text(max_size=100))
def test_any_text_is_answered(text: str) -> None:
    """With an answer or a fault, never with an error."""
    read = read_answer(text, SOUGHT)
    assert isinstance(read, Unread) or read.value["action"] in text.casefold()
