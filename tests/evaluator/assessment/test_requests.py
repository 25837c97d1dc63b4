"""Requests that cannot be taken: the task is rejected, and its message names the field."""

import json
from typing import Any

import pytest
from evaluator.assessment.assessing import KUHN, WINS, assessing

ALICE = {"alice": WINS}
REFUSED: dict[str, tuple[Any, str]] = {
    "nothing": ({}, "participants: is required"),
    "no object": ([1], "request: must be an object"),
    "nobody": ({"participants": {}}, "participants: must have at least 1 item"),
    "too many": ({"participants": {str(n): WINS for n in range(17)}}, "participants: must have"),
    "no URL": ({"participants": {"alice": "alice"}}, "participants.alice: must be an absolute"),
    "a number": ({"participants": {"alice": 7}}, "participants.alice: must be a string"),
    "a role of control characters": ({"participants": {"a\x1b": WINS}}, "must be printable"),
    "a role that is a result": ({"participants": {"draw": WINS}}, "must not be 'draw'"),
    "an unknown field": ({"participants": ALICE, "agents": {}}, "agents: is unknown"),
    "unknown config": ({"participants": ALICE, "config": {"game": "x"}}, "config.game: is unknown"),
    "config null": ({"participants": ALICE, "config": None}, "config: must be an object"),
    "unknown game": (
        {"participants": ALICE, "config": {"games": ["kuhn", "ches"]}},
        f"config.games.1: game ches not found; there are {KUHN.game_id}",
    ),
    "no games": ({"participants": ALICE, "config": {"games": []}}, "config.games: must have"),
    "games as text": ({"participants": ALICE, "config": {"games": "kuhn"}}, "config.games: must"),
    "no levels": ({"participants": ALICE, "config": {"levels": 0}}, "config.levels: must be"),
    "half a level": ({"participants": ALICE, "config": {"levels": 1.5}}, "config.levels: must be"),
    "truth": ({"participants": ALICE, "config": {"levels": True}}, "config.levels: must be"),
    "long seed": ({"participants": ALICE, "config": {"seed": "s" * 129}}, "config.seed: must"),
    "no time": (
        {"participants": ALICE, "config": {"action_timeout_ms": 1}},
        "config.action_timeout_ms: must be at least 100",
    ),
}


@pytest.mark.parametrize(("sent", "named"), REFUSED.values(), ids=REFUSED)
async def test_a_wrong_request_is_rejected(sent: Any, named: str) -> None:
    async with assessing() as caller:
        answer = await caller.ask(sent)
        assert not caller.runs.asked
    assert answer.states == ["REJECTED"]
    assert named in answer.messages[0]


@pytest.mark.parametrize("text", ["hello", '{"participants": {"a": NaN}}', ""])
async def test_text_without_json_is_rejected(text: str) -> None:
    async with assessing() as caller:
        answer = await caller.ask(text, as_text=True)
    assert answer.states == ["REJECTED"]
    assert '{"participants": {"alice": ' in answer.messages[0]


async def test_json_may_be_sent_as_text() -> None:
    async with assessing() as caller:
        request = {"participants": ALICE, "config": {"games": ["kuhn", KUHN.game_id]}}
        answer = await caller.ask(json.dumps(request), as_text=True)
    assert answer.result["winner"] == "alice"
    assert list(answer.result["detail"]["participants"]["alice"]["games"]) == [KUHN.game_id]
