"""A fleet in one process: each table is a process of its own, and can be cut off from the lobby."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Literal
from urllib.parse import urlsplit

from casino_agentkit import HttpReply
from casino_agentkit.errors import TimedOut, Unreachable
from casino_contracts import ActionRequest, ActionResponse, RegisterTableInput, RegisterTableOutput
from casino_table.app import build_app as build_tables
from casino_table.settings import TableSettings

from support.casino.casino_side import LOBBY, CasinoHarness, Operator
from support.in_process import InProcessTransport
from support.processes import run_until
from support.table.table_side import CONFIG, SOON, calling
from support.table.virtual_clock import VirtualClock

SILENCE_S = 4.0
"""The lobby's limit of a table's silence, of its own clock."""
TWO_LOOKS_S = 2.5 * SILENCE_S / 20
"""Within this time, of the loop's clock, the lobby's watch looks twice for lost tables."""
Leaving = Literal["soon", "now"]


async def _pass_on(_host: str, _body: bytes) -> None:
    pass


class CutTransport(InProcessTransport):
    """A network from which origins are cut off: refused at once, or without any answer."""

    def __init__(self) -> None:
        super().__init__()
        self.refused: set[str] = set()
        self.black_holed: set[str] = set()
        self.before: Callable[[str, bytes], None] = lambda _host, _body: None
        """Gets the host and the body of every request before it is sent."""
        self.after: Callable[[str, bytes], Awaitable[None]] = _pass_on
        """Gets them when the reply has come, which waits for it."""

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, timeout_s: float
    ) -> HttpReply:
        """Return the application's reply; raises Unreachable, TimedOut."""
        host = urlsplit(url).netloc
        self.before(host, body)
        if host in self.refused:
            raise Unreachable(url, "connection refused")
        if host in self.black_holed:
            await asyncio.sleep(timeout_s)  # virtual: a network that loses what is sent
            raise TimedOut(url, f"no reply within {timeout_s:.3g} s")
        try:
            async with asyncio.timeout(timeout_s):  # a transport keeps the deadline of a call
                reply = await super().send(method, url, headers, body, timeout_s)
                await self.after(host, body)
        except TimeoutError as error:
            raise TimedOut(url, f"no reply within {timeout_s:.3g} s") from error
        return reply


class FleetHarness(CasinoHarness):
    """A lobby, and tables that are served one by one and announced by the test."""

    def __init__(self, **lobby: Any) -> None:
        self.lobby_network = CutTransport()
        super().__init__(
            transport=self.lobby_network,
            launch_tables=False,
            **{"table_silence": f"{SILENCE_S}s", **lobby},
        )
        self.networks: dict[str, CutTransport] = {}
        """What each table reaches, by its name."""
        self._tables = AsyncExitStack()

    async def serve_tables(self, *names: str) -> None:
        for name in names:
            network = self.networks[name] = CutTransport()
            network.apps = self.transport.apps
            service = build_tables(
                TableSettings(), f"http://{name}", transport=network, clock=VirtualClock()
            )
            self.serve(name, service)
            await self._tables.enter_async_context(service.running())

    @asynccontextmanager
    async def succeeding(self, earlier: "FleetHarness") -> AsyncIterator[None]:
        """Run the lobby in place of an earlier one, among the same tables and players."""
        self.transport.apps = earlier.transport.apps
        self.networks = earlier.networks
        del self.transport.apps[LOBBY]  # nobody is answered before it is open
        async with self.lobby.running():
            self.serve("lobby", self.lobby)
            yield

    async def stop_tables(self) -> None:
        await self._tables.aclose()

    def cut_off(self, name: str) -> None:
        """Cut a table and the lobby off from each other; the table still reaches its players."""
        self.lobby_network.refused.add(name)
        self.networks[name].refused.add("lobby")

    def heal(self, name: str) -> None:
        """End what `cut_off` did."""
        self.lobby_network.refused.discard(name)
        self.networks[name].refused.discard("lobby")

    async def lose(self, name: str, *, others: tuple[str, ...] = ()) -> None:
        """Cut a table off and let the limit pass; the others announce themselves then."""
        self.cut_off(name)
        self.time += SILENCE_S + 0.1
        for other in others:
            await self.say(other)

    async def say(
        self,
        name: str,
        room_id: str | None = None,
        *,
        epoch: int | None = None,
        token: str | None = None,
        leaving: Leaving | None = None,
    ) -> RegisterTableOutput:
        """Announce a table, which serves a room in an epoch; with the room's token, or another."""
        lobby = await self.client().resolve(LOBBY, timeout=SOON)
        announcement = RegisterTableInput(
            agent_card_url=self.card_of(name),
            table_id=room_id,
            epoch=epoch,
            room_token=token or (self.key(room_id, epoch).events if room_id else None),
            leaving=leaving,
        )
        return await lobby.call("registerTable", announcement, RegisterTableOutput, timeout=SOON)

    def card_of(self, name: str) -> str:
        """Return the card URL of a table."""
        return f"http://{name}/.well-known/agent-card.json"

    def table_of(self, room_id: str = "r1") -> str:
        return urlsplit(self.stored(room_id).table_card_url).netloc

    async def chips_of(self, room_id: str = "r1") -> int:
        """Return the chips of a room's players by the books, which have to balance."""
        balances = self.stored(room_id).ledger.balances
        assert sum(balances.values()) == 0
        assert "discrepancy" not in balances
        return sum(chips for account, chips in balances.items() if account.startswith("player:"))


class FleetOperator(Operator):
    """Opens rooms on tables of the fleet."""

    network: FleetHarness

    async def open_in_fleet(
        self, room_id: str = "r1", table: str | None = None, **config: Any
    ) -> None:
        """Open a room, at a table that is named or at any."""
        body = {"roomId": room_id, "config": {**CONFIG, "maxHands": 100_000, **config}}
        if table is not None:
            body["tableAgentCardUrl"] = self.network.card_of(table)
        reply = await self.post("/v1/rooms", body)
        assert reply.status_code == 201, reply.text

    async def play_in_fleet(self, room_id: str = "r1", hands: int = 2, **config: Any) -> None:
        """Open a room of two players, who start by themselves, and let some hands be played."""
        await self.open_in_fleet(room_id, **{"maxSeats": 2, **config})
        for seat in ("ada", "bob"):
            name = f"{seat}-{room_id}"
            self.network.player(name, unhurried)
            reply = await self.seat(name, room_id)
            assert reply.status_code == 201, reply.text
        await self.until_hands(hands, room_id)

    async def until_hands(self, hands: int, room_id: str = "r1") -> None:
        """Wait until so many more hands are recorded."""
        room = self.network.stored(room_id)
        wanted = room.hand_count + hands
        await run_until(lambda: room.hand_count >= wanted)


async def unhurried(request: ActionRequest) -> ActionResponse:
    """Call, after some milliseconds."""
    await asyncio.sleep(0.03)  # virtual: a player that thinks
    return calling(request)


@asynccontextmanager
async def fleet_harness(*tables: str, **lobby: Any) -> AsyncIterator[FleetHarness]:
    """Run a lobby and tables, which are announced; `lobby` are its settings."""
    network = FleetHarness(**lobby)
    try:
        async with network.lobby.running():
            await network.serve_tables(*tables)
            for name in tables:
                await network.say(name)
            yield network
    finally:
        await network.stop_tables()
