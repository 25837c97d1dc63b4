"""The official client of ARC-AGI-3 (`arc-agi` 0.9.9, unmodified) plays at a real evaluator."""

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import pytest_asyncio
from foreign.status_matrix import Matrix, Observed, Way
from support.evaluator.arc_client import KEY, OTHER_KEY, ArcClient
from support.evaluator.live_evaluator import LiveEvaluator, live_evaluator
from support.players.foreign import output_of, program, served_by, some_are_prepared
from support.processes import PATIENCE_S

pytestmark = [
    pytest.mark.foreign,
    pytest.mark.full,
    pytest.mark.asyncio(loop_scope="module"),
]

Json = dict[str, Any]
ENDS = {"WIN", "GAME_OVER"}
REFERENCE = Way(wins="tile-00000001", completes=1, loses="tile-00000001", loses_by=2)
OTHERWISE = {
    "games without a key": (200, 401),
    "a key for anybody": (404, 200),
    "a click without place": (500, 400),
    "a closed card": (404, 200),
}
"""Where we differ from the reference server: its status and ours."""
OF_DOWNLOADS = {"class_name", "date_downloaded", "default_fps"}
"""Keys of its games that the API's documents do not have: it plays files that it has downloaded."""
_PAGE = 100


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live() -> AsyncIterator[LiveEvaluator]:
    """Run a casino with an evaluator."""
    some_are_prepared()
    program("arc_agi", "play")
    async with live_evaluator(tables=8, CASINO_EVALUATOR_ROOMS="4") as live:
        yield live


async def played(live: LiveEvaluator, mode: str, *arguments: str) -> Json:
    """Let the client play all games with a random player; returns what it says."""
    printed = await output_of(program("arc_agi", "play"), live.url, mode, *arguments)
    content: Json = json.loads(printed.splitlines()[-1])
    assert content["faults"] == []
    return content


async def commands_of(client: ArcClient, guid: str) -> list[Json]:
    """Return the commands of a session, as the evaluator has recorded them."""
    commands: list[Json] = []
    while True:
        first = len(commands) + 1
        page = (await client.get(f"replay/{guid}?first={first}&limit={_PAGE}")).json()
        commands += page["commands"]
        if len(commands) >= page["commands_total"]:
            assert page["dropped"] == 0
            return commands


def totals(commands: list[Json]) -> tuple[int, int, int]:
    """Return the actions, level resets and runs that a session's commands make."""
    resets = [one for one in commands[1:] if one["action_input"]["id"] == 0]
    games = sum(one["full_reset"] for one in resets)
    level_resets = len(resets) - games
    return len(commands) - 1 - games, level_resets, 1 + games


async def check(live: LiveEvaluator, content: Json) -> None:
    """Check all that the client counted against the evaluator's record of its commands."""
    client = live.client(content["key"])
    card = content["card"]
    environments = {one["id"]: one for one in card["environments"]}
    assert set(environments) == {one["game_id"] for one in content["results"]}
    total = completed = 0
    for result in content["results"]:
        environment = environments[result["game_id"]]
        commands = await commands_of(client, result["guid"])
        actions, level_resets, runs = totals(commands)
        assert (environment["actions"], environment["resets"]) == (actions, level_resets)
        assert len(environment["runs"]) == runs
        assert result["actions"] == actions - level_resets
        last = commands[-1]
        assert result["state"] in ENDS
        assert (last["state"], last["score"]) == (result["state"], result["levels"][-1])
        assert environment["runs"][-1]["state"] == result["state"]
        assert environment["levels_completed"] == result["levels"][-1]
        total += actions
        completed += result["state"] == "WIN"
    assert card["total_actions"] == total
    assert card["total_environments_completed"] == completed
    stored = await client.card(content["card_id"])
    assert stored["total_actions"] == total
    assert stored["score"] == pytest.approx(card["score"])


@pytest.mark.parametrize(
    ("mode", "arguments"),
    [("online", ("--key", KEY)), ("competition", ())],
    ids=["online", "competition, anonymous key"],
)
async def test_it_plays_every_built_in_game_to_its_end(
    live: LiveEvaluator, mode: str, arguments: tuple[str, ...]
) -> None:
    """To WIN or GAME_OVER; its card is closed and validated, and counts what we recorded."""
    await live.stop()
    await live.start(CASINO_EVALUATOR_LEVELS="")
    content = await played(live, mode, *arguments)
    listed = await live.client(content["key"]).games()
    assert {one["game_id"] for one in content["results"]} == {
        game["game_id"] for game in listed.values()
    }
    assert (content["card"]["competition_mode"] or False) is (mode == "competition")
    await check(live, content)


async def test_statuses_and_shapes_are_those_of_the_reference_server(live: LiveEvaluator) -> None:
    """Request by request, apart from the listed exceptions; we may have further keys."""
    await live.stop()
    await live.start()
    games = {name: one["game_id"] for name, one in (await live.client().games()).items()}
    ours = Way(wins=games["kuhn"], completes=2, loses=games["hard"], loses_by=2)
    seen = await Matrix(live.http, ours, KEY, OTHER_KEY).run()
    async with (
        served_by("arc_agi", "server", "/api/healthcheck") as url,
        httpx.AsyncClient(base_url=url, timeout=PATIENCE_S, trust_env=False) as http,
    ):
        expected = await Matrix(http, REFERENCE, KEY, OTHER_KEY).run()
    assert seen.keys() == expected.keys()
    differing = {
        name: (one, seen[name]) for name, one in expected.items() if differs(one, seen[name])
    }
    assert {
        name: (one.status, other.status) for name, (one, other) in differing.items()
    } == OTHERWISE, differing


def differs(expected: Observed, seen: Observed) -> bool:
    """Return whether status, the name of an error, or the type of a key's value differ."""
    if (expected.status, expected.error) != (seen.status, seen.error):
        return True
    return any(
        seen.types.get(key) != kind
        for key, kind in expected.types.items()
        if key not in OF_DOWNLOADS
    )
