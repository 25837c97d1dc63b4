"""A casino in one process: a real lobby, real tables and players, no sockets."""

from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import httpx
from casino_agentkit import Agent, AgentClient, Service
from casino_contracts import RegisterTableInput, RegisterTableOutput, RoomKey, RoomSnapshot
from casino_lobby.access.lobby_rules import LobbyRules
from casino_lobby.app import build_app as build_lobby
from casino_lobby.domain.display_names import NameBook
from casino_lobby.domain.room import Room
from casino_lobby.settings import LobbySettings, PortRange
from casino_lobby.store import MemoryStore, Store
from casino_table.app import build_app as build_tables
from casino_table.service import TableService
from casino_table.settings import TableSettings
from casino_table.table_agent import TableRules

from support.casino.casino import Casino
from support.in_process import InProcessTransport
from support.processes import eventually
from support.table.table_side import CONFIG, SOON, Decide, InProcessNetwork, Player, calling
from support.table.virtual_clock import VirtualClock

LOBBY = "http://lobby"


class Rules(NamedTuple):
    """Who may call whom; a test may leave defences out."""

    table: Callable[[TableService, str | None], TableRules] = TableRules
    lobby: Callable[..., LobbyRules] = LobbyRules


DEFENDED = Rules()


class CasinoHarness(InProcessNetwork):
    """A lobby, a process of tables, and players; tables keep their journals in `table_data`."""

    def __init__(
        self,
        tables: int = 3,
        store: Store | None = None,
        new_secret: Callable[[], str] = lambda: "secret",
        transport: InProcessTransport | None = None,
        name_book: NameBook | None = None,
        table_data: Path | None = None,
        fleet_key: str | None = None,
        rules: Rules = DEFENDED,
        **lobby: Any,
    ) -> None:
        super().__init__(transport)
        self.time = 1000.0  # the lobby's
        names: defaultdict[str, count[int]] = defaultdict(lambda: count(1))
        self.store = store or MemoryStore(20_000)
        self.fleet_key = fleet_key
        settings = LobbySettings.model_validate(
            {"table_ports": PortRange(0, 0), "fleet_key": fleet_key, **lobby}
        )
        token = settings.operator_token
        self.operator_key = token.get_secret_value() if token else None
        self.lobby = build_lobby(
            settings,
            LOBBY,
            transport=self.transport,
            clock=lambda: self.time,
            new_id=lambda kind: f"{kind}-{next(names[kind])}",
            new_secret=new_secret,
            store=self.store,
            names=name_book,
            rules_of=rules.lobby,
        )
        entropy = (f"entropy {n}" for n in count())
        self.tables = build_tables(
            TableSettings.model_validate(
                {"count": tables, "data": table_data, "fleet_key": fleet_key}
            ),
            "http://tables",
            transport=self.transport,
            clock=VirtualClock(),
            entropy=lambda: next(entropy),
            rules_of=rules.table,
        )
        self.serve("lobby", self.lobby)
        self.serve("tables", self.tables)
        self.players: dict[str, Player] = {}

    def serve(self, name: str, service: Service) -> None:
        """Serve a whole service at an origin."""
        self.transport.apps[f"http://{name}"] = service.asgi()

    def table_card(self, number: int = 1) -> str:
        return f"http://tables/tables/{number}/.well-known/agent-card.json"

    def player(self, name: str, decide: Decide = calling, **signup: Any) -> str:
        """Add a player agent; returns its card URL."""
        self.players[name] = Player(name, decide, **signup)
        return self.add(name, self.players[name].agent())

    def agent(self, name: str, agent: Agent) -> str:
        """Add any agent; returns its card URL."""
        return self.add(name, agent)

    async def announce(self, *numbers: int, table_id: str | None = None) -> None:
        for number in numbers:
            await self.announce_card(self.table_card(number), table_id)

    async def announce_card(self, card_url: str, table_id: str | None = None) -> None:
        lobby = await self.client().resolve(LOBBY, timeout=SOON)
        given = RegisterTableInput(agent_card_url=card_url, table_id=table_id)
        await lobby.call(
            "registerTable", given, RegisterTableOutput, timeout=SOON, token=self.fleet_key
        )

    def stored(self, room_id: str = "r1") -> Room:
        """Return a room as the lobby holds it."""
        room = self.store.room(room_id)
        assert room is not None
        return room

    def key(self, room_id: str = "r1", epoch: int | None = None) -> RoomKey:
        return self.stored(room_id).key(epoch)

    def http(self, key: str | None = None) -> httpx.AsyncClient:
        app = self.transport.apps[LOBBY]
        return httpx.AsyncClient(
            transport=httpx.ASGITransport(app, raise_app_exceptions=False),
            base_url=LOBBY,
            headers={"authorization": f"Bearer {key}"} if key else {},
        )

    def a2a(self) -> AgentClient:
        return self.client()


@asynccontextmanager
async def casino_harness(tables: int = 3, **lobby: Any) -> AsyncIterator[CasinoHarness]:
    """Run a casino, and end it; `lobby` are its settings."""
    network = CasinoHarness(tables, **lobby)
    async with network.tables.running(), network.lobby.running():
        yield network


class Operator(Casino):
    """Sends commands to the lobby over REST, with its key if it has one."""

    def __init__(self, network: CasinoHarness) -> None:
        super().__init__(network.http(network.operator_key))
        self.network = network

    async def post(self, path: str, body: Any = None) -> httpx.Response:
        """Send a command."""
        return await self.http.post(path, json={} if body is None else body)

    async def open(self, room_id: str = "r1", table: int = 1, **config: Any) -> RoomSnapshot:
        config = {**CONFIG, **config}
        card = self.network.table_card(table)
        return await self.open_room(
            {"roomId": room_id, "tableAgentCardUrl": card, "config": config}
        )

    async def seat(self, name: str, /, room_id: str = "r1", **more: Any) -> httpx.Response:
        """Register a player of the network."""
        card = f"http://{name}/.well-known/agent-card.json"
        return await super().seat(card, room_id, **more)

    async def room(self, room_id: str = "r1") -> RoomSnapshot:
        return await super().room(room_id)

    async def until(  # type: ignore[override]  # of one process it may be any condition
        self, condition: Callable[[RoomSnapshot], object], room_id: str = "r1"
    ) -> RoomSnapshot:
        """Return a room once a condition holds for it."""
        rooms: list[RoomSnapshot] = []

        async def holds() -> bool:
            rooms.append(await self.room(room_id))
            return bool(condition(rooms[-1]))

        await eventually(holds, every=0.02)
        return rooms[-1]

    async def idle_room(self, room_id: str = "r1") -> RoomSnapshot:
        """Return a room once its session has ended."""

        def is_idle(room: RoomSnapshot) -> bool:
            return room.summary is not None and room.summary.status == "idle"

        return await self.until(is_idle, room_id)
