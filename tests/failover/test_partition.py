"""A table that is cut off from its lobby, but not from its players, asks nobody in time."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from casino_agentkit import Child
from casino_agentkit.protocol import keyed_address
from casino_contracts import RoomSnapshot
from support.casino.auditor import Auditor
from support.casino.members import ENVIRONMENT, GRACE
from support.namespaces import Network, network
from support.processes import PATIENCE_S, eventually
from support.table.table_side import CONFIG

pytestmark = [pytest.mark.network, pytest.mark.timeout(300)]

SILENCE = "5s"
FLEET_KEY, OPERATOR_KEY = "fleet-" + "f" * 40, "operator-" + "o" * 40
PLAYER_KEY = "player-" + "p" * 40
HOST_SETTING = {
    "casino_lobby": "CASINO_LOBBY_HOST",
    "casino_table": "CASINO_TABLE_HOST",
    "casino_player_example": "CASINO_PLAYER_HOST",
}
PORT = "4500"
POLL_S = 0.03


@dataclass
class Machines:
    """A casino with a machine for each part, and one for all players."""

    net: Network
    http: httpx.AsyncClient
    metrics: httpx.AsyncClient

    def card(self, machine: str, port: str = PORT) -> str:
        return f"http://{self.net.address(machine)}:{port}/.well-known/agent-card.json"

    async def room(self) -> RoomSnapshot:
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

    async def has_decided(self, machine: str, count: int) -> bool:
        """Return whether a table's players have made so many decisions."""
        return await self.decisions(machine) >= count

    async def opens(self, room: dict[str, Any]) -> bool:
        """Try to open a room; return whether there was a table for it."""
        return (await self.http.post("/v1/rooms", json=room)).is_success


async def start(
    stack: AsyncExitStack, net: Network, machine: str, module: str, **more: Any
) -> None:
    arguments: list[str] = more.pop("arguments", [])
    port = more.pop("port", PORT)
    child = await Child.start(
        machine,
        "support.namespaces",
        [net.namespace(machine), module, *arguments, "--port", port],
        environment={**ENVIRONMENT, HOST_SETTING[module]: net.address(machine), **more},
        timeout=3 * GRACE,
    )
    stack.push_async_callback(child.kill)


@pytest.fixture
async def machines(tmp_path: Path) -> AsyncIterator[Machines]:
    with network("lobby", "first", "second", "players") as net:
        async with AsyncExitStack() as stack:
            lobby_url = f"http://{net.address('lobby')}:{PORT}"
            http = httpx.AsyncClient(
                base_url=lobby_url,
                timeout=PATIENCE_S,
                headers={"authorization": f"Bearer {OPERATOR_KEY}"},
                trust_env=False,
            )
            metrics = httpx.AsyncClient(timeout=PATIENCE_S, trust_env=False)
            for client in (http, metrics):
                stack.push_async_callback(client.aclose)
            made = Machines(net, http, metrics)
            await start(
                stack, net, "lobby", "casino_lobby",
                CASINO_LOBBY_DATA=str(tmp_path / "lobby"),
                CASINO_LOBBY_LAUNCH_TABLES="false",
                CASINO_LOBBY_TABLE_SILENCE=SILENCE,
                CASINO_LOBBY_FLEET_KEY=FLEET_KEY,
                CASINO_LOBBY_OPERATOR_TOKEN=OPERATOR_KEY,
            )  # fmt: skip
            for port, style in (("4601", "caller"), ("4602", "maniac")):
                await start(
                    stack, net, "players", "casino_player_example",
                    arguments=[style], port=port,
                    CASINO_PLAYER_THINK="10ms", CASINO_PLAYER_KEY=PLAYER_KEY,
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
    await eventually(lambda: machines.opens(body))
    for port in ("4601", "4602"):
        player = {"agentCardUrl": keyed_address(machines.card("players", port), PLAYER_KEY)}
        seated = await machines.http.post("/v1/rooms/main/players", json=player)
        assert seated.status_code == 201, seated.text


async def test_a_table_cut_off_from_its_lobby_pauses_before_the_room_moves(
    machines: Machines,
) -> None:
    """Its players are asked by the other table only after its lease; it is fenced on return."""
    net = machines.net
    await eventually(lambda: machines.has_decided("first", 20))
    net.cut("first", "lobby")
    await eventually(lambda: machines.has_decided("second", 1), every=POLL_S)
    newest = await machines.decisions("first")
    await eventually(lambda: machines.has_decided("second", 20))
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
    await eventually(lambda: machines.opens(body))
    opened = await machines.http.get("/v1/rooms/next")
    assert opened.json()["tableAgentCardUrl"] == machines.card("first")
