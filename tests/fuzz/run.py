"""One run of the fuzzer: its workers, what they found, and what the process was left with."""

import asyncio
import ctypes
import gc
import json
import resource
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fuzz.cases import Cases
from fuzz.exchange import Exchange, Line
from fuzz.http_cases import Case
from fuzz.typed_calls import AgentName
from fuzz.verdict import fault_of
from support.processes import eventually

WORKERS = 12
_SHOWN, _SHOWN_BYTES = 10, 6_000
_PAGE = resource.getpagesize()


@dataclass
class Report:
    """What a run did and found."""

    seed: int
    requests: Counter[str] = field(default_factory=Counter)
    """By agent."""
    statuses: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    memory_mb: list[float] = field(default_factory=list)
    """At the ends of the four quarters."""
    hands: int = 0

    def note(self, case: Case, found: Exchange, where: str) -> None:
        self.requests[case.agent] += 1
        for response in found.responses:
            self.statuses[f"{response.status // 100}xx"] += 1
        if fault := fault_of(case, found):
            self.add(f"{fault}\n  of {case.agent}, {case.kind}: {shown(case)}", where)

    def add(self, fault: str, where: str) -> None:
        self.faults.append(f"CASINO_FUZZ_SEED={self.seed} CASINO_FUZZ_CASE={where}: {fault}")

    def line(self) -> str:
        record = {
            "seed": self.seed,
            "requests": dict(sorted(self.requests.items())),
            "statuses": dict(sorted(self.statuses.items())),
            "faults": len(self.faults),
            "memory_mb": [round(one, 1) for one in self.memory_mb],
            "hands": self.hands,
        }
        return json.dumps(record)

    def text(self) -> str:
        return "\n".join(["", *self.faults[:_SHOWN]])


def shown(case: Case) -> str:
    """Return the exact bytes of a case, as Python writes them; cut if they are very many."""
    return f"{case.manner} in {len(case.pieces)} pieces {case.data!r:.{_SHOWN_BYTES}}"


class Run:
    """Fuzzes a casino with cases by their numbers."""

    def __init__(self, ports: Mapping[AgentName, int], cases: Cases, report: Report) -> None:
        self._ports = ports
        self._cases = cases
        self.report = report

    async def send(self, numbers: Iterable[int]) -> None:
        left = iter(numbers)
        async with asyncio.TaskGroup() as group:
            for _ in range(WORKERS):
                group.create_task(self._work(left))
        self.report.memory_mb.append(memory_mb())

    async def _work(self, numbers: Iterator[int]) -> None:
        lines: dict[str, Line] = {agent: Line(port) for agent, port in self._ports.items()}
        for number in numbers:
            case = self._cases.case(number)
            found = await lines[case.agent].exchange(case)
            self.report.note(case, found, str(number))
        for line in lines.values():
            await line.close()


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
        return cls(len(asyncio.all_tasks()), len(list(Path("/proc/self/fd").iterdir())))

    async def comes_back(self, *, more: int = 0) -> None:
        """Wait until no more is held than this; raises TimeoutError."""

        async def is_back() -> bool:
            now = Held.now()
            return now.tasks <= self.tasks + more and now.files <= self.files + more

        try:
            await eventually(is_back)
        except TimeoutError as error:
            error.add_note(f"held before: {self}, now: {Held.now()}")
            raise
