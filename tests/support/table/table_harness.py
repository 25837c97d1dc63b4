"""A table agent for an evening: a town with a lobby and players, and a clock that tests move."""

import asyncio
import random
from typing import Any

from casino_contracts import StartGameInput, TableEvent, TableSummary
from casino_table.journal.journal import Log
from casino_table.journal.memory_log import MemoryLog
from casino_table.lifecycle import TableDependencies
from casino_table.metrics import TableMetrics
from casino_table.service import TableService
from prometheus_client import CollectorRegistry

from support.table.table_side import (
    CONFIG,
    Decide,
    InProcessNetwork,
    LobbyStub,
    Player,
    StillClock,
    configuring,
    seating,
)

Rules = dict[str, Any]


class TableHarness:
    """A table agent in a town with a lobby and players."""

    def __init__(self) -> None:
        self.town, self.lobby, self.clock = InProcessNetwork(), LobbyStub(), StillClock()
        self.town.add("lobby", self.lobby.agent())
        self.players: list[Player] = []
        self.cards: list[str] = []
        self.host = self.host_with()

    def host_with(self, max_undelivered: int = 50_000, log: Log | None = None) -> TableService:
        """Return a table agent of this town."""
        self.registry = CollectorRegistry()
        entropy = iter(f"entropy {n}" for n in range(1000))
        return TableService(
            TableDependencies(
                self.town.client(),
                self.clock,
                random.Random(1),
                lambda: next(entropy),
                TableMetrics(self.registry),
                max_undelivered,
            ),
            log or MemoryLog(),
        )

    async def begin(self, *decides: Decide, rules: Rules | None = None, **given: Any) -> None:
        """Configure the table and seat players."""
        await self.host.configure(configuring(config={**CONFIG, **(rules or {})}, **given))
        for decide in decides:
            await self.join(decide)

    async def join(self, decide: Decide, **seat: Any) -> Player:
        """Seat one more player."""
        number = len(self.players)
        player = Player(f"Player {number}", decide)
        self.players.append(player)
        self.cards.append(self.town.add(f"p{number}", player.agent()))
        await self.host.register(seating(number, self.cards[number], **seat))
        return player

    async def play(self, **overrides: Any) -> TableSummary:
        """Play a session to its end; returns the summary then."""
        await self.host.start(StartGameInput.model_validate(overrides))
        return await self.end()

    async def end(self) -> TableSummary:
        """Wait for the session's end and the last event's delivery."""
        now = self.host._active
        assert now is not None
        assert now.playing is not None
        await asyncio.wait_for(asyncio.wait([now.playing]), 30)
        await self.delivered()
        return await self.host.summary()

    async def delivered(self) -> None:
        """Wait until the lobby has everything."""
        now = self.host._active
        assert now is not None
        while now.journal.undelivered:
            await asyncio.sleep(0)

    def events(self, *kinds: str) -> list[TableEvent]:
        """Return the events of some types, or table_status events of some kinds."""
        return [
            event
            for event in self.lobby.events
            if event.event_type in kinds or (event.payload or {}).get("kind") in kinds
        ]
