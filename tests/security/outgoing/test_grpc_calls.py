"""gRPC makes its own connections: policy, limits and clock hold for it as for HTTP."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from casino_agentkit import (
    AddressNotAllowed,
    AgentClient,
    AgentError,
    HttpTransport,
    OutgoingPolicy,
    Unreachable,
)
from casino_agentkit.accepted_json import ReplyBounds
from casino_agentkit.client.grpc_channels import GrpcChannels
from casino_agentkit.tls import client_context
from casino_play.turn import Clock
from support.attack.raw_servers import AnyAddress, agent, internal_service, lookup_of
from support.attack.replies.grpc_attacks import ATTACKS
from support.attack.replies.victim import CLOCK, Cost, attacked
from support.casino.members import ENVIRONMENT
from support.certificates import Authority
from support.on_uvloop import on_uvloop
from support.players.grpc_agent import AnyMethod, grpc_agent, grpc_card, grpc_server, says
from support.processes import PATIENCE_S

pytestmark = pytest.mark.full

SOON = timedelta(seconds=5)
PATIENCE = timedelta(seconds=PATIENCE_S)
CARD = ".well-known/agent-card.json"
SILENT = {"hang", "working", "silent", "endless", "page"}
LATE = {"timeout", "unreachable"}


async def _start() -> None:
    grpc.aio.init_grpc_aio()


@pytest.fixture(scope="module")
def agents() -> Iterator[str]:
    """Run the hostile agents; returns their address."""
    asyncio.run(_start())  # once for all: its end may wait for an agent that sends without end
    with subprocess.Popen(
        [sys.executable, "-m", "support.attack.replies.grpc_attacks"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=ENVIRONMENT,
    ) as process:
        assert process.stdout is not None
        try:
            yield str(json.loads(process.stdout.readline())["url"])
        finally:
            process.kill()  # it may be busy


async def says_nothing(*_given: Any) -> bytes:
    return says({"text": "{}"})


async def decided(url: str, attack: str, bounds: ReplyBounds | None = None) -> Cost:
    """Return the cost of one decision; the clock is short only where nothing comes."""
    client = AgentClient(HttpTransport(), bounds=bounds)
    clock = CLOCK if attack in SILENT else PATIENCE
    cost = await attacked(client, f"{url}/{attack}/{CARD}", clock, Clock())
    await client.close()
    return cost


@pytest.mark.parametrize("attack", ATTACKS)
async def test_a_decision_costs_its_clock_and_no_more(agents: str, attack: str) -> None:
    cost = await decided(agents, attack)
    expected = LATE if attack in SILENT else {"ok" if attack == "honest" else "malformed"}
    assert cost.decision.outcome in expected, cost
    assert cost.work.is_bearable, cost
    assert "hunter2" not in str(cost.rejected)


async def test_without_bounds_a_reply_fills_the_memory(agents: str) -> None:
    """The limit of a message is what holds."""
    unlimited = ReplyBounds(converted_body=2**30, converted=10**9, text=10**9)
    costs = [await decided(agents, attack, unlimited) for attack in ("larger", "many-parts")]
    assert not all(cost.work.is_bearable for cost in costs), costs


class TestAddresses:
    @on_uvloop
    async def test_a_name_that_leads_inside_later_is_not_dialled(self) -> None:
        """The link is checked while the name is public, and dialled after it has changed."""
        asked: list[str] = []

        async def reply(name: str, *_: Any) -> bytes:
            asked.append(name)
            return says({"text": "{}"})

        async def calls(policy: Any) -> bool:
            answers = {"evil": [["8.8.8.8"], ["127.0.0.1"]]}
            client = AgentClient(HttpTransport(policy, lookup=lookup_of(answers)))
            try:
                peer = await client.resolve(origin, timeout=SOON)
                await peer.call("act", b"{}", dict, timeout=SOON)
            except AddressNotAllowed:
                return False
            finally:
                await client.close()
            return True

        async with grpc_agent(reply, "http://evil:{port}") as origin:
            assert not await calls(OutgoingPolicy())
            assert not asked
            assert await calls(AnyAddress())
        assert asked == ["SendMessage"]

    @pytest.mark.parametrize(
        "address",
        ["127.0.0.1:22", "http://169.254.169.254:50051", "[::ffff:169.254.169.254]:50051",
         "unix:///tmp/socket", "dns:///127.0.0.1:50051", "ipv4:127.0.0.1:50051"],
    )  # fmt: skip
    @on_uvloop
    async def test_no_other_address_is_dialled(self, address: str) -> None:
        async with agent(lambda *_: grpc_card(address)) as (origin, _):
            client = AgentClient(HttpTransport())
            with pytest.raises(AgentError):
                await client.resolve(origin, timeout=SOON)
            await client.close()

    @on_uvloop
    async def test_the_environment_names_no_proxy(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A token would pass through it."""
        async with internal_service() as (port, asked), grpc_agent(says_nothing) as origin:
            for name in ("grpc_proxy", "http_proxy", "https_proxy"):
                monkeypatch.setenv(name, f"http://127.0.0.1:{port}")
            client = AgentClient(HttpTransport())
            peer = await client.resolve(origin, timeout=SOON)
            assert await peer.call("act", b"{}", dict, timeout=SOON) == {}
            await client.close()
            assert not asked

    @on_uvloop
    async def test_a_certificate_is_checked_for_the_name_on_the_card(self, tmp_path: Path) -> None:
        """Though an address is dialled; by the authorities of every other call."""
        authority = Authority(tmp_path)
        certificate, key = authority.give("bot", ("bot.example",))
        credentials = grpc.ssl_server_credentials([(key.read_bytes(), certificate.read_bytes())])
        server = grpc.aio.server()
        server.add_generic_rpc_handlers((AnyMethod(says_nothing),))
        port = server.add_secure_port("127.0.0.1:0", credentials)
        await server.start()

        async def calls(name: str, root: Path | None) -> bool:
            lookup = lookup_of({name: [["127.0.0.1"]]})
            transport = HttpTransport(tls=client_context(root), lookup=lookup)
            client = AgentClient(transport)
            async with agent(lambda *_: grpc_card(f"https://{name}:{port}")) as (origin, _):
                try:
                    peer = await client.resolve(origin, timeout=SOON)
                    return await peer.call("act", b"{}", dict, timeout=SOON) == {}
                except Unreachable:
                    return False
                finally:
                    await client.close()

        assert await calls("bot.example", authority.root)
        assert not await calls("other.example", authority.root)
        assert not await calls("bot.example", None)
        await server.stop(None)

    @on_uvloop
    async def test_channels_are_bounded(self) -> None:
        """The least recently used one is closed; a peer with it is resolved again."""
        transport, channels = HttpTransport(), GrpcChannels(ReplyBounds())
        async with grpc_server(says_nothing) as port:
            first = await channels.channel(await transport.endpoint(f"http://127.0.0.1:{port}"))
            for number in range(300):
                endpoint = await transport.endpoint(f"http://127.0.0.1:{20_000 + number}")
                await channels.channel(endpoint)
            again = await channels.channel(await transport.endpoint(f"http://127.0.0.1:{port}"))
            assert again is not first
        await channels.close()
        await transport.close()
