"""A casino in one process with operator key and fleet key, for forged calls."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from itertools import count
from typing import Any, NamedTuple

import httpx
from casino.attack.attacks.reply import Reply
from casino.attack.attacks.traffic import Traffic
from casino.attack.bindings import BINDINGS, Binding
from casino.attack.canary import Canary
from casino.attack.reach import origin_of
from casino.attack.target import Agent, Target, Token
from casino_agentkit import HttpReply, InProcessTransport
from casino_contracts import RegisterTableInput, RegisterTableOutput, RoomKey, seat_token
from casino_lobby.access.rules import LobbyRules
from casino_lobby.app import build_app as build_lobby
from casino_lobby.domain.room import Room
from casino_lobby.settings import LobbySettings
from casino_lobby.store import MemoryStore
from casino_table.app import build_app as build_tables
from casino_table.rules import TableRules
from casino_table.service import TableService
from casino_table.settings import TableSettings

from support.casino.casino_side import LOBBY, CasinoHarness, Operator
from support.direct import DirectTransport
from support.processes import eventually
from support.table.table_side import InProcessNetwork
from support.table.virtual_clock import VirtualClock

OPERATOR_KEY, FLEET_KEY = "operator-key-of-the-network", "fleet-key-of-the-network"
CASINO = "A2A Casino"
_SOON = timedelta(seconds=10)


class ByOrigin(httpx.AsyncBaseTransport):
    """Sends an attacker's requests to the applications of a network."""

    def __init__(self, network: InProcessTransport) -> None:
        self._network = network

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer as the application at that origin."""
        app = self._network.apps.get(origin_of(str(request.url)))
        if app is None:
            raise httpx.ConnectError("nobody is there", request=request)
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        return await transport.handle_async_request(request)


class Sent(NamedTuple):
    """A request of one agent of the network to another."""

    url: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def token(self) -> str:
        return self.headers.get("Authorization", "").removeprefix("Bearer ")


class Tapped(DirectTransport):
    """Records what the agents of a network send to each other; `tap` is called after each POST."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[Sent] = []
        self.tap: Callable[[Sent], Awaitable[None]] | None = None

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, timeout_s: float
    ) -> HttpReply:
        """Record and send a request."""
        request = Sent(url, headers, body)
        if method == "POST":
            self.sent.append(request)
        reply = await super().send(method, url, headers, body, timeout_s)
        if method == "POST" and self.tap is not None:
            await self.tap(request)
        return reply

    def to(self, url: str) -> list[Sent]:
        """Return the requests to addresses with this prefix."""
        return [one for one in self.sent if one.url.startswith(url)]


