"""Simulate rooms that arrive and end on a fleet whose processes and machines fail.

The lobby's own service (announcements, watch, failover, reconciliation, creation and end of rooms)
runs on a clock that jumps from one event to the next, so that hours pass in minutes; tables and
network are simulated. Prints one JSON line; exits with 1 if a rule was broken. A run repeats
exactly with the same arguments, but for its CPU times.

    python tools/fleet/fleet_simulation.py --rooms 10000 --hours 0.1 --failures 120 --seed 1
"""

import argparse
import asyncio
import gc
import json
import logging
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Awaitable
from dataclasses import asdict, dataclass
from datetime import timedelta
from math import ceil
from time import process_time
from typing import Any, cast

import structlog
from casino_agentkit import AgentClient, CommandRefused
from casino_contracts import CreateRoomInput, RegisterTableInput, TableConfig, TableEvent
from casino_lobby.domain.display_names import Names
from casino_lobby.domain.fleet import FleetLimits
from casino_lobby.domain.lobby_events import RoomChanged
from casino_lobby.domain.room_limits import RoomCaps
from casino_lobby.service.dependencies import Clients, LobbyContext
from casino_lobby.service.lobby_service import LobbyService
from casino_lobby.service.retention_tasks import RoomArchiver
from casino_lobby.service.room_lifecycle import CloseRoomInput, RoomCommands
from casino_lobby.store import MemoryStore
from casino_lobby.table_directory import Tables
from casino_lobby.table_messages import LobbyIdentity
from fleet_failures import Failures
from fleet_measures import BEYOND_SILENCE_S, Measures, TimedFleet
from fleet_world import Table, World
from virtual_time import VirtualLoop, run_virtually

CONFIG = TableConfig(
    starting_stack=200,
    small_blind=1,
    big_blind=2,
    min_buy_in=40,
    max_buy_in=400,
    max_hands=100,
    max_seats=6,
)
_RAMP_S = 30.0
"""Rooms arrive over this time at the beginning."""


@dataclass(frozen=True)
class Plan:
    """What is simulated; times in seconds unless named otherwise."""

    rooms: int = 10_000
    hours: float = 0.1
    failures: float = 120.0
    """Failures of processes, machines and networks an hour."""
    seed: int = 1
    silence: float = 10.0
    room_life: float = 900.0
    """Mean time until a room ends; another one follows it."""
    tables_per_process: int = 16
    processes_per_machine: int = 4
    spare: float = 0.1
    """Share of tables beyond the rooms; at least two machines."""
    with_update: bool = True
    """Whether all processes are replaced by a rolling update in the second half."""


