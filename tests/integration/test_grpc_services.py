"""Processes over gRPC: budgets and TLS hold. `tests/agentkit/server/test_grpc.py` has all rules.

The callers have the stub that protobuf generates, and nothing of ours.
"""

import json
import ssl
import sys
from pathlib import Path
from signal import SIGINT
from subprocess import PIPE, Popen
from typing import Any

import grpc
import httpx
import pytest
from a2a.types import Message, Part, Role, SendMessageRequest, a2a_pb2_grpc
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.struct_pb2 import Value
from support.casino.casino import process, process_casino
from support.casino.members import ENVIRONMENT
from support.certificates import Authority
from support.processes import PATIENCE_S

pytestmark = pytest.mark.full

GOLDEN = Path(__file__).parents[1] / "contracts" / "golden"
QUESTION = json.loads((GOLDEN / "ActionRequest.json").read_text())["document"]


async def address_of(card_url: str, tls: ssl.SSLContext | None = None) -> str:
    """Return the address of gRPC that a card names."""
    async with httpx.AsyncClient(trust_env=False, verify=tls or True) as http:
        interfaces = (await http.get(card_url)).json()["supportedInterfaces"]
    (address,) = [one["url"] for one in interfaces if one["protocolBinding"] == "GRPC"]
    return str(address)


async def called(channel: grpc.aio.Channel, skill: str, data: Any) -> dict[str, Any]:
    """Call an entrypoint; return its output."""
    part = Part(data=ParseDict(data, Value()), media_type="application/json")
    message = Message(message_id="m", role=Role.ROLE_USER, parts=[part])
    message.metadata.update({"skillId": skill})
    stub: Any = a2a_pb2_grpc.A2AServiceStub(channel)  # type: ignore[no-untyped-call]
    reply = await stub.SendMessage(SendMessageRequest(message=message), timeout=PATIENCE_S)
    output: dict[str, Any] = MessageToDict(reply.message.parts[0].data)
    return output


def test_ctrl_c_while_a_service_announces_itself() -> None:
    """No traceback; whoever started it sees that it was interrupted.

    A signal that comes after the start ends the service in order: then it is tried again.
    """
    code, said = _interrupted()
    while '"shutting_down"' in said:
        code, said = _interrupted()
    assert "Traceback" not in said
    assert code == 130


def _interrupted() -> tuple[int, str]:
    """Return how a service ends whose gRPC listens already, and what it logs from then on."""
    command = [sys.executable, "-m", "casino_player_example", "caller", "--port", "0"]
    settings = {**ENVIRONMENT, "CASINO_PLAYER_GRPC_PORT": "0"}
    with Popen(command, env=settings, stderr=PIPE, text=True) as player:
        assert player.stderr is not None
        log = iter(player.stderr)
        assert any("listening_for_grpc" in line for line in log)
        player.send_signal(SIGINT)
        said = "".join(log)
        return player.wait(PATIENCE_S), said


async def test_the_budget_of_an_address_holds() -> None:
    """Commands over gRPC count like all others."""
    async with process_casino(
        CASINO_LOBBY_GRPC_PORT="0", CASINO_LOBBY_COMMANDS_PER_MINUTE="3"
    ) as casino:
        address = await address_of(casino.lobby.cards[0])
        async with grpc.aio.insecure_channel(address) as channel:
            joining = {"roomId": "none", "agentCardUrl": "http://127.0.0.1:1/"}
            refusals = []
            for _ in range(8):
                with pytest.raises(grpc.aio.AioRpcError) as refused:
                    await called(channel, "registerPlayer", joining)
                refusals.append("TOO_MANY_REQUESTS" in str(refused.value.trailing_metadata()))
        assert (refusals[0], refusals[-1]) == (False, True)


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
    trusting = grpc.ssl_channel_credentials(authority.root.read_bytes())
    async with process("player", "casino_player_example", arguments, settings=settings) as player:
        tls = ssl.create_default_context(cafile=authority.root)
        address = await address_of(player.cards[0], tls)
        async with grpc.aio.secure_channel(address, trusting) as channel:
            assert (await called(channel, "act", QUESTION))["action"] == "call"
        async with grpc.aio.insecure_channel(address) as channel:
            with pytest.raises(grpc.aio.AioRpcError):
                await called(channel, "act", QUESTION)
