"""One run of the fuzzer: its workers, what they found, and what the process was left with."""

import asyncio
import ctypes
import gc
import json
import random
import resource
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from fuzz.cases import Cases
from fuzz.casino import FuzzedCasino
from fuzz.exchange import Exchange, Line
from fuzz.http_cases import Case
from fuzz.twins import Difference, Pair, Twins
from fuzz.verdict import fault_of
from support.processes import eventually

WORKERS = 12
_COMPARED_BY_A_PAIR = 400
"""Then come two new casinos: the old ones are full of rooms."""
_SHOWN, _SHOWN_BYTES = 10, 6_000
_PAUSE_S = 0.01
_PAGE = resource.getpagesize()


@dataclass
class Report:
    """What a run did and found."""

    seed: int
    requests: Counter[str] = field(default_factory=Counter)
    """By agent."""
    statuses: Counter[str] = field(default_factory=Counter)
    compared: int = 0
    differences: int = 0
    faults: list[str] = field(default_factory=list)
    memory_mb: list[float] = field(default_factory=list)
    """At the ends of the four quarters."""
    slowest_s: float = 0.0
    hands: int = 0

    def note(self, case: Case, found: Exchange, where: str) -> None:
        """Count an exchange, and judge it."""
        self.requests[case.agent] += 1
        for response in found.responses:
            self.statuses[f"{response.status // 100}xx"] += 1
        if fault := fault_of(case, found):
            self.add(f"{fault}\n  of {case.agent}, {case.kind}: {shown(case)}", where)

    def add(self, fault: str, where: str) -> None:
        """Keep a fault with what repeats it."""
        self.faults.append(f"CASINO_FUZZ_SEED={self.seed} CASINO_FUZZ_CASE={where}: {fault}")

    def line(self) -> str:
        """Return the closing line."""
        record = {
            "seed": self.seed,
            "requests": dict(sorted(self.requests.items())),
            "statuses": dict(sorted(self.statuses.items())),
            "compared": self.compared,
            "differences": self.differences,
            "faults": len(self.faults),
            "slowest_s": round(self.slowest_s, 2),
            "memory_mb": [round(one, 1) for one in self.memory_mb],
            "hands": self.hands,
        }
        return json.dumps(record)

    def text(self) -> str:
        """Return the first faults."""
        return "\n".join(["", *self.faults[:_SHOWN]])


def shown(case: Case) -> str:
    """Return the exact bytes of a case, as Python writes them; cut if they are very many."""
    return f"{case.manner} in {len(case.pieces)} pieces {case.data!r:.{_SHOWN_BYTES}}"


class Run:
    """Fuzzes a casino for a time; `only` are numbers of cases, instead of all."""

    def __init__(
        self, casino: FuzzedCasino, cases: Cases, report: Report, clock: Callable[[], float]
    ) -> None:
        self._casino = casino
        self._cases = cases
        self.report = report
        self._clock = clock
        self._ends_at = 0.0

    async def only(self, case: str) -> None:
        """Send one case, or make the comparisons of a pair of twins up to one: `1.2.40` say."""
        self._ends_at = float("inf")
        pair_name, _, last = case.rpartition(".")
        if not pair_name:
            await self._work(iter([int(case)]))
            return
        twins = Twins()
        async with twins.listening():
            await self._confirm(twins, pair_name, int(last))

    async def last(self, seconds: float) -> None:
        """Send cases in every way until the time is over."""
        began = self._clock()
        numbers, twins = count(1), Twins()
        async with twins.listening():
            for quarter in range(1, 5):
                self._ends_at = began + seconds * quarter / 4
                async with asyncio.TaskGroup() as group:
                    for _ in range(WORKERS):
                        group.create_task(self._work(numbers))
                    group.create_task(self._compare(twins, quarter))
                self.report.memory_mb.append(memory_mb())

    async def _work(self, numbers: Iterator[int]) -> None:
        lines: dict[str, Line] = {agent: Line(port) for agent, port in self._casino.ports.items()}
        for number in numbers:
            case = self._cases.case(number)
            began = self._clock()
            found = await lines[case.agent].exchange(case)
            self.report.slowest_s = max(self.report.slowest_s, self._clock() - began)
            self.report.note(case, found, str(number))
            if self._clock() > self._ends_at:
                break
        for line in lines.values():
            await line.close()

    async def _compare(self, twins: Twins, quarter: int) -> None:
        for number in count(1):
            name = f"{quarter}.{number}"
            async with twins.pair() as pair:
                differs_at = await self._compare_by(pair, name)
            if differs_at is not None:
                await self._confirm(twins, name, differs_at)
            if self._clock() > self._ends_at:
                return

    async def _compare_by(
        self, pair: Pair, name: str, most: int = _COMPARED_BY_A_PAIR
    ) -> int | None:
        """Compare calls by one pair; returns the number of the first that differs."""
        for number in range(most):
            if self._clock() > self._ends_at:
                break
            where = f"{name}.{number}"
            try:
                rng = random.Random(f"{self.report.seed}/{where}")
                for case, found in await pair.compare(rng):
                    self.report.note(case, found, where)
                self.report.compared += 1
            except Difference:
                return number
        return None

    async def _confirm(self, twins: Twins, name: str, last: int) -> None:
        """Make the same calls again, slowly: a table's event that was late makes no difference."""
        try:
            async with twins.pair() as pair:
                for number in range(last + 1):
                    where = f"{name}.{number}"
                    await pair.compare(random.Random(f"{self.report.seed}/{where}"))
                    await asyncio.sleep(_PAUSE_S)
        except Difference as difference:
            self.report.differences += 1
            self.report.add(str(difference), where)


def memory_mb() -> float:
    """Return what the process holds, after giving back what it can."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE / 2**20


@dataclass(frozen=True)
class Held:
    """What of the system and the loop this process holds."""

    tasks: int
    files: int

    @classmethod
    def now(cls) -> "Held":
        """Count."""
        return cls(len(asyncio.all_tasks()), len(list(Path("/proc/self/fd").iterdir())))

    async def comes_back(self, *, more: int = 0) -> None:
        """Wait until no more is held than this; raises TimeoutError."""

        async def is_back() -> bool:
            now = Held.now()
            return now.tasks <= self.tasks + more and now.files <= self.files + more

        try:
            await eventually(is_back, seconds=15)
        except TimeoutError as error:
            error.add_note(f"held before: {self}, now: {Held.now()}")
            raise


monotonic = time.monotonic