class KeyedCasino(CasinoHarness):
    """A lobby and tables with operator key and fleet key; secrets are known to the test."""

    def __init__(  # its parts are built otherwise, so not by the network's own
        self,
        tables: int,
        table_rules: Callable[[TableService, str | None], TableRules],
        lobby_rules: Callable[..., LobbyRules] | None,
        fleet_key: str | None,
        **lobby: Any,
    ) -> None:
        self.wire = Tapped()
        InProcessNetwork.__init__(self, self.wire)
        self.time = 1000.0
        secrets, ids, entropy = count(1), count(1), count(1)
        self.store = MemoryStore(20_000)
        settings = {
            "operator_token": OPERATOR_KEY,
            "fleet_key": fleet_key,
            "launch_tables": False,
            "commands_per_minute": 0,
        }  # an attacker who waits has no budget to fear
        self.lobby = build_lobby(
            LobbySettings.model_validate({**settings, **lobby}),
            LOBBY,
            transport=self.transport,
            clock=lambda: self.time,
            new_id=lambda kind: f"{kind}-{next(ids)}",
            new_secret=lambda: f"secret-{next(secrets)}",
            store=self.store,
            rules_of=lobby_rules,
        )
        self.fleet_key, self.operator_key = fleet_key, OPERATOR_KEY
        self.tables = build_tables(
            TableSettings.model_validate({"count": tables, "fleet_key": fleet_key}),
            "http://tables",
            transport=self.transport,
            clock=VirtualClock(),
            entropy=lambda: f"entropy {next(entropy)}",
            rules_of=table_rules,
        )
        self.serve("lobby", self.lobby)
        self.serve("tables", self.tables)
        self.players = {}
        self.traffic = Traffic(ByOrigin(self.transport))
        self.traffic.allow(LOBBY)
        self.traffic.allow("http://tables")
        self.target = Target(self.traffic, Agent("the lobby", LOBBY), _no_canary)

    async def announce_with_key(self, *numbers: int, **more: Any) -> None:
        """Announce tables with the fleet key."""
        client = self.client()
        lobby = await client.resolve(LOBBY, timeout=_SOON)
        for number in numbers:
            given = RegisterTableInput(agent_card_url=self.table_card(number), **more)
            await lobby.call(
                "registerTable", given, RegisterTableOutput, timeout=_SOON, token=self.fleet_key
            )

    def operator(self) -> Operator:
        operator = Operator(self)
        operator.http.headers["authorization"] = f"Bearer {OPERATOR_KEY}"
        return operator

    async def play(self, room_id: str, table: int, *names: str, **rules: Any) -> None:
        """Open a room, seat players of the network, and play a session to its end."""
        operator = self.operator()
        await operator.open(room_id, table, seed=None, **rules)
        for name in names:
            if name not in self.players:
                self.player(name)
            reply = await operator.seat(name, room_id)
            assert reply.status_code == 201, reply.text
        started = await operator.post(f"/v1/rooms/{room_id}/start")
        assert started.status_code == 202, started.text
        await self.until(room_id, "idle")

    async def play_two_rooms(self, hands: int) -> None:
        await self.play("r1", 1, "ada", "bob", maxHands=hands)
        await self.play("r2", 2, "cleo", "dan", maxHands=hands)

    async def until(self, room_id: str, status: str) -> None:
        """Wait until a room has a status or a state."""

        async def has_it() -> bool:
            room = self.stored(room_id)
            return status in {room.status, room.shown_state}

        await eventually(has_it, every=0.005)

    def table(self, number: int = 1) -> Agent:
        """Return a table as an attacker sees it."""
        return Agent(f"table {number}", f"http://tables/tables/{number}")

    def player_agent(self, name: str) -> Agent:
        """Return a player as an attacker sees it."""
        self.traffic.allow(f"http://{name}")
        return Agent(name, f"http://{name}")

    def stored(self, room_id: str = "r1") -> Room:
        room = self.store.room(room_id)
        assert room is not None
        return room

    def key(self, room_id: str = "r1", epoch: int | None = None) -> RoomKey:
        return self.stored(room_id).key(epoch)

    def seat_token(self, player_id: str, room_id: str = "r1") -> str:
        return seat_token(self.stored(room_id).secret, player_id)

    async def call(
        self,
        agent: Agent,
        skill: str,
        data: Any,
        token: str | None = None,
        binding: Binding = BINDINGS[0],
    ) -> Reply:
        """Call an agent with the attacker's client."""
        shown = Token("this token", token)
        return (await self.target.call(agent, skill, data, shown, binding)).reply


async def _no_canary() -> Canary:
    raise AssertionError("this network has no sockets")


@asynccontextmanager
async def keyed_casino(
    tables: int = 2,
    *,
    table_rules: Callable[[TableService, str | None], TableRules] = TableRules,
    lobby_rules: Callable[..., LobbyRules] | None = None,
    fleet_key: str | None = FLEET_KEY,
    **lobby: Any,
) -> AsyncIterator[KeyedCasino]:
    """Run a casino with announced tables, and end it."""
    network = KeyedCasino(tables, table_rules, lobby_rules, fleet_key, **lobby)
    async with network.tables.running(), network.lobby.running():
        if fleet_key is not None:
            await network.announce_with_key(*range(1, tables + 1))
        yield network
    await network.traffic.close()
