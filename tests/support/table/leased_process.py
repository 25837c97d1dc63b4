"""A process of announced tables, a lobby that leases rooms, and a network that can be cut."""

import random
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from casino_agentkit import (
    ANYONE,
    Agent,
    CommandRefused,
    RemoteAgent,
)
from casino_contracts import (
    NoInput,
    PlayerSeat,
    RegisterTableInput,
    RegisterTableOutput,
    StartGameInput,
    TableEvent,
    TableSummary,
)
from casino_table.app import build_app
from casino_table.settings import TableSettings

from support.table.table_side import (
    CONFIG,
    SOON,
    Decide,
    InProcessNetwork,
    LobbyStub,
    Player,
    SlowTransport,
    configuring,
    seating,
)
from support.table.virtual_clock import VirtualClock

LEASE_S = 4.0
WITHIN_S = LEASE_S / 0.8 / 3
"""A lobby gives the room of a table to another one after a silence of 5 s."""
SLOW_PLAYERS = {"actionTimeoutMs": 300_000}
"""A clock that ends long after leases do."""
_URL = "http://tables"


class LeasingLobby(LobbyStub):
    """A lobby that leases the room `t1`, and moves it on command."""

    def __init__(self, now: Callable[[], float]) -> None:
        super().__init__()
        self._now = now
        self.announcements: list[tuple[float, RegisterTableInput]] = []
        self.lease_ms: int | None = round(LEASE_S * 1000)
        self.epoch = 1
        self.refuses_moved = False
        """Whether the announcement of a table whose room has moved is refused, not only answered
        without a lease."""
        self.releases_after = 1
        """The number of the goodbye at which another table has the room."""
        self._goodbyes = 0

    def _take(self, event: TableEvent) -> None:
        if (event.epoch or 1) < self.epoch:
            raise CommandRefused("STALE_EPOCH", "the room has moved")
        super()._take(event)

    def agent(self) -> Agent:
        agent = super().agent()

        @agent.entrypoint("registerTable", who=ANYONE)
        async def register(request: RegisterTableInput) -> RegisterTableOutput:
            """Take an announcement."""
            self.announcements.append((self._now(), request))
            if self.refuses_moved and request.table_id and (request.epoch or 1) < self.epoch:
                raise CommandRefused("STALE_EPOCH", "the room has moved")
            is_current = request.table_id is not None and request.epoch == self.epoch
            is_released = None
            if request.leaving == "now":
                self._goodbyes += 1
                is_released = not request.table_id or self._goodbyes >= self.releases_after
            return RegisterTableOutput(
                lease_ms=self.lease_ms if is_current else None,
                announce_within_ms=round(WITHIN_S * 1000),
                is_released=is_released,
            )

        return agent


class LeasedProcess:
    """A table process with its lobby and players; `data` is the directory of its journals."""

    def __init__(self, data: Path | None = None, **settings: Any) -> None:
        self.clock = VirtualClock()
        self.transport = SlowTransport(0)
        self.network = InProcessNetwork(self.transport)
        self.lobby = LeasingLobby(self.clock.now)
        self.network.add("lobby", self.lobby.agent())
        self.players: list[Player] = []
        self.asked_at: list[float] = []
        """The times of all questions to players."""
        self._settings = {"data": data, "lobby_url": "http://lobby", **settings}
        self.start()

    def start(self) -> None:
        self.service = build_app(
            TableSettings(**self._settings),
            _URL,
            transport=self.transport,
            clock=self.clock,
            rng=random.Random(1),
        )
        self.transport.apps[_URL] = self.service.asgi()

    def running(self) -> AbstractAsyncContextManager[None]:
        return self.service.running()

    def cut(self) -> None:
        """Let everything vanish that is sent to the lobby."""
        self.transport.vanishes = lambda url, _body: url.startswith("http://lobby")

    def heal(self) -> None:
        self.transport.vanishes = lambda _url, _body: False

    async def peer(self) -> RemoteAgent:
        return await self.network.client().resolve(_URL, timeout=SOON)

    async def configure(
        self, lease_ms: int | None = round(LEASE_S * 1000), **changes: Any
    ) -> TableSummary:
        config = {
            **CONFIG,
            "maxHands": 100_000,
            "rebuy": "auto",
            "paceMs": 100,
            "actionTimeoutMs": 300_000,
        }
        request = configuring(**{"epoch": 1, "leaseMs": lease_ms, "config": config, **changes})
        return await (await self.peer()).call("configureTable", request, TableSummary, timeout=SOON)

    async def begin(self, *decides: Decide, lease_ms: int | None = round(LEASE_S * 1000)) -> None:
        await self.configure(lease_ms)
        table = await self.peer()
        for number, decide in enumerate(decides):
            player = Player(f"Player {number}", self._timed(decide))
            self.players.append(player)
            card_url = self.network.add(f"p{number}", player.agent())
            await table.call("registerPlayer", seating(number, card_url), PlayerSeat, timeout=SOON)

    def _timed(self, decide: Decide) -> Decide:
        def deciding(request: Any) -> Any:
            self.asked_at.append(self.clock.time)
            return decide(request)

        return deciding

    async def play(self) -> None:
        table = await self.peer()
        await table.call("startGame", StartGameInput(), TableSummary, timeout=SOON)

    async def summary(self) -> TableSummary:
        table = await self.peer()
        return await table.call("tableSummary", NoInput(), TableSummary, timeout=SOON)

    def metric(self, name: str) -> float | None:
        return self.service.registry.get_sample_value(name)

    def count(self, *kinds: str) -> int:
        return sum(
            event.event_type in kinds or (event.payload or {}).get("kind") in kinds
            for event in self.lobby.events
        )
