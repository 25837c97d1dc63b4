"""Lobby, tables and players over gRPC, as processes: every rule holds, and TLS too.

The callers have the stub that protobuf generates, and nothing of ours.
"""

import json
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
import pytest_asyncio
from a2a.types import Message, Part, Role, SendMessageRequest, a2a_pb2_grpc
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.struct_pb2 import Value
from google.rpc import error_details_pb2, status_pb2
from support.casino.live import AT_ONCE, ProcessCasino, live_casino, process
from support.certificates import Authority
from support.table.table_side import CONFIG

pytestmark = [pytest.mark.full, pytest.mark.asyncio(loop_scope="module")]

OPERATOR = "an-operator-key-of-32-characters-or-more"
PLAYER = "a-player-key-of-32-characters-or-more"
FLEET = "a-fleet-key-of-32-characters-or-more"
GOLDEN = Path(__file__).parents[1] / "contracts" / "golden"
ROOM = {"roomId": "r1", "config": CONFIG}


class GrpcCaller:
    """Calls entrypoints at the gRPC interface of a card."""

    def __init__(self, stub: Any, interface: dict[str, str]) -> None:
        self._stub = stub
        self._tenant = interface.get("tenant", "")

    async def call(self, skill: str, data: Any, token: str | None = None) -> dict[str, Any]:
        """Return the output."""
        part = Part(data=ParseDict(data, Value()), media_type="application/json")
        said = Message(message_id="m", role=Role.ROLE_USER, parts=[part])
        said.metadata.update({"skillId": skill})
        request = SendMessageRequest(message=said, tenant=self._tenant)
        metadata = [("authorization", f"Bearer {token}")] if token else []
        reply = await self._stub.SendMessage(request, metadata=metadata, timeout=20)
        output: dict[str, Any] = MessageToDict(reply.message.parts[0].data)
        return output

    async def refused(self, skill: str, data: Any, token: str | None = None) -> str:
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await self.call(skill, data, token)
        (details,) = [
            value
            for key, value in refused.value.trailing_metadata() or ()
            if key == "grpc-status-details-bin"
        ]
        information = error_details_pb2.ErrorInfo()
        assert isinstance(details, bytes)
        status_pb2.Status.FromString(details).details[0].Unpack(information)
        assert information.metadata["reason"], str(refused.value)
        return str(information.metadata["reason"])


async def card_at(url: str, trusted: Path | None = None) -> dict[str, Any]:
    """Return a card, over TLS if an authority is trusted."""
    verify = ssl.create_default_context(cafile=trusted) if trusted else True
    async with httpx.AsyncClient(trust_env=False, verify=verify) as http:
        card: dict[str, Any] = (await http.get(url)).json()
        return card


def channel_to(address: str, trusted: Path | None) -> grpc.aio.Channel:
    """Return a channel, with TLS if an authority is trusted."""
    if trusted is None:
        return grpc.aio.insecure_channel(address)
    return grpc.aio.secure_channel(address, grpc.ssl_channel_credentials(trusted.read_bytes()))


@asynccontextmanager
async def caller_of(card_url: str, trusted: Path | None = None) -> AsyncIterator[GrpcCaller]:
    card = await card_at(card_url, trusted)
    (interface,) = [one for one in card["supportedInterfaces"] if one["protocolBinding"] == "GRPC"]
    async with channel_to(interface["url"], trusted) as channel:
        yield GrpcCaller(a2a_pb2_grpc.A2AServiceStub(channel), interface)  # type: ignore[no-untyped-call]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def casino() -> AsyncIterator[ProcessCasino]:
    """Run a lobby that only its operator may read."""
    async with live_casino(
        CASINO_LOBBY_GRPC_PORT="0",
        CASINO_LOBBY_OPERATOR_TOKEN=OPERATOR,
        CASINO_LOBBY_READERS="operator",
    ) as casino:
        yield casino


async def test_the_lobby_admits_the_operator_only(casino: ProcessCasino) -> None:
    """With the key in the metadata."""
    async with caller_of(casino.lobby.cards[0]) as lobby:
        for skill, data in (("createRoom", ROOM), ("listRooms", {})):
            assert await lobby.refused(skill, data) == "UNAUTHORIZED"
            assert await lobby.refused(skill, data, "not-" + OPERATOR) == "FORBIDDEN"
        assert (await lobby.call("listRooms", {}, OPERATOR))["rooms"] == []
        event = {"tableId": "t", "eventType": "table_status", "message": "m", "timestamp": "t"}
        assert await lobby.refused("recordGameEvent", event, OPERATOR) in {
            "UNAUTHORIZED",
            "FORBIDDEN",
            "UNKNOWN_TABLE",
        }


