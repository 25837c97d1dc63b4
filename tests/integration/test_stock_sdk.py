"""The SDK's own client calls every entrypoint, and an agent of the SDK alone plays.

Its client sends every number as a double. No whole number comes back as a fraction: protobuf holds
JSON numbers as doubles and writes 200 as `200.0`, which readers with integer types (Go, Rust)
refuse.
"""

import hashlib
import hmac
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from a2a.client import ClientConfig, ClientFactory
from a2a.types import Message, Part, Role, SendMessageRequest
from a2a.utils.errors import InvalidParamsError, UnsupportedOperationError
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.struct_pb2 import Value
from support.casino.casino import ProcessCasino
from support.processes import PATIENCE_S, eventually
from support.table.table_side import CONFIG

pytestmark = [pytest.mark.full, pytest.mark.asyncio(loop_scope="session")]

WHOLE_FRACTION = re.compile(rb"\d\.0+[,}\]]")
SHARE = re.compile(rb'"(win|tie)":\d\.\d+')
"""Odds are fractions, whatever their value is."""
SECRET = "a-room-key-of-32-characters-at-least"
EXTENSION = "urn:a2a-casino:typed-entrypoints:v1"
GOLDEN = Path(__file__).parents[1] / "contracts" / "golden"
QUESTION = json.loads((GOLDEN / "ActionRequest.json").read_text())["document"]


class SdkOperator:
    def __init__(self, binding: str, http: httpx.AsyncClient) -> None:
        self.binding = binding
        self.called: dict[str, set[str]] = {}
        """The skills that were called, by card."""
        self._http = http

    async def call(self, card_url: str, skill: str, data: dict[str, Any]) -> dict[str, Any]:
        """Call an entrypoint as documented."""
        self.called.setdefault(card_url, set()).add(skill)
        config = ClientConfig(
            streaming=False,
            httpx_client=self._http,
            supported_protocol_bindings=[self.binding],
        )
        base = card_url.removesuffix("/.well-known/agent-card.json")
        client = await ClientFactory(config).create_from_url(base)
        message = Message(
            message_id="m-1",
            role=Role.ROLE_USER,
            extensions=[EXTENSION],
            parts=[Part(data=ParseDict(data, Value()), media_type="application/json")],
        )
        message.metadata.update({EXTENSION: {"skill": skill}})
        async for reply in client.send_message(SendMessageRequest(message=message)):
            (part,) = reply.message.parts
            output: dict[str, Any] = MessageToDict(part.data)
            return output
        raise AssertionError("no reply")

    async def refused(self, card_url: str, skill: str, data: dict[str, Any]) -> str:
        """Call an entrypoint that refuses; returns the reason."""
        with pytest.raises(UnsupportedOperationError) as refused:
            await self.call(card_url, skill, data)
        assert refused.value.data is not None
        return str(refused.value.data["reason"])

    async def skills(self, card_url: str) -> set[str]:
        return {skill["id"] for skill in (await self._http.get(card_url)).json()["skills"]}


async def _has_no_fraction(reply: httpx.Response) -> None:
    content = SHARE.sub(b"", await reply.aread())
    assert not WHOLE_FRACTION.search(content), reply.text


@pytest_asyncio.fixture(loop_scope="session", params=["JSONRPC", "HTTP+JSON"])
async def sdk(request: pytest.FixtureRequest) -> AsyncIterator[SdkOperator]:
    token = hmac.new(SECRET.encode(), b"table", hashlib.sha256).hexdigest()
    async with httpx.AsyncClient(
        timeout=PATIENCE_S,
        headers={"Authorization": f"Bearer {token}"},
        event_hooks={"response": [_has_no_fraction]},
    ) as http:
        yield SdkOperator(request.param, http)


