"""The one answer in a text of a language model is found, and nothing is guessed."""

import pytest
from casino_agentkit.answer_in_text import Answer, Sought, Unread, read_answer


def _action(document: dict[str, object]) -> dict[str, object]:
    if document.get("action") not in {"fold", "call"}:
        raise ValueError("action: must be fold or call")
    return {"action": document["action"]}


SOUGHT = Sought(_action, dict, words=("fold", "call"), reads_words=True)


@pytest.mark.parametrize(
    "text",
    [
        '<think>Range {TT+, AK}.</think>\n{"action": "call"}',
        'Draft:\n```json\n{"action": "fold"}\n```\nFinal answer:\n```json\n{"action": "call"}\n```',
        "I call.",
    ],
)
def test_the_answer_is_found(text: str) -> None:
    read = read_answer(text, SOUGHT)
    assert isinstance(read, Answer)
    assert read.value == {"action": "call"}


def test_a_choice_is_a_fault_that_names_both() -> None:
    read = read_answer('{"action": "fold"} or {"action": "call"}', SOUGHT)
    assert isinstance(read, Unread)
    assert "fold at character 0 and call at character 22" in read.message
