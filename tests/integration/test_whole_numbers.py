"""Every entrypoint writes whole numbers as integers on every binding, in the bytes of its replies.

protobuf holds JSON numbers as doubles and writes 200 as `200.0`, which readers with integer types
(Go, Rust) refuse.
"""

import hashlib
import hmac
import json
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from jsonschema import Draft202012Validator, validators
from support.casino.casino import ProcessCasino
from support.processes import eventually
from support.table.table_side import CONFIG

pytestmark = [pytest.mark.full, pytest.mark.asyncio(loop_scope="session")]

EXTENSION = "urn:a2a-casino:typed-entrypoints:v1"
HEADERS = {"Content-Type": "application/json"}
CARD = "/.well-known/agent-card.json"
GOLDEN = Path(__file__).parents[1] / "contracts" / "golden"
QUESTION = json.loads((GOLDEN / "ActionRequest.json").read_text())["document"]
WHOLE_FRACTION = re.compile(rb"\d\.0+[,}\]]")
TypedReader = validators.extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _checker, value: isinstance(value, int) and not isinstance(value, bool)
    ),
)
"""Validates as a reader with integer types: 200.0 is a number, and no integer."""
Json = dict[str, Any]


def message(skill: Json, data: Json) -> Json:
    """Return a message of A2A 1.0 that names its skill in the metadata."""
    return {"messageId": "m", "role": "ROLE_USER", "metadata": skill, "parts": [{"data": data}]}


def rpc(method: str, said: Json) -> Json:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"message": said}}


def fast(skill: str, data: Json) -> tuple[str, Json]:
    """As our own client sends it: answered on the fast path."""
    said = message({EXTENSION: {"skill": skill}}, data) | {"extensions": [EXTENSION]}
    return "/a2a/jsonrpc", rpc("SendMessage", said)


def skill_id(skill: str, data: Json) -> tuple[str, Json]:
    """With the skill in `metadata.skillId`: answered by the SDK's handler."""
    return "/a2a/jsonrpc", rpc("SendMessage", message({"skillId": skill}, data))


def rest(skill: str, data: Json) -> tuple[str, Json]:
    return "/a2a/rest/message:send", {"message": message({"skillId": skill}, data)}


def older(skill: str, data: Json) -> tuple[str, Json]:
    """As a client of A2A 0.3."""
    part = {"kind": "data", "data": data}
    said: Json = {"kind": "message", "messageId": "m", "role": "user", "parts": [part]}
    said |= {"metadata": {"skillId": skill}}
    return "/a2a/jsonrpc", rpc("message/send", said)


class RawCaller:
    """Calls entrypoints over one binding, and checks the bytes of every reply.

    `called` has each skill that replied with an output, by card.
    """

    def __init__(
        self, http: httpx.AsyncClient, request: Callable[[str, Json], tuple[str, Json]], token: str
    ) -> None:
        self._http = http
        self._request = request
        self._token = token
        self.called: dict[str, set[str]] = {}

    async def call(self, card_url: str, skill: str, data: Json) -> Json:
        """Return the output."""
        answer = await self._reply(card_url, skill, data)
        (part,) = found(answer, "parts") or pytest.fail(str(answer))
        self.called.setdefault(card_url, set()).add(skill)
        output: Json = part["data"]
        schemas = (await self._card(card_url))["capabilities"]["extensions"][0]["params"]
        (schema,) = [one["output"] for one in schemas["entrypoints"] if one["skill"] == skill]
        TypedReader(schema).validate(output)
        return output

    async def refused(self, card_url: str, skill: str, data: Json) -> Json:
        error: Json = (await self._reply(card_url, skill, data))["error"]
        return error

    async def skills(self, card_url: str) -> set[str]:
        return {skill["id"] for skill in (await self._card(card_url))["skills"]}

    async def _card(self, card_url: str) -> Json:
        card: Json = (await self._http.get(card_url)).json()
        return card

    async def _reply(self, card_url: str, skill: str, data: Json) -> Json:
        path, body = self._request(skill, data)
        url = card_url.removesuffix(CARD) + path
        # As doubles: an entrypoint that reads integers takes them from any peer.
        version = "0.3" if self._request is older else "1.0"
        headers = HEADERS | {"A2A-Version": version} | {"Authorization": f"Bearer {self._token}"}
        reply = await self._http.post(url, content=json.dumps(as_doubles(body)), headers=headers)
        if self._request is not fast or reply.json().get("error"):
            # Written by protobuf, or free of a schema: no whole number is written as a fraction.
            assert not WHOLE_FRACTION.search(reply.content), reply.text
        answer: Json = reply.json()
        return answer