async def test_the_sdk_s_client_calls_every_entrypoint(
    casino: ProcessCasino, sdk: SdkOperator
) -> None:
    """Of lobby, table and player, over both bindings."""
    lobby = casino.lobby.cards[0]
    player = (await casino.sample("caller")).cards[0]

    invitation = {"casinoName": "C", "tableId": "t", "roomId": "r", "minBuyIn": 1, "maxBuyIn": 2}
    signup = await sdk.call(player, "signup", {**invitation, "smallBlind": 1, "bigBlind": 2})
    assert signup == {"displayName": "Caller", "actionSkill": "act"}
    assert await sdk.call(player, "act", QUESTION) == {"action": "call"}
    part = {"tableId": "t", "block": "t/1/1", "playerId": "p"}
    assert (await sdk.call(player, "contribute", part)).keys() == {"commitment"}

    room_id = "sdk-" + sdk.binding[:4].lower()
    table, own = casino.take_table(), casino.take_table()
    await sdk.call(lobby, "registerTable", {"agentCardUrl": table})
    given = {"roomId": room_id, "config": {**CONFIG, "maxHands": 2}, "tableAgentCardUrl": table}
    room = await sdk.call(lobby, "createRoom", given)
    assert room["summary"]["status"] == "waiting"
    for seat in range(2):
        seated = await sdk.call(
            lobby, "registerPlayer", {"roomId": room_id, "agentCardUrl": player}
        )
        assert seated["seatNumber"] == seat
    assert (await sdk.call(lobby, "startRoom", {"roomId": room_id}))["status"] == "running"
    await casino.until("idle", room_id=room_id)
    rooms = (await sdk.call(lobby, "listRooms", {}))["rooms"]
    assert [one["handCount"] for one in rooms if one["roomId"] == room_id] == [2]

    last = (await casino.events(room_id))[-1]
    plain = {"tableId": room_id, "eventType": "table_status", "message": "m", "timestamp": "t"}
    assert await sdk.refused(lobby, "recordGameEvent", plain) in {"UNAUTHORIZED", "FORBIDDEN"}
    part["tableId"] = room_id
    assert await sdk.refused(lobby, "contribute", part) in {"UNAUTHORIZED", "FORBIDDEN"}
    assert (await casino.events(room_id))[-1] == last
    delivery = {"tables": [{"events": [plain | {"sequence": 7}]}]}
    (outcome,) = (await sdk.call(lobby, "recordTableEvents", delivery))["tables"]
    assert outcome["refused"]["reason"]
    await sdk.call(lobby, "leaveRoom", {"roomId": room_id, "playerId": "player-1"})

    summary = await sdk.call(table, "tableSummary", {})
    seen = summary["status"], len(summary["players"]), "sequence" in summary
    assert seen == ("idle", 1, False)
    refused = await sdk.refused(table, "configureTable", _configuring("other"))
    assert refused in {"UNAUTHORIZED", "FORBIDDEN"}

    configured = await sdk.call(own, "configureTable", _configuring(f"own-{room_id}"))
    assert configured["tableId"] == f"own-{room_id}"
    for number in range(3):
        joining = {
            "playerId": f"p{number}",
            "displayName": "P",
            "agentCardUrl": player,
            "actionSkill": "act",
            "startingStack": 200,
        }
        assert (await sdk.call(own, "registerPlayer", joining))["seatNumber"] == number
    await sdk.call(own, "leaveTable", {"playerId": "p2"})
    assert (await sdk.call(own, "startGame", {"maxHands": 1}))["status"] == "running"

    async def is_idle() -> bool:
        return bool((await sdk.call(own, "tableSummary", {}))["status"] == "idle")

    await eventually(is_idle)
    record = await sdk.call(own, "handRecord", {"handId": f"own-{room_id}/1"})
    assert sum(seat["stack"] for seat in record["players"]) == 400
    assert (await sdk.call(own, "closeTable", {}))["state"] in {"closing", "closed"}
    with pytest.raises(InvalidParamsError, match="maxHands"):
        await sdk.call(own, "startGame", {"maxHands": 0})
    for card_url in (lobby, own, player):
        assert await sdk.skills(card_url) == sdk.called[card_url]


def _configuring(table_id: str) -> dict[str, Any]:
    callback = {
        "agentCardUrl": "http://127.0.0.1:1/",
        "eventSkill": "recordGameEvent",
        "secret": SECRET,
    }
    return {
        "tableId": table_id,
        "casinoName": "SdkOperator",
        "config": CONFIG,
        "casinoCallback": callback,
    }


async def test_an_agent_of_the_sdk_alone_plays_a_session(casino: ProcessCasino) -> None:
    """With task replies, text input and Markdown output."""
    await casino.open("stock", maxHands=8, maxSeats=2)
    stock = await casino.start("stock", "support.players.stock_player")
    seated = await casino.seat(stock.cards[0], "stock")
    assert seated.json()["displayName"] == "Stock"
    await casino.seat((await casino.sample("caller")).cards[0], "stock")
    room = await casino.until("idle", room_id="stock")
    assert room.summary is not None
    assert sum(seat.stack for seat in room.summary.players) == 400
    taken = [event.payload or {} for event in await casino.events("stock")]
    decisions = [one for one in taken if one.get("playerId") == "player-1" and "outcome" in one]
    assert len(decisions) > 20
    assert {decision["outcome"] for decision in decisions} == {"ok"}
