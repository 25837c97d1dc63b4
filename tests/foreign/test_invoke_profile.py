"""Agents that speak only the invoke profile, in plain Node and plain Python, use our casino.

They were written from what is known of the original casino; none imports a package of ours.
"""

import ast
import json
import re
import sys
from collections import defaultdict
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import pytest_asyncio
from casino_contracts import TableEvent
from support.casino.auditor import Auditor
from support.casino.live import ProcessCasino, live_casino
from support.players.plain_program import plain_player, printed_by

pytestmark = [
    pytest.mark.full,
    pytest.mark.timeout(240),
    pytest.mark.asyncio(loop_scope="module"),
]

HANDS = 100
NODE, PYTHON = "invoke_node/agent.mjs", "invoke_python/agent.py"
SEAT = {"playerId", "seatNumber", "displayName", "stack"}
SUMMARY = {"tableId", "status", "handCount", "players"}


class Running(NamedTuple):
    """A casino, and the cards of the two players."""

    casino: ProcessCasino
    players: list[str]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def running() -> AsyncIterator[Running]:
    """Run a casino with hosted tables, and one player of each language."""
    async with live_casino() as casino, plain_player(NODE) as node, plain_player(PYTHON) as python:
        yield Running(casino, [node, python])


def raises_of(events: list[TableEvent]) -> list[tuple[int, float]]:
    """Return what players said they add, and what they added by the events.

    A total of the events counts a betting round; blinds count to the first one.
    """
    bets: defaultdict[Any, float] = defaultdict(float)
    raises = []
    for event in events:
        payload: dict[str, Any] = event.payload or {}
        if event.event_type == "hand_started":
            bets.clear()
            for post in payload["posted"]:
                bets[post["playerId"], "preflop"] += post["amount"]
        if event.event_type != "action_taken":
            continue
        key = payload["playerId"], payload["bettingRound"]
        before, total = bets[key], payload.get("amount")
        if total is not None:
            bets[key] = total
        said = re.fullmatch(r"adding (\d+)", payload.get("message", ""))
        if said and total is not None:
            raises.append((int(said[1]), total - before))
    return raises


async def test_players_in_plain_node_and_python_play(running: Running) -> None:
    """A hundred hands: every decision is their own, every raise the one they meant."""
    casino, players = running
    await casino.play(
        "played",
        "texas-holdem",
        players,
        startingStack=1_000,
        minBuyIn=1_000,
        maxBuyIn=1_000,
        smallBlind=5,
        bigBlind=10,
        maxHands=HANDS,
    )
    events = await casino.events("played")
    taken = [event.payload or {} for event in events if event.event_type == "action_taken"]
    assert {payload["outcome"] for payload in taken} == {"ok"}
    assert len({payload["playerId"] for payload in taken}) == 2
    kinds = {payload["action"] for payload in taken}
    assert kinds >= {"check", "call", "bet", "raise", "fold"}
    raises = raises_of(events)
    assert len(raises) > HANDS / 4
    assert all(said == added for said, added in raises), raises
    audit = await Auditor(casino.http).read_room("played")
    assert len(audit.completed) == HANDS
    assert sum(audit.stacks.values()) == audit.bought


async def test_a_client_of_the_profile_uses_every_entrypoint(running: Running) -> None:
    """As operator and as table of our lobby, and as lobby of our table."""
    casino, players = running
    table = await casino.start("table", "casino_table", "--port", "0")
    lobby = f"{casino.lobby.url}/.well-known/agent-card.json"
    printed = await printed_by("invoke_python/driver.py", lobby, table.cards[0], *players)
    report = json.loads(printed)

    operator = report["operator"]
    assert operator["created"].keys() >= {"roomId", "config", "tableAgentCardUrl", "events"}
    assert operator["again"]["status"] >= 400
    assert [seat.keys() >= SEAT | {"roomId"} for seat in operator["seats"]] == [True, True]
    assert operator["started"].keys() >= SUMMARY
    assert operator["started"]["status"] == "running"
    assert (operator["room"]["handCount"], operator["room"]["playerCount"]) == (3, 2)

    reported = report["table"]
    assert [answer["ok"] for answer in reported["answers"]] == [True] * 3
    assert reported["room"]["playerCount"] == 2
    messages = [event.message for event in await casino.events("reported")]
    assert messages == [
        "reported hand_started",
        "reported hand_completed",
        "reported table_status",
    ]

    driven = report["lobby"]
    assert driven["configured"]["status"] == "waiting"
    assert [seat["seatNumber"] for seat in driven["seats"]] == [0, 1]
    assert driven["summary"]["handCount"] == 4
    assert sum(seat["stack"] for seat in driven["summary"]["players"]) == 1_000
    assert driven["kinds"].count("hand_completed") == 4
    assert driven["kinds"].count("player_registered") == 2


