"""A match is run by calls: begun once, waited for, found again, resumed."""

import asyncio
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from casino_agentkit.card_key import CardKey, sealed_by
from casino_contracts import RunMatchOutput
from casino_match.executors.executor import LocalExecutor
from support.match.plans import played

from .conftest import (
    KEY,
    LONG_MS,
    PLAN,
    match_service,
    play_a_block,
    play_here,
)

SAME = {
    "players": ["tight", "caller"],
    "deal": {"seed": "a seed", "decks": 8, "decks_per_block": 2},
}
"""The plan with the words of a plan file."""


def seedless(**deal: Any) -> Mapping[str, Any]:
    """Return the plan without its seed."""
    return {**PLAN, "deal": {"decks": 8, "decksPerBlock": 2, **deal}}


@pytest.mark.full
async def test_a_match_of_styles_has_the_result_that_it_has_anywhere(tmp_path: Path) -> None:
    """Played in a process of its own; plan and result have the digests of the library's."""
    expected = played(tmp_path / "library", SAME, LocalExecutor())
    async with match_service(tmp_path, processes=1) as service:
        reply = await service.run(plan=PLAN, waitMs=LONG_MS)
    assert (reply.status, reply.decks, reply.of, reply.error) == ("complete", 8, 8, None)
    assert reply.result is not None
    assert reply.plan_digest == expected.plan_digest == reply.result.plan_digest
    assert reply.result.digest == expected.digest
    assert reply.result.pairs == expected.pairs
    key = CardKey.kept_at(tmp_path / "card-key.pem").public.thumbprint
    assert sealed_by(json.loads(reply.result.wire())) == key


async def test_the_same_plan_is_the_same_match(tmp_path: Path) -> None:
    """By plan, by id, in other words, at the same time, and after a restart."""
    async with match_service(tmp_path, play_here) as service:
        first, other = await asyncio.gather(
            service.run(plan=PLAN, waitMs=LONG_MS),
            service.run(plan={**PLAN, "rules": {"stack": 200, "clock": "10s"}}, waitMs=LONG_MS),
        )
        again = await service.run(matchId=first.match_id)
        assert len(service.kept) == 1
    async with match_service(tmp_path, play_here) as service:
        later = await service.run(plan=PLAN, matchId=first.match_id)
        assert len(service.kept) == 1
    assert first.status == "complete"
    assert first == other == again == later


async def test_a_seed_is_drawn_once_and_another_one_is_another_match(tmp_path: Path) -> None:
    """The same plan without a seed goes on with the seed of its first call."""
    async with match_service(tmp_path, play_here) as service:
        first = await service.run(plan=seedless(), waitMs=LONG_MS)
        again = await service.run(plan=seedless(), waitMs=LONG_MS)
        other = await service.run(plan=seedless(seed="2"), waitMs=LONG_MS)
        assert {path.name for path in service.kept} == {first.match_id, other.match_id}
    assert first == again
    assert first.result is not None
    assert first.result.plan["deal"]["seed"] == "drawn"
    assert first.plan_digest != other.plan_digest


async def test_decks_so_far_say_something(tmp_path: Path) -> None:
    """The estimate is of the first two players; its interval needs 30 decks."""
    plan = {**PLAN, "deal": {"seed": "s", "decks": 60, "decksPerBlock": 30}}
    async with match_service(tmp_path, play_a_block) as service:
        reply = await service.run(plan=plan, waitMs=LONG_MS)
    assert reply.running is not None
    assert (reply.running.first, reply.running.second) == ("tight", "caller")
    assert reply.running.decks == reply.decks == 30
    assert reply.running.half_width is not None
    assert reply.running.half_width > 0


async def test_a_repeated_request_gets_its_first_reply(tmp_path: Path) -> None:
    async with match_service(tmp_path, play_here) as service:
        first = await service.run(plan=PLAN, requestId="1")
        done = await service.run(plan=PLAN, requestId="2", waitMs=LONG_MS)
        again = await service.run(plan=PLAN, requestId="1")
    assert first == again
    assert first.status == "running"
    assert done.status == "complete"


@pytest.mark.parametrize("name", ["plan.json", "result.json"])
async def test_a_damaged_directory_is_a_failed_match(tmp_path: Path, name: str) -> None:
    async with match_service(tmp_path, play_here) as service:
        first = await service.run(plan=PLAN, waitMs=LONG_MS)
        (tmp_path / "matches" / first.match_id / name).write_text("{}")
        reply = await service.run(plan=PLAN)
    assert reply.status == "failed"
    assert reply.error is not None
    assert f"{name} is damaged" in reply.error


async def test_a_data_directory_that_is_gone_is_said(tmp_path: Path) -> None:
    """By the reply and by the readiness of the service, which is back with the directory."""
    async with match_service(tmp_path, play_here) as service:
        (tmp_path / "matches").rmdir()
        reply = await service.run(plan=PLAN)
        assert (await service.request("GET", "/readyz")).status_code == 503
        (tmp_path / "matches").mkdir()
        assert (await service.run(plan=PLAN, waitMs=LONG_MS)).status == "complete"
        assert (await service.request("GET", "/readyz")).status_code == 200
    assert reply.status == "failed"
    assert reply.error is not None
    assert "matches cannot be read" in reply.error


PAGE = (Path(__file__).parents[3] / "docs/matches.md").read_text()
_CALL = re.compile(
    r"^curl -s http://127\.0\.0\.1:4070(?P<path>/\S+) (?P<headers>.*?) -d '(?P<body>.*?)' \| jq",
    re.DOTALL | re.MULTILINE,
)


async def test_the_call_of_the_page_runs_a_match(tmp_path: Path) -> None:
    call = _CALL.search(PAGE)
    assert call is not None
    pairs = re.findall(r"-H ['\"](.*?): (.*?)['\"]", call["headers"])
    headers = {name: value.replace("$KEY", KEY) for name, value in pairs}
    assert len(headers) == 4
    async with match_service(tmp_path, play_here) as service:
        reply = await service.request("POST", call["path"], headers=headers, content=call["body"])
        card = (await service.request("GET", "/.well-known/agent-card.json")).json()
    output = RunMatchOutput.model_validate(reply.json()["result"]["message"]["parts"][0]["data"])
    assert (output.status, output.decks) == ("complete", 100)
    assert [skill["id"] for skill in card["skills"]] == ["runMatch"]
    assert set(card["securitySchemes"]) == {"operatorKey"}