async def test_the_budget_of_an_address_holds() -> None:
    """Commands over gRPC count like all others."""
    async with (
        live_casino(CASINO_LOBBY_GRPC_PORT="0", CASINO_LOBBY_COMMANDS_PER_MINUTE="3") as casino,
        caller_of(casino.lobby.cards[0]) as lobby,
    ):
        joining = {"roomId": "none", "agentCardUrl": "http://127.0.0.1:1/"}
        reasons = [await lobby.refused("registerPlayer", joining) for _ in range(8)]
        assert reasons[0] != "TOO_MANY_REQUESTS"
        assert reasons[-1] == "TOO_MANY_REQUESTS"


async def test_each_table_of_a_process_is_a_tenant(casino: ProcessCasino) -> None:
    """And needs the fleet key."""
    settings = {"CASINO_TABLE_GRPC_PORT": "0", "CASINO_TABLE_FLEET_KEY": FLEET}
    tables = await casino.host_tables(2, grace=AT_ONCE, **settings)
    callback = {"agentCardUrl": "http://127.0.0.1:1/", "eventSkill": "recordGameEvent"}
    given = {"tableId": "t-2", "casinoName": "C", "casinoCallback": callback, **ROOM}
    async with caller_of(tables.cards[0]) as first, caller_of(tables.cards[1]) as second:
        assert await second.refused("configureTable", given) == "UNAUTHORIZED"
        assert await second.refused("configureTable", given, "not-" + FLEET) == "FORBIDDEN"
        assert (await second.call("configureTable", given, FLEET))["tableId"] == "t-2"
        assert (await second.call("tableSummary", {}, FLEET))["tableId"] == "t-2"
        assert (await first.call("tableSummary", {}, FLEET)).get("tableId") != "t-2"


async def test_a_player_with_a_key_is_reached_by_its_capability(casino: ProcessCasino) -> None:
    """The card at that address names the tenant with the key; the plain one does not."""
    settings = {"CASINO_PLAYER_GRPC_PORT": "0", "CASINO_PLAYER_KEY": PLAYER}
    player = await casino.start(
        "player", "casino_player_example", "caller", "--port", "0", **settings
    )
    plain = f"{player.url}/.well-known/agent-card.json"
    document = json.loads((GOLDEN / "SignupInvitation.json").read_text())["document"]
    async with (
        caller_of(plain) as other,
        caller_of(f"{player.url}/t/{PLAYER}/.well-known/agent-card.json") as lobby,
    ):
        assert await other.refused("signup", document) == "UNAUTHORIZED"
        assert (await lobby.call("signup", document))["displayName"]


async def test_grpc_has_the_tls_of_the_process(tmp_path: Path) -> None:
    """With the same certificate; without TLS nobody is answered."""
    authority = Authority(tmp_path)
    certificate, key = authority.give("player")
    settings = {
        "CASINO_PLAYER_GRPC_PORT": "0",
        "CASINO_PLAYER_TLS_CERT": str(certificate),
        "CASINO_PLAYER_TLS_KEY": str(key),
    }
    arguments = ["caller", "--port", "0"]
    question = json.loads((GOLDEN / "ActionRequest.json").read_text())["document"]
    async with process("player", "casino_player_example", arguments, settings=settings) as player:
        async with caller_of(player.cards[0], authority.root) as trusting:
            assert (await trusting.call("act", question))["action"] == "call"
        card = await card_at(player.cards[0], authority.root)
        (address,) = [
            one["url"] for one in card["supportedInterfaces"] if one["protocolBinding"] == "GRPC"
        ]
        async with grpc.aio.insecure_channel(address) as channel:
            stub = a2a_pb2_grpc.A2AServiceStub(channel)  # type: ignore[no-untyped-call]
            with pytest.raises(grpc.aio.AioRpcError):
                await GrpcCaller(stub, {}).call("act", question)


async def test_no_port_is_opened_unasked(casino: ProcessCasino) -> None:
    """By default, the card names no gRPC."""
    player = await casino.sample("caller")
    card = await card_at(player.cards[0])
    assert {one["protocolBinding"] for one in card["supportedInterfaces"]} == {
        "JSONRPC",
        "HTTP+JSON",
    }
