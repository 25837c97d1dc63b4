"""Hands against house styles, served by OpenEnv 0.10.0: its client and `verifiers` play them."""

import json
import sys
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from casino_match.play.learner_table import LearnerTable
from support.players.foreign import output_of, program, served_by, some_are_prepared

pytestmark = [
    pytest.mark.foreign,
    pytest.mark.full,
    pytest.mark.asyncio(loop_scope="module"),
]
MOST_T = 4.0
"""Of a mean of 0; the hands are always the same ones."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def url() -> AsyncIterator[str]:
    some_are_prepared()
    async with served_by("openenv", "server", "/health") as url:
        yield url


async def played(url: str, part: str) -> dict[str, Any]:
    """Return what OpenEnv's own client saw in a part of `sessions.py`."""
    printed = await output_of(program("openenv", "sessions"), url, part)
    content: dict[str, Any] = json.loads(printed.splitlines()[-1])
    return content


async def test_its_client_plays_1000_hands_and_rewards_vary_less_than_nets(url: str) -> None:
    seen = await played(url, "hands")
    sys.stdout.write(json.dumps(seen))
    assert seen["hands"] == 1000
    assert seen["ratio"] == pytest.approx(seen["variance_net"] / seen["variance_reward"])
    assert seen["ratio"] > 3
    assert abs(seen["paired_t"]) < MOST_T


async def test_every_game_and_every_number_of_seats(url: str) -> None:
    seen = await played(url, "games")
    assert len(seen) == 5 + 8
    for end in seen.values():
        assert end["outcome"] in {None, "ok"}
        assert end["reward"] == pytest.approx(end["net"] - end["luck"], abs=1e-6)


async def test_sessions_do_not_mix_and_equal_seeds_and_actions_give_equal_hands(url: str) -> None:
    assert (await played(url, "apart"))["observations"] > 100


async def test_bad_input_is_an_error_of_the_protocol_and_the_session_goes_on(url: str) -> None:
    seen = await played(url, "errors")
    assert seen.pop("outcomes") == ["rejected", "illegal"]
    state = seen.pop("state")
    assert (state["order"]["seed"], state["faults"]) == (1, 2)
    assert "VALIDATION_ERROR" in seen.pop("action of another type")
    for name, named in {
        "step before reset": "reset deals first",
        "unknown game": "no game is called 'chess'",
        "1 seat": "seats:",
        "10 seats": "seats:",
        "seats as text": "seats:",
        "seating": "seating: 3",
        "seed": "seed:",
        "style": "opponents: there is no style reckless",
        "opponents": "opponents: 3 seats have 2",
        "opponents of another game": "opponents: of kuhn_poker",
        "config": "big_blind:",
        "unknown field": "color:",
        "step after the end": "the hand is over",
    }.items():
        said = seen.pop(name)
        assert named in said
        assert "EXECUTION_ERROR" in said
    assert not seen


async def test_verifiers_plays_and_rewards_what_the_table_says(url: str) -> None:
    """By its own taskset for OpenEnv, with a scripted model that checks or calls."""
    printed = await output_of(program("verifiers", "rollouts"), url)
    rollouts = json.loads(printed.splitlines()[-1])
    assert len(rollouts) == 3
    for rollout in rollouts:
        table = LearnerTable()
        view = table.deal(**rollout["reset"])
        answers = 0
        while view.result is None:
            kinds = [offer["action_type"] for offer in view.legal_actions]
            view = table.answer(next(kind for kind in ("check", "call", *kinds) if kind in kinds))
            answers += 1
        assert rollout["ok"], rollout
        assert (rollout["rewards"], rollout["answers"]) == ([view.result], answers)