def as_doubles(node: Any) -> Any:
    """Return JSON as a peer that holds every number as a double writes it."""
    if isinstance(node, dict):
        return {key: value if key == "id" else as_doubles(value) for key, value in node.items()}
    if isinstance(node, list):
        return [as_doubles(item) for item in node]
    return float(node) if type(node) is int else node


def found(node: Any, key: str) -> Any:
    """Return the value of a key, at whatever level of a reply."""
    if isinstance(node, dict):
        if key in node:
            return node[key]
        for value in node.values():
            if (inner := found(value, key)) is not None:
                return inner
    return None


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def http() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(timeout=20, trust_env=False) as http:
        yield http


@pytest.mark.parametrize("binding", [fast, skill_id, rest, older])
async def test_every_entrypoint_writes_integers(
    casino: ProcessCasino, http: httpx.AsyncClient, binding: Callable[[str, Json], tuple[str, Json]]
) -> None:
    """Of lobby, table and player: outputs and refusals; and reads integers sent as doubles."""
    secret = "a-room-key-of-32-characters-at-least"
    token = hmac.new(secret.encode(), b"table", hashlib.sha256).hexdigest()
    caller = RawCaller(http, binding, token)
    lobby, room_id = casino.lobby.cards[0], f"raw-{binding.__name__}"
    player = (await casino.sample("caller")).cards[0]
    table, own = casino.take_table(), casino.take_table()

    invitation = {"casinoName": "C", "tableId": "t", "roomId": "r", "minBuyIn": 1, "maxBuyIn": 2}
    await caller.call(player, "signup", {**invitation, "smallBlind": 1, "bigBlind": 2})
    assert (await caller.call(player, "act", QUESTION))["action"] == "call"

    await caller.call(lobby, "registerTable", {"agentCardUrl": table})
    config = {**CONFIG, "maxHands": 1000}
    given = {"roomId": room_id, "config": config, "tableAgentCardUrl": table}
    room = await caller.call(lobby, "createRoom", given)
    assert room["config"]["startingStack"] == CONFIG["startingStack"]
    for seat in range(2):
        entering = {"roomId": room_id, "agentCardUrl": player}
        assert (await caller.call(lobby, "registerPlayer", entering))["seatNumber"] == seat
    assert (await caller.call(lobby, "startRoom", {"roomId": room_id}))["status"] == "running"
    assert (await caller.call(lobby, "listRooms", {}))["rooms"]
    await caller.call(lobby, "leaveRoom", {"roomId": room_id, "playerId": "player-1"})
    event = {"tableId": "?", "eventType": "table_status", "message": "m", "timestamp": "t"}
    refused = await caller.refused(lobby, "recordGameEvent", event | {"sequence": 7})
    assert "reason" in json.dumps(refused)
    delivery = {"tables": [{"events": [event | {"sequence": 7}]}]}
    (outcome,) = (await caller.call(lobby, "recordTableEvents", delivery))["tables"]
    assert outcome["refused"]["reason"]

    callback = {"agentCardUrl": "http://127.0.0.1:1/", "eventSkill": "recordGameEvent"}
    callback["secret"] = secret
    named = {"tableId": f"own-{room_id}", "casinoName": "Raw", "casinoCallback": callback}
    await caller.call(own, "configureTable", {**named, "config": CONFIG})
    for number in range(3):
        joining: Json = {"playerId": f"p{number}", "displayName": "P", "agentCardUrl": player}
        stake: Json = {"actionSkill": "act", "startingStack": 200}
        assert (await caller.call(own, "registerPlayer", joining | stake))["stack"] == 200
    await caller.call(own, "leaveTable", {"playerId": "p2"})
    await caller.call(own, "startGame", {"maxHands": 1})

    async def is_idle() -> bool:
        return bool((await caller.call(own, "tableSummary", {}))["status"] == "idle")

    await eventually(is_idle)
    record = await caller.call(own, "handRecord", {"handId": f"own-{room_id}/1"})
    assert sum(seat["stack"] for seat in record["players"]) == 400
    fault = await caller.refused(own, "startGame", {"maxHands": 0})
    assert "maxHands" in json.dumps(fault)
    await caller.call(own, "closeTable", {})

    for card_url, excepted in ((lobby, {"recordGameEvent"}), (own, set()), (player, set())):
        assert await caller.skills(card_url) == caller.called[card_url] | excepted
