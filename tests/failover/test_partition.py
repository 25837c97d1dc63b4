"""A table that is cut off from its lobby, but not from its players, asks nobody in time."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from casino_agentkit import Child
from casino_contracts import RoomSnapshot
from support.casino.auditor import Auditor
from support.casino.live import ENVIRONMENT, GRACE
from support.failover.namespaces import Network, network
from support.table.table_side import CONFIG

pytestmark = [pytest.mark.full]

SILENCE_S = 5.0
LEASE_S = 0.8 * SILENCE_S
FLEET_KEY, OPERATOR_KEY = "fleet-" + "f" * 40, "operator-" + "o" * 40
HOST_SETTING = {
    "casino_lobby": "CASINO_LOBBY_HOST",
    "casino_table": "CASINO_TABLE_HOST",
    "casino_player_example": "CASINO_PLAYER_HOST",
}
PORT = "4500"
POLL_S = 0.03
DEADLINE_S = 90.0


@dataclass
class Machines:
    """A casino with a machine for each part, and one for all players."""

    net: Network
    http: httpx.AsyncClient
    metrics: httpx.AsyncClient

    def card(self, machine: str, port: str = PORT) -> str:
        """Return the card URL of an agent."""
        return f"http://{self.net.address(machine)}:{port}/.well-known/agent-card.json"

    async def room(self) -> RoomSnapshot:
        """Read the room."""
        reply = await self.http.get("/v1/rooms/main")
        return RoomSnapshot.model_validate_json(reply.raise_for_status().content)

    async def decisions(self, machine: str) -> int:
        """Return how many decisions a table's players have made."""
        url = f"http://{self.net.address(machine)}:{PORT}/metrics"
        reply = await self.metrics.get(url)
        return sum(
            int(float(line.rpartition(" ")[2]))
            for line in reply.raise_for_status().text.splitlines()
            if line.startswith("casino_decisions_total{")
        )


async def start(
    stack: AsyncExitStack, net: Network, machine: str, module: str, **more: Any
) -> None:
    """Run a process on a machine."""
    arguments: list[str] = more.pop("arguments", [])
    port = more.pop("port", PORT)
    child = await Child.start(
        machine,
        "support.failover.in_namespace",
        [net.namespace(machine), module, *arguments, "--port", port],
        environment={**ENVIRONMENT, HOST_SETTING[module]: net.address(machine), **more},
        timeout=3 * GRACE,
    )
    stack.push_async_callback(child.kill)


@pytest.fixture
async def machines(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Machines]:
    """Run a lobby, a table and two players on machines of their own, and open a room.

    The parameter is the silence after which a table is lost, in seconds.
    """
    with network("lobby", "first", "second", "players") as net:
        async with AsyncExitStack() as stack:
            lobby_url = f"http://{net.address('lobby')}:{PORT}"
            http = httpx.AsyncClient(
                base_url=lobby_url,
                timeout=30,
                headers={"authorization": f"Bearer {OPERATOR_KEY}"},
                trust_env=False,
            )
            metrics = httpx.AsyncClient(timeout=5, trust_env=False)
            for client in (http, metrics):
                stack.push_async_callback(client.aclose)
            made = Machines(net, http, metrics)
            await start(
                stack, net, "lobby", "casino_lobby",
                CASINO_LOBBY_DATA=str(tmp_path / "lobby"),
                CASINO_LOBBY_LAUNCH_TABLES="false",
                CASINO_LOBBY_TABLE_SILENCE=f"{request.param}s",
                CASINO_LOBBY_FLEET_KEY=FLEET_KEY,
                CASINO_LOBBY_OPERATOR_TOKEN=OPERATOR_KEY,
            )  # fmt: skip
            for port, style in (("4601", "caller"), ("4602", "maniac")):
                await start(
                    stack, net, "players", "casino_player_example",
                    arguments=[style], port=port, CASINO_PLAYER_THINK="10ms",
                )  # fmt: skip
            await start_table(stack, made, "first")
            await open_room(made)
            await start_table(stack, made, "second")
            yield made


