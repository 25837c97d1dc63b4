"""What each tier may cost in processor seconds and started processes; CI fails above it.

Seconds are those of the machine on which `tests/budget.toml` was written: a loop that every worker
times between its tests, while others run theirs, tells how fast this one was meanwhile. A new
process in a test pays by removing one.
"""

import os
import time
import tomllib
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

COST: Final = "cost"
"""Property of a report: tier, processor seconds, started processes."""
LOOP: Final = "loop"
"""Property of some reports: the processor seconds of `_loop` after the test."""
_BUDGET: Final = Path(__file__).parents[1] / "budget.toml"
_TOLERATED: Final = 1.1
_DEAREST: Final = 20
_LOOP_S: Final = 0.0163
"""Processor seconds of `_loop` on the machine of the budget."""
_LOOP_EVERY_S: Final = 2.0
"""Processor seconds of tests between two loops of a worker."""


@dataclass(frozen=True)
class _Cost:
    test: str
    tier: str
    processor_s: float
    processes: int


class _Yardstick:
    """When a worker times its next loop."""

    def __init__(self) -> None:
        self._used_s = _LOOP_EVERY_S

    def loop_s_after(self, processor_s: float) -> float | None:
        """Return the seconds of the loop, where the tests since the last one cost enough."""
        self._used_s += processor_s
        if self._used_s < _LOOP_EVERY_S:
            return None
        self._used_s = 0.0
        return _loop()


yardstick: Final = _Yardstick()
_costs: list[_Cost] = []
_loops: list[float] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note what a test cost, and how fast the machine was."""
    for name, value in report.user_properties:
        if name == COST and isinstance(value, list | tuple):
            _costs.append(_Cost(report.nodeid, *value))
        if name == LOOP and isinstance(value, float):
            _loops.append(value)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tell what each tier cost, and the dearest tests where it is too much."""
    speed = _speed()
    for tier, costs in sorted(_by_tier().items()):
        line = _line_of(tier, costs, speed)
        terminalreporter.write_line(line)
        if _is_too_much(tier, costs, speed):
            terminalreporter.write_line(
                f"{tier} costs more than tests/budget.toml allows:", red=True
            )
            for cost in sorted(costs, key=lambda one: -one.processor_s)[:_DEAREST]:
                line = f"  {cost.processor_s:6.1f} s {cost.processes:3} processes  {cost.test}"
                terminalreporter.write_line(line)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail in CI where a tier costs too much."""
    if not os.environ.get("CI") or os.environ.get("PYTEST_XDIST_WORKER"):
        return
    speed = _speed()
    if any(_is_too_much(tier, costs, speed) for tier, costs in _by_tier().items()):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _by_tier() -> dict[str, list[_Cost]]:
    found: dict[str, list[_Cost]] = defaultdict(list)
    for cost in _costs:
        found[cost.tier].append(cost)
    return found


def _line_of(tier: str, costs: list[_Cost], speed: float) -> str:
    processor_s = sum(cost.processor_s for cost in costs)
    processes = sum(cost.processes for cost in costs)
    return (
        f"{tier}: {len(costs)} tests, {processor_s:.0f} s of processors"
        f" ({processor_s / speed:.0f} s of the budget's), {processes} processes"
    )


def _is_too_much(tier: str, costs: list[_Cost], speed: float) -> bool:
    budget: dict[str, float] = tomllib.loads(_BUDGET.read_text()).get(tier, {})
    processor_s = sum(cost.processor_s for cost in costs) / speed
    processes = sum(cost.processes for cost in costs)
    return processor_s > _TOLERATED * budget.get(
        "processor_seconds", float("inf")
    ) or processes > _TOLERATED * budget.get("processes", float("inf"))


def _speed() -> float:
    """Return how many times as long as the budget's machine this one took, by the mean loop."""
    return sum(_loops) / len(_loops) / _LOOP_S if _loops else 1.0


def _loop() -> float:
    """Return the processor seconds of a fixed piece of work."""
    began = time.process_time()
    sum(number * number for number in range(400_000))
    return time.process_time() - began
