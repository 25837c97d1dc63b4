"""Simulated table processes on machines, and the network between them and a lobby.

A table answers the calls that a lobby makes to place, to reconcile and to close a room. What is
true of a table (whether it serves a room, and until when its lease lasts) is kept here, so that it
can be compared with what the lobby believes.
"""

import asyncio
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any, Literal

from casino_agentkit import RemoteRefused, TimedOut, Unreachable
from casino_agentkit.protocol import CARD_PATH
from casino_contracts import ConfigureTableInput, Reason, RoomKey, TableEvent, WireModel

CLOSE, CONFIGURE = "closeTable", "configureTable"
_SKILLS = frozenset({CLOSE, CONFIGURE, "tableSummary"})
_REFUSED_COMMAND = -32004
_STARTED = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(eq=False)
class Machine:
    """A machine and whether its network works."""

    number: int
    processes: list["Process"] = field(default_factory=list)
    linked: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(eq=False)
class Process:
    """A table process: an origin with several tables."""

    machine: Machine
    number: int
    tables: list["Table"] = field(default_factory=list)
    up: asyncio.Event = field(default_factory=asyncio.Event)
    is_powered: bool = True
    """Whether the machine answers for it: refuses connections while it is down."""
    is_busy: bool = False
    """Whether a failure or an update of it is being played."""

    @property
    def is_reachable(self) -> bool:
        """Whether calls arrive and announcements get out."""
        return self.up.is_set() and self.machine.linked.is_set()


@dataclass(eq=False)
class Table:
    """A table agent."""

    card_url: str
    process: Process
    room_id: str | None = None
    epoch: int = 0
    sequence: int = 0
    lease_until: float = 0.0
    leaving: Literal["soon", "now"] | None = None
    is_known: bool = False
    """Whether it has announced itself since its process started."""

    def free(self) -> None:
        """Serve no room."""
        self.room_id, self.epoch, self.sequence, self.lease_until = None, 0, 0, 0.0

    def token(self, secret: str) -> str | None:
        """Return the token that proves which room it serves."""
        return RoomKey.of_epoch(secret, self.epoch).events if self.room_id else None

    def summary(self) -> dict[str, Any]:
        """Return the reply that a lobby reads."""
        return {
            "table_id": self.room_id or "",
            "status": "waiting",
            "epoch": self.epoch,
            "sequence": self.sequence,
        }


class World:
    """All machines; `served` is called when a table has been given a room.

    `unreached` is called with the seconds that a call in vain took; `closed` delivers the event of
    a table that has closed.
    """

    def __init__(self, rng: random.Random, clock: Callable[[], float]) -> None:
        self.rng = rng
        self.clock = clock
        self.machines: list[Machine] = []
        self.processes: list[Process] = []
        self.tables: dict[str, Table] = {}
        self.served: Callable[[Table], None] = lambda _table: None
        self.unreached: Callable[[Table, float], None] = lambda _table, _seconds: None
        self.closed: Callable[[TableEvent], None] = lambda _event: None

    def build(self, machines: int, processes: int, tables: int) -> None:
        """Add machines with so many processes each, and those with so many tables each."""
        for number in range(machines):
            machine = Machine(number)
            machine.linked.set()
            self.machines.append(machine)
            for port in range(processes):
                process = Process(machine, len(self.processes))
                process.up.set()
                machine.processes.append(process)
                self.processes.append(process)
                host = f"http://10.{number // 250}.{number % 250}.1:{4500 + port}"
                for place in range(tables):
                    table = Table(f"{host}/tables/{place}{CARD_PATH}", process)
                    process.tables.append(table)
                    self.tables[table.card_url] = table

    async def reach(self, card_url: str, timeout: timedelta) -> Table:
        """Return a table after the time of a call; raises Unreachable, TimedOut."""
        table = self.tables[card_url]
        latency = self.rng.uniform(0.001, 0.02)
        if table.process.machine.linked.is_set() and table.process.is_powered:
            await asyncio.sleep(latency)
        if not (table.process.machine.linked.is_set() and table.process.is_powered):
            await asyncio.sleep(timeout.total_seconds())
            self.unreached(table, timeout.total_seconds())
            raise TimedOut(card_url, "no answer")
        if not table.process.up.is_set():
            raise Unreachable(card_url, "connection refused")
        return table

    # As the lobby's client of tables.

    async def resolve(self, card_url: str, *, timeout: timedelta) -> "SimulatedPeer":
        """Return a table's agent; raises Unreachable, TimedOut."""
        return SimulatedPeer(self, await self.reach(card_url, timeout))

    async def close(self) -> None:
        """Do nothing."""


@dataclass(frozen=True)
class _Card:
    security_schemes: frozenset[str] = frozenset({"roomKey"})


class SimulatedPeer:
    """A table as the lobby calls it."""

    card = _Card()
    skills = _SKILLS
    is_invoke = False
    signer = None
    about: Mapping[str, Any] = MappingProxyType({})

    def __init__(self, world: World, table: Table) -> None:
        self._world = world
        self._table = table

    async def call(
        self,
        skill: str,
        message: WireModel,
        output: type[WireModel],
        *,
        timeout: timedelta,
        token: str | None,  # noqa: ARG002  a simulated table believes the lobby
    ) -> WireModel:
        """Return the reply of a table; raises Unreachable, TimedOut, RemoteRefused."""
        table = await self._world.reach(self._table.card_url, timeout)
        if isinstance(message, ConfigureTableInput):
            self._configure(table, message)
        elif skill == CLOSE and table.room_id is not None:
            table.sequence += 1
            event = TableEvent(
                table_id=table.room_id,
                event_type="table_status",
                message="closed",
                timestamp=_at(self._world.clock()),
                payload={"kind": "closed", "status": "idle"},
                sequence=table.sequence,
                epoch=table.epoch,
            )
            table.free()
            self._world.closed(event)
        return output.model_construct(**table.summary())

    def _configure(self, table: Table, message: ConfigureTableInput) -> None:
        if table.room_id not in {None, message.table_id} or table.leaving is not None:
            raise RemoteRefused(
                table.card_url,
                "it serves another room, or leaves",
                code=_REFUSED_COMMAND,
                reason=Reason.TABLE_BUSY,
            )
        is_new = table.epoch != message.epoch
        table.room_id, table.epoch = message.table_id, message.epoch or 1
        table.sequence = 0 if is_new else table.sequence
        table.lease_until = self._world.clock() + (message.lease_ms or 0) / 1000
        self._world.served(table)


def _at(seconds: float) -> str:
    return (_STARTED + timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")
