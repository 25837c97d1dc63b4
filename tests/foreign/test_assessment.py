"""A client of a2a-sdk 0.3 has two sample players and a stock-SDK player assessed, all processes."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from support.evaluator.arc_client import KEY
from support.evaluator.live_evaluator import LiveEvaluator, live_evaluator
from support.players.foreign import foreign_agent, output_of, program, some_are_prepared

pytestmark = [
    pytest.mark.foreign,
    pytest.mark.full,
    pytest.mark.asyncio(loop_scope="module"),
]

CONFIG = {"games": ["hold"], "seed": "of the test"}
HANDS = 8
"""Of both levels."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live() -> AsyncIterator[LiveEvaluator]:
    """Run a casino with an evaluator."""
    some_are_prepared()
    async with live_evaluator(tables=8) as live:
        yield live


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def answer(live: LiveEvaluator) -> AsyncIterator[dict[str, Any]]:
    """Assess two callers, a folder of another SDK, and one who is not there."""
    sample = [(await live.casino.sample("caller")).cards[0] for _ in range(2)]
    async with foreign_agent("sdk_0_3", "task") as stock:
        participants = {
            "first": sample[0],
            "second": sample[1],
            "stock": stock,
            "gone": "http://127.0.0.1:9/",
        }
        request = json.dumps({"participants": participants, "config": CONFIG})
        yield json.loads(await output_of(program("sdk_0_3", "assess"), live.url, request, KEY))


async def test_the_task_is_completed_with_a_result(answer: dict[str, Any]) -> None:
    """Updates and artifacts are streamed; the one who is not there gets a result, too."""
    assert answer["state"] == "completed", answer["messages"]
    assert any(text.startswith("stock: HOLD, level 1 of 2: ") for text in answer["messages"])
    result = answer["artifacts"]["EvalResult"]
    roles = {"first", "second", "stock", "gone"}
    assert set(answer["streamed"]) == {"EvalResult", *(f"scorecard {role}" for role in roles)}
    assert result["winner"] in roles | {"draw"}
    participants = result["detail"]["participants"]
    assert set(participants) == roles
    for role in roles - {"gone"}:
        (game,) = participants[role]["games"].values()
        assert game["actions"] >= 1, (role, game)
        assert game["not_own_actions"] == 0, (role, game)
        assert game["hands"] >= 1, (role, game)
        assert "message" not in game
    (game,) = participants["gone"]["games"].values()
    assert (game["actions"], game["hands"]) == (0, 0)
    assert game["message"]