async def start_table(stack: AsyncExitStack, machines: Machines, name: str) -> None:
    """Run a table that announces itself, and wait until the lobby has heard of it."""
    await start(
        stack, machines.net, name, "casino_table",
        CASINO_TABLE_LOBBY_URL=str(machines.http.base_url),
        CASINO_TABLE_FLEET_KEY=FLEET_KEY,
        CASINO_TABLE_ANNOUNCE_EVERY="1s",
    )  # fmt: skip


async def open_room(machines: Machines) -> None:
    """Open a room on the first table, which begins once two players are seated."""
    body = {
        "roomId": "main",
        "config": {**CONFIG, "maxHands": 1_000_000, "maxSeats": 2, "rebuy": "auto"},
    }
    async with asyncio.timeout(DEADLINE_S):
        while not (await machines.http.post("/v1/rooms", json=body)).is_success:
            await asyncio.sleep(POLL_S)
    for port in ("4601", "4602"):
        player = {"agentCardUrl": machines.card("players", port)}
        seated = await machines.http.post("/v1/rooms/main/players", json=player)
        assert seated.status_code == 201, seated.text


@pytest.mark.parametrize("machines", [SILENCE_S], indirect=True)
async def test_a_table_cut_off_from_its_lobby_pauses_before_the_room_moves(
    machines: Machines,
) -> None:
    """Its players are asked by the other table only after its lease; it is fenced on return."""
    net = machines.net
    async with asyncio.timeout(DEADLINE_S):
        while await machines.decisions("first") < 20:
            await asyncio.sleep(POLL_S)
    net.cut("first", "lobby")
    cut_at = time.monotonic()
    newest, newest_at, other_at = 0, cut_at, None
    async with asyncio.timeout(DEADLINE_S):
        while other_at is None:
            made = await machines.decisions("first")
            if made > newest:
                newest, newest_at = made, time.monotonic()
            if await machines.decisions("second"):
                other_at = time.monotonic()
    print(  # noqa: T201
        f"s after the cut: last decision at the first table {newest_at - cut_at:.2f},"
        f" first at the second {other_at - cut_at:.2f}"
    )
    assert newest_at - cut_at <= LEASE_S + 0.5  # with the time until it is seen
    assert newest_at < other_at
    assert other_at - cut_at <= SILENCE_S + 2

    assert await machines.decisions("first") == newest
    net.heal("first", "lobby")
    room = await machines.room()
    assert (room.epoch, room.table_agent_card_url) == (2, machines.card("second"))
    await is_free_again(machines)
    assert await machines.decisions("first") == newest
    audit = await Auditor(machines.http).read_room("main")
    assert len(audit.cancelled) <= 1


async def is_free_again(machines: Machines) -> None:
    """Wait until the table that was cut off takes another room."""
    body = {"roomId": "next", "config": CONFIG}
    async with asyncio.timeout(DEADLINE_S):
        while not (await machines.http.post("/v1/rooms", json=body)).is_success:
            await asyncio.sleep(POLL_S)
    opened = await machines.http.get("/v1/rooms/next")
    assert opened.json()["tableAgentCardUrl"] == machines.card("first")


@pytest.mark.parametrize("machines", [2 * SILENCE_S], indirect=True)
async def test_a_short_cut_only_pauses_play(machines: Machines) -> None:
    """Healed before the silence limit, the same table goes on in the same epoch."""
    net = machines.net
    net.cut("first", "lobby")
    async with asyncio.timeout(DEADLINE_S):
        while not await is_paused(machines):
            await asyncio.sleep(POLL_S)
    paused = await machines.decisions("first")
    net.heal("first", "lobby")
    async with asyncio.timeout(DEADLINE_S):
        while await machines.decisions("first") < paused + 20:
            await asyncio.sleep(POLL_S)
    room = await machines.room()
    assert (room.epoch, room.table_agent_card_url) == (1, machines.card("first"))
    assert await machines.decisions("second") == 0


async def is_paused(machines: Machines) -> bool:
    """Return whether the first table makes no decision for a while."""
    before = await machines.decisions("first")
    await asyncio.sleep(0.3)
    return before > 0 and await machines.decisions("first") == before