class Simulation:
    """One run of a plan."""

    def __init__(self, plan: Plan, loop: VirtualLoop, fleet: type[TimedFleet]) -> None:
        self.plan = plan
        self._until = plan.hours * 3600
        rng = self._rng = random.Random(plan.seed)  # noqa: S311  repeats with its seed
        self.world = world = World(rng, loop.time)
        per_machine = plan.tables_per_process * plan.processes_per_machine
        machines = max(
            ceil(plan.rooms * (1 + plan.spare) / per_machine), 2 + plan.rooms // per_machine
        )
        world.build(machines, plan.processes_per_machine, plan.tables_per_process)
        limits = FleetLimits(len(world.tables), plan.tables_per_process)
        self._store = MemoryStore(events_kept=10)
        self._fleet = fleet(loop.time, timedelta(seconds=plan.silence), limits)
        self.measures = Measures(world, self._store, self._fleet, limits, self._until)
        own = random.Random(f"failures of {plan.seed}")  # noqa: S311  whatever else is drawn
        self.failures = Failures(world, self.measures, own, self._announce)
        self.lobby = self._lobby()
        self._archiver = RoomArchiver(
            self._store, timedelta(seconds=60), loop.time, self._store.bus
        )
        self._tasks: set[asyncio.Task[None]] = set()
        self._ids = Counter[str]()
        self.counts = Counter[str]()
        world.served, world.unreached = self.measures.served, self.measures.unreached
        self._over: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self._store.bus.subscribe(RoomChanged, self._note_end)
        world.closed = lambda event: self._begin(self._record(event))

    def _lobby(self) -> LobbyService:
        client = cast(AgentClient, self.world)
        caps = RoomCaps(None, None)
        identity = LobbyIdentity("simulated", "http://lobby")
        return LobbyService(
            LobbyContext(
                "simulated", timedelta(seconds=10), self._new_id, lambda: "secret", self._store.bus
            ),
            self._store,
            Clients(client, client, client),
            Tables(identity, client, self._fleet, None, self._store, caps),
            caps=caps,
            names=Names(),
        )

    def _new_id(self, kind: str) -> str:
        self._ids[kind] += 1
        return f"{kind}-{self._ids[kind]}"

    async def run(self) -> None:
        """Let everything happen; returns at the end of the time."""
        await self.lobby.open()
        self._begin(self._archiver.run())
        for table in self.world.tables.values():
            self._begin(self._announce_always(table))
        for _ in range(self.plan.rooms):
            self._begin(self._rooms_in_turn())
        self._begin(self.failures.happen(self.plan.failures, after=self.plan.silence + _RAMP_S))
        if self.plan.with_update:
            self._begin(self.failures.update_all(after=self._until / 2, at_once=0.03))
        while self.world.clock() < self._until:
            await asyncio.sleep(1.0)
            self.measures.look(self.plan.silence + BEYOND_SILENCE_S)
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)

    def _begin(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._end)

    def _end(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            self.measures.violations.append(repr(error))

    async def _record(self, event: TableEvent) -> None:
        try:
            await self.lobby.record([event])
        except CommandRefused as refusal:
            self.counts[f"event_refused_{refusal.reason}"] += 1

    # Tables.

    async def _announce_always(self, table: Table) -> None:
        """Announce a table as often as the lobby wants it, while its process is up."""
        await asyncio.sleep(self._rng.uniform(0, self.plan.silence / 3))
        within = self._fleet.announce_within.total_seconds()
        while True:
            await table.process.up.wait()
            if table.process.is_reachable:
                await self._announce(table)
            await asyncio.sleep(within * min(self._rng.uniform(0.8, 1.2), 1.0))

    async def _announce(self, table: Table) -> bool | None:
        """Announce a table once; return whether a goodbye released it."""
        room = self._store.room(table.room_id or "")
        request = RegisterTableInput(
            agent_card_url=table.card_url,
            table_id=table.room_id,
            epoch=table.epoch or None,
            room_token=table.token("secret") if room else None,
            leaving=table.leaving,
        )
        begun_at = process_time()
        try:
            reply = await self.lobby.register_table(request)
        except CommandRefused as refusal:
            self.counts[f"announcement_{refusal.reason}"] += 1
            if refusal.reason == "STALE_EPOCH":
                table.free()
            return None
        finally:
            self.measures.announcements_s.append(process_time() - begun_at)
        table.is_known = True
        if reply.lease_ms and table.leaving != "now":
            table.lease_until = self.world.clock() + reply.lease_ms / 1000
            self.measures.heard(table)
        return reply.is_released

    # Rooms.

    async def _rooms_in_turn(self) -> None:
        """Open a room, end it after its life, and open the next one."""
        await asyncio.sleep(self.plan.silence + self._rng.uniform(0, _RAMP_S))
        request = CreateRoomInput(config=CONFIG)
        while True:
            try:
                opened = await self.lobby.run(RoomCommands.create, request)
            except CommandRefused as refusal:
                self.counts[f"room_{refusal.reason}"] += 1
                await asyncio.sleep(self._rng.uniform(2, 8))
                continue
            self.counts["rooms_opened"] += 1
            room = self.lobby.room(opened.room_id)
            await asyncio.sleep(self._rng.expovariate(1 / self.plan.room_life))
            closing = CloseRoomInput(room_id=room.room_id)
            await self.lobby.run(RoomCommands.close, closing)
            await self._over[room.room_id].wait()
            del self._over[room.room_id]
            self.counts["rooms_ended"] += 1

    def _note_end(self, event: RoomChanged) -> None:
        if event.room.is_over:
            self.measures.ended(event.room)
            self._over[event.room.room_id].set()

    def report(self) -> dict[str, Any]:
        """Return what was simulated, and the figures."""
        return {
            **asdict(self.plan),
            "tables": len(self.world.tables),
            "machines": len(self.world.machines),
            "happened": dict(sorted(self.failures.counts.items())),
            "counts": dict(sorted(self.counts.items())),
            **self.measures.report(self._fleet.choices_s, self.plan.silence + BEYOND_SILENCE_S),
        }


def simulate(plan: Plan, fleet: type[TimedFleet] = TimedFleet) -> dict[str, Any]:
    """Run a plan with a lobby that has such a fleet; return the report."""

    async def run(loop: VirtualLoop) -> dict[str, Any]:
        simulation = Simulation(plan, loop, fleet)
        await simulation.run()
        return simulation.report()

    begun_s = process_time()
    report = run_virtually(run)
    return {**report, "cpu_s": round(process_time() - begun_s, 1)}


def main() -> int:
    """Run the plan of the arguments; return 1 if a rule was broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rooms", type=int, default=Plan.rooms)
    parser.add_argument("--hours", type=float, default=Plan.hours)
    parser.add_argument("--failures", type=float, default=Plan.failures, help="an hour")
    parser.add_argument("--seed", type=int, default=Plan.seed)
    parser.add_argument("--silence", type=float, default=Plan.silence, help="seconds")
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)  # as in a service
    report = simulate(Plan(**vars(parser.parse_args())))
    sys.stdout.write(json.dumps(report) + "\n")
    return 1 if report["violations"] else 0


if __name__ == "__main__":
    sys.exit(main())
