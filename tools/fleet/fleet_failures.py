"""What happens to the table processes of a simulated fleet."""

import asyncio
import random
from collections import Counter, deque
from collections.abc import Awaitable, Callable
from math import ceil

from fleet_measures import Cause, Measures
from fleet_world import Machine, Process, Table, World

_GOODBYES = 25
"""Attempts of a goodbye, 0.2 s apart: 5 s."""
_KINDS = ("killed", "machine", "network", "goodbye")
_WEIGHTS = (4, 3, 1, 2)


class Failures:
    """Kills processes, cuts machines off, and has processes leave with a goodbye.

    `announce` announces a table once, and returns whether a goodbye released it.
    """

    def __init__(
        self,
        world: World,
        measures: Measures,
        rng: random.Random,
        announce: Callable[[Table], Awaitable[bool | None]],
    ) -> None:
        self._world = world
        self._measures = measures
        self._rng = rng
        self._announce = announce
        self.counts = Counter[str]()

    async def happen(self, an_hour: float, after: float) -> None:
        """Let failures happen at random; returns never."""
        await asyncio.sleep(after)
        async with asyncio.TaskGroup() as group:
            while an_hour:
                await asyncio.sleep(self._rng.expovariate(an_hour / 3600))
                (kind,) = self._rng.choices(_KINDS, _WEIGHTS)
                machine = self._rng.choice(self._world.machines)
                process = self._rng.choice(machine.processes)
                if any(neighbour.is_busy for neighbour in machine.processes):
                    continue
                self.counts[kind] += 1
                match kind:
                    case "killed":
                        group.create_task(self.kill(process, self._rng.uniform(1, 30)))
                    case "machine":
                        group.create_task(self.lose(machine, self._rng.uniform(30, 120)))
                    case "network":
                        group.create_task(self.cut(machine, self._rng.uniform(2, 40)))
                    case _:
                        group.create_task(self.replace(process))

    async def update_all(self, after: float, at_once: float) -> None:
        """Replace every process, a share of them at once."""
        await asyncio.sleep(after)
        waiting = deque(self._world.processes)

        async def replace_in_turn() -> None:
            while waiting:
                process = waiting.popleft()
                if process.is_busy or not process.is_reachable:
                    waiting.append(process)
                    await asyncio.sleep(1.0)
                else:
                    await self.replace(process)
                    self.counts["updated"] += 1

        async with asyncio.TaskGroup() as group:
            for _ in range(ceil(len(waiting) * at_once)):
                group.create_task(replace_in_turn())

    async def kill(self, process: Process, seconds: float) -> None:
        """End a process at once; it comes back without its rooms."""
        process.is_busy = True
        self._stop(process, "killed")
        await asyncio.sleep(seconds)
        process.up.set()
        process.is_busy = False

    async def lose(self, machine: Machine, seconds: float) -> None:
        """Power a machine off and on."""
        for process in machine.processes:
            process.is_busy, process.is_powered = True, False
            self._stop(process, "machine")
        await asyncio.sleep(seconds)
        for process in machine.processes:
            process.is_powered = True
            process.up.set()
            process.is_busy = False

    async def cut(self, machine: Machine, seconds: float) -> None:
        """Cut a machine off from the lobby; its tables go on, as long as their lease lasts."""
        machine.linked.clear()
        for process in machine.processes:
            process.is_busy = True
            for table in process.tables:
                self._measures.lost(table, "network")
        await asyncio.sleep(seconds)
        machine.linked.set()
        for process in machine.processes:
            process.is_busy = False

    async def replace(self, process: Process) -> None:
        """End a process with a goodbye for each table, and start another one in its place."""
        process.is_busy = True
        async with asyncio.TaskGroup() as group:
            for table in process.tables:
                group.create_task(self._drain(table))
        self._stop(process, "killed")
        await asyncio.sleep(self._rng.uniform(2, 10))
        process.up.set()
        process.is_busy = False

    async def _drain(self, table: Table) -> None:
        """Play the running hand, and say goodbye until another table has the room."""
        if table.room_id is not None:
            table.leaving = "soon"
            await self._announce(table)
            await asyncio.sleep(self._rng.uniform(0, 5))
        table.leaving = "now"
        self._measures.lost(table, "goodbye")
        for _ in range(_GOODBYES):
            if await self._announce(table):
                break
            await asyncio.sleep(0.2)
        table.free()

    def _stop(self, process: Process, cause: Cause) -> None:
        process.up.clear()
        for table in process.tables:
            self._measures.lost(table, cause)
            table.free()
            table.leaving, table.is_known = None, False
