"""Models whose providers fail in every way that they do, at a table and checked.

Who decided and why is said everywhere, in the provider's words. A match of each of them:
`tests/match/remote/test_models.py`.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import pytest
from casino.check.findings import Verdict
from casino.testing.table import checked
from casino_agentkit import Service
from casino_agentkit.server.serving import bind
from casino_player_example.any_game import any_game_agent, open_llm_player
from casino_player_example.rulebook import Rulebook
from casino_player_example.settings import PlayerSettings
from support.casino.casino_side import Operator, casino_harness
from support.listening import accepting
from support.players.model_server import KEY, MODELS, PROTOCOLS, WAYS, ModelServer, says

FAILING = [name for name, way in WAYS.items() if way.reason is not None]


def protocol_of(way: str) -> str:
    """Return one of the protocols, by turns: all of them are tested at the tables."""
    return PROTOCOLS[FAILING.index(way) % len(PROTOCOLS)]


def agent_of(name: str, way: str, protocol: str) -> Any:
    """Return the agent of a model that answers before its seat, and then behaves in a way."""
    settings = PlayerSettings.load(
        {},
        style="llm",
        llm_model=MODELS[protocol],
        llm_api_key=KEY,
        llm_token_budget=10**9,
    )
    server = ModelServer(says("ready"), WAYS[way].reply)
    player = open_llm_player(settings, provider=server.transport())
    return any_game_agent(name, "a model", player, Rulebook(None))


class SeatedModel(NamedTuple):
    """A way, and the player whose model behaves so."""

    way: str
    player_id: str


@asynccontextmanager
async def table_of(
    ways: Sequence[str], protocol: str
) -> AsyncIterator[tuple[Operator, list[SeatedModel]]]:
    """Play a hand of models, each with another way, beside one who calls."""
    async with casino_harness() as harness:
        operator = Operator(harness)
        await operator.open(maxSeats=len(ways) + 1, maxHands=1)
        seated = []
        for way in ways:
            harness.agent(way, agent_of(way, way, protocol))
            reply = await operator.seat(way)
            assert reply.status_code == 201, reply.text
            seated.append(SeatedModel(way, reply.json()["playerId"]))
        harness.player("caller")
        assert (await operator.seat("caller")).status_code == 201
        await operator.idle_room()
        yield operator, seated


@pytest.mark.parametrize("half", [0, 1])
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_table_says_who_decided(protocol: str, half: int) -> None:
    """In events at once, without the words; in the hand's record, standings and page after it."""
    async with table_of(list(WAYS)[half::2], protocol) as (operator, seated):
        room = await operator.room()
        events = (await operator.http.get("/v1/rooms/r1/events?limit=5000")).json()["events"]
        standings = (await operator.http.get("/v1/rooms/r1/standings")).json()
    taken = [event["payload"] for event in events if event["eventType"] == "action_taken"]
    over = [event["payload"] for event in events if event["eventType"] == "hand_completed"]
    said = [one for end in over for one in end["disclosed"]]
    assert room.summary is not None
    profiles = {seat.player_id: seat.profile for seat in room.summary.players}
    rows = {row["playerId"]: row for row in standings["players"]}
    for way, player_id in seated:
        expected, name = WAYS[way], MODELS[protocol].partition(":")[2]
        decisions = [one for one in taken if one["playerId"] == player_id]
        own = [one for one in said if one["playerId"] == player_id]
        assert decisions, way
        profile = profiles[player_id]
        assert profile is not None
        assert profile.model == name
        assert {one["usage"]["model"] for one in own} == {name}
        if expected.reason is None:
            assert {one["outcome"] for one in decisions} == {"ok"}, way
            assert "defaulted" not in rows[player_id]
            assert rows[player_id]["costs"]["costUsd"] > 0
            continue
        asked = [one for one in decisions if one["outcome"] != "sitting_out"]
        assert {one["outcome"] for one in asked} == {"defaulted"}, way
        assert {str(one["defaulted"]) for one in asked} == {str({"reason": expected.reason})}
        assert all(expected.words in one["defaulted"]["detail"] for one in own)
        (counted,) = rows[player_id]["defaulted"]
        assert (counted["reason"], counted["count"]) == (expected.reason, len(asked))
        assert expected.words in counted["detail"]
    assert KEY not in str(events) + str(standings)


@pytest.mark.parametrize("way", FAILING)
async def test_a_check_names_the_default(way: str) -> None:
    """And why, in the provider's words; the bot is not ready."""
    listener = bind("127.0.0.1", 0)
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    service = Service({"": agent_of("a", way, protocol_of(way))})
    async with service.running(), accepting(listener, service, None):
        findings = await checked(url)
    faults = [one for one in findings if one.verdict is Verdict.FAULT and one.name == "defaulted"]
    assert faults
    for fault in faults:
        assert f"{WAYS[way].reason}: " in fault.text
        assert WAYS[way].words in fault.text
    assert KEY not in str(findings)
