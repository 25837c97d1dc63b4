"""A table agent with a lobby and players in one process, and a clock that tests move."""

import random
from collections.abc import Callable
from typing import Any

from casino_agentkit import CardSigner
from casino_contracts import StartGameInput, TableEvent, TableSummary
from casino_games import game_class
from casino_table.delivery.event_publisher import EventDelivery
from casino_table.domain.table import Table
from casino_table.journal.journal_log import Log, MemoryLog
from casino_table.running_table import TableDependencies
from casino_table.service import TableService
from casino_table.table_metrics import TableMetrics
from prometheus_client import CollectorRegistry

from support.players.any_player import AnyPlayer
from support.processes import run_until
from support.table.table_side import (
    CONFIG,
    Decide,
    InProcessNetwork,
    LobbyStub,
    Player,
    SlowTransport,
    configuring,
    seating,
)
from support.table.virtual_clock import VirtualClock

Rules = dict[str, Any]


class TableHarness:
    """A table agent in a network with a lobby and players.

    `log` is the table's journal. Play pauses above `max_undelivered` events.
    """

    def __init__(
        self,
        log: Log | None = None,
        max_undelivered: int = 50_000,
        latency_s: float = 0.002,
        signer: CardSigner | None = None,
    ) -> None:
        self.network = InProcessNetwork(SlowTransport(latency_s))
        self.lobby, self.clock = LobbyStub(), VirtualClock()
        self.network.add("lobby", self.lobby.agent())
        self.players: list[Player] = []
        self.cards: list[str] = []
        self._max_undelivered = max_undelivered
        self._signer = signer
        self._serve(log or MemoryLog())

    def _serve(self, log: Log) -> None:
        self.registry = CollectorRegistry()
        entropy = iter(f"entropy {n}" for n in range(1000))
        client = self.network.client()
        dependencies = TableDependencies(
            client,
            self.clock,
            EventDelivery(client, self.clock, random.Random(1)),
            lambda: next(entropy),
            TableMetrics(self.registry),
            self._max_undelivered,
            signer=self._signer,
        )
        self.host = TableService(dependencies, log)

    @property
    def table(self) -> Table:
        assert self.host.running is not None
        return self.host.running.table

    async def resume(self, log: Log) -> None:
        """Serve the table of a journal with a new agent, as after a restart."""
        self._serve(log)
        await self.host.resume()

    def add_player(self, decide: Decide) -> int:
        """Serve one more player agent; returns its number."""
        number = len(self.players)
        player = Player(f"Player {number}", decide)
        self.players.append(player)
        self.cards.append(self.network.add(f"p{number}", player.agent()))
        return number

    async def begin(self, *decides: Decide, rules: Rules | None = None, **given: Any) -> None:
        await self.host.configure(configuring(config={**CONFIG, **(rules or {})}, **given))
        for decide in decides:
            await self.join(decide)

    async def join(self, decide: Decide, **seat: Any) -> Player:
        number = self.add_player(decide)
        await self.host.register(seating(number, self.cards[number], **seat))
        return self.players[number]

    async def play(self, **overrides: Any) -> TableSummary:
        """Play a session to its end; returns the summary then."""
        await self.host.start(StartGameInput.model_validate(overrides))
        return await self.end()

    async def end(self) -> TableSummary:
        """Wait until the session is over and the lobby has all events."""
        await self.host.wait_idle()
        return await self.host.summary()

    async def until(self, condition: Callable[[], object]) -> None:
        await run_until(condition)

    def events(self, *kinds: str) -> list[TableEvent]:
        """Return the events of some types, or table_status events of some kinds."""
        return [
            event
            for event in self.lobby.events
            if event.event_type in kinds or (event.payload or {}).get("kind") in kinds
        ]

    def payloads(self, *kinds: str) -> list[dict[str, Any]]:
        return [event.payload or {} for event in self.events(*kinds)]

    def timeless_events(self) -> list[dict[str, Any]]:
        """Return all events that the lobby has, as JSON without times."""
        return [timeless(event) for event in self.lobby.events]


def timeless(event: TableEvent) -> dict[str, Any]:
    return {
        **event.model_dump(mode="json", exclude={"timestamp", "payload"}),
        "payload": {k: v for k, v in (event.payload or {}).items() if k != "latencyMs"},
    }


ANY_GAME_RULES = {
    "startingStack": 400,
    "minBuyIn": 40,
    "maxBuyIn": 400,
    "maxHands": 12,
    "rebuy": "auto",
}


async def any_game_harness(
    game_type: str,
    *decides: Any,
    log: Log | None = None,
    game_config: dict[str, Any] | None = None,
    **rules: Any,
) -> tuple[TableHarness, list[AnyPlayer]]:
    """Return a table of a game, and its players."""
    harness = TableHarness(log)
    seats = len(decides)
    given = configuring(
        gameType=game_type,
        gameConfig=game_config or {},
        config={
            **configuring().config.model_dump(mode="json"),
            **ANY_GAME_RULES,
            "maxSeats": max(2, seats),
            "seed": "any",
            **rules,
        },
    )
    callback = given.casino_callback.model_copy(update={"secret": "the room's own"})
    await harness.host.configure(given.model_copy(update={"casino_callback": callback}))
    players = [AnyPlayer(f"Any {number}", decide) for number, decide in enumerate(decides)]
    for number, player in enumerate(players):
        card = harness.network.add(f"p{number}", player.agent())
        seat = seating(number, card, playsAnyGame=True, startingStack=400)
        await harness.host.register(seat)
    return harness, players


def counts(game_type: str) -> list[int]:
    """Return the numbers of players with which a game is tested."""
    game = game_class(game_type)
    return sorted({game.min_players, min(3, game.max_players)})