RECORDED: dict[str, Any] = {
    "created": {
        "ok": True,
        "room": {
            "roomId": "r1",
            "config": {
                "startingStack": 1000000,
                "smallBlind": 5,
                "bigBlind": 10,
                "minBuyIn": 1,
                "maxBuyIn": 1000000,
                "maxHands": 50,
                "maxSeats": 2,
            },
            "summary": {"tableId": "r1", "status": "waiting", "handCount": 0, "players": []},
            "tableAgentCardUrl": "http://127.0.0.1:4500/.well-known/agent-card.json",
            "tableBaseUrl": "http://127.0.0.1:4500",
            "events": [],
        },
    },
    "player": {
        "ok": True,
        "player": {
            "roomId": "r1",
            "playerId": "eaa61e09-d1ea-40f9-87ca-ed65e9537e61",
            "seatNumber": 0,
            "displayName": "Node",
            "stack": 1000000,
        },
    },
    "listed": {
        "roomId": "r1",
        "tableId": "r1",
        "gameType": "poker",
        "tableAgentCardUrl": "http://127.0.0.1:4500/.well-known/agent-card.json",
        "tableBaseUrl": "http://127.0.0.1:4500",
        "status": "idle",
        "handCount": 50,
        "playerCount": 2,
        "message": "Completed 50 hands.",
    },
    "defaultConfig": {
        "startingStack": 1,
        "smallBlind": 0.1,
        "bigBlind": 1,
        "minBuyIn": 0.1,
        "maxBuyIn": 1,
        "maxHands": 1,
        "maxSeats": 6,
    },
}
"""Answers that were recorded at the original."""

OWN = ("tableAgentCardUrl", "tableBaseUrl", "playerId", "message", "events")
"""Members whose values are ours: addresses, ids, texts and events."""


def likened(answer: Any, recorded: Any) -> Any:
    """Return an answer with the recorded values of the members whose values are ours."""
    if not isinstance(answer, dict) or not isinstance(recorded, dict):
        return answer
    return {
        key: recorded[key]
        if key in OWN and type(value) is type(recorded.get(key))
        else likened(value, recorded.get(key))
        for key, value in answer.items()
        if key != "message" or key in recorded
    }


async def test_the_requests_of_the_dashboard(running: Running) -> None:
    """A room as the original's page opens, fills and follows it, key for key."""
    casino, players = running
    http = casino.http
    config = RECORDED["created"]["room"]["config"]
    created = (await http.post("/ui/rooms", json={"roomId": "r1", **config})).json()
    assert likened(created, RECORDED["created"]) == RECORDED["created"]
    path = "/ui/rooms/r1/register"
    first = (await http.post(path, json={"agentCardUrl": players[0]})).json()
    assert likened(first, RECORDED["player"]) == RECORDED["player"]
    last = await http.post(path, json={"agentCardUrl": players[1], "preferredSeat": 1})
    assert last.json()["player"]["seatNumber"] == 1
    await casino.until("idle", room_id="r1")  # it started with the last seat
    state = (await http.get("/ui/rooms")).json()
    assert state.keys() == {"rooms", "defaultConfig"}
    assert state["defaultConfig"] == RECORDED["defaultConfig"]
    listed = next(room for room in state["rooms"] if room["roomId"] == "r1")
    assert listed.keys() == RECORDED["listed"].keys()
    assert 0 < listed["handCount"] <= 50
    played = {key: listed[key] for key in ("handCount", "playerCount")}  # who is bust has left
    assert likened(listed, RECORDED["listed"]) == {**RECORDED["listed"], **played}
    assert (await http.get("/ui/state")).json().keys() == state.keys()
    room = (await http.get("/ui/rooms/r1")).json()["room"]
    assert sum(seat["stack"] for seat in room["summary"]["players"]) == 2_000_000
    unknown = await http.get("/ui/rooms/none")
    assert (unknown.status_code, unknown.json().keys()) == (404, {"ok", "error"})
    for path in ("/ui/rooms", "/ui/rooms/none/register", "/ui/rooms/none/start"):
        refused = await http.post(path, json={"maxHand": 1})
        assert (refused.status_code, refused.json().keys()) == (400, {"ok", "error"})
        assert refused.json()["ok"] is False


async def test_the_agents_know_no_package_of_ours() -> None:
    """They import the standard library and each other."""
    folder = Path(__file__).parent / "agents"
    for path in (folder / "invoke_python").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            roots = {name.partition(".")[0] for name in names}
            assert roots <= {*sys.stdlib_module_names, "invoke"}, path.name
    script = (folder / "invoke_node" / "agent.mjs").read_text()
    assert set(re.findall(r'from "([^"]+)"', script)) == {"node:http"}
