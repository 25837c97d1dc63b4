"""A casino in one process with operator key and fleet key, for forged calls."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from itertools import count
from typing import Any, NamedTuple

import httpx
from casino.attack.attack_target import AttackedAgent, AttackTarget, Token
from casino.attack.attack_traffic import Traffic, origin_of
from casino.attack.binding_calls import BINDINGS, TriedBinding, TriedReply
from casino.attack.callback_server import CallbackServer
from casino_agentkit import HttpReply
from casino_contracts import seat_token
from casino_lobby.access.lobby_rules import LobbyRules
from casino_table.service import TableService
from casino_table.table_agent import TableRules

from support.casino.casino_side import LOBBY, CasinoHarness, Operator, Rules
from support.direct import DirectTransport
from support.in_process import InProcessTransport
from support.processes import eventually

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

    def __init__(self, tables: int, **more: Any) -> None:
        self.wire = Tapped()
        secrets = count(1)
        settings = {
            "operator_token": OPERATOR_KEY,
            "launch_tables": False,
            "commands_per_minute": 0,  # an attacker who waits has no budget to fear
        }
        super().__init__(
            tables,
            new_secret=lambda: f"secret-{next(secrets)}",
            transport=self.wire,
            **{**settings, **more},
        )
        self.traffic = Traffic(ByOrigin(self.transport))
        self.traffic.allow(LOBBY)
        self.traffic.allow("http://tables")
        self.target = AttackTarget(self.traffic, AttackedAgent("the lobby", LOBBY), _no_canary)

    def operator(self) -> Operator:
        return Operator(self)

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

    def table(self, number: int = 1) -> AttackedAgent:
        """Return a table as an attacker sees it."""
        return AttackedAgent(f"table {number}", f"http://tables/tables/{number}")

    def player_agent(self, name: str) -> AttackedAgent:
        """Return a player as an attacker sees it."""
        self.traffic.allow(f"http://{name}")
        return AttackedAgent(name, f"http://{name}")

    def seat_token(self, player_id: str, room_id: str = "r1") -> str:
        return seat_token(self.stored(room_id).secret, player_id)

    async def call(
        self,
        agent: AttackedAgent,
        skill: str,
        data: Any,
        token: str | None = None,
        binding: TriedBinding = BINDINGS[0],
    ) -> TriedReply:
        """Call an agent with the attacker's client."""
        shown = Token("this token", token)
        return (await self.target.call(agent, skill, data, shown, binding)).reply


async def _no_canary() -> CallbackServer:
    raise AssertionError("this network has no sockets")


@asynccontextmanager
async def keyed_casino(
    tables: int = 2,
    *,
    table_rules: Callable[[TableService, str | None], TableRules] = TableRules,
    lobby_rules: Callable[..., LobbyRules] = LobbyRules,
    fleet_key: str | None = FLEET_KEY,
    **lobby: Any,
) -> AsyncIterator[KeyedCasino]:
    """Run a casino with announced tables, and end it."""
    rules = Rules(table_rules, lobby_rules)
    network = KeyedCasino(tables, fleet_key=fleet_key, rules=rules, **lobby)
    async with network.tables.running(), network.lobby.running():
        if fleet_key is not None:
            await network.announce(*range(1, tables + 1))
        yield network
    await network.traffic.close()
