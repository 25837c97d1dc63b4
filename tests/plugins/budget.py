"""What each tier may cost in processor seconds and started processes; CI fails above it.

Seconds are those of the machine on which `tests/budget.toml` was written: a loop that is timed
beside the tests tells how fast this one is. A new process in a test pays by removing one.
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
_BUDGET: Final = Path(__file__).parents[1] / "budget.toml"
_TOLERATED: Final = 1.1
_DEAREST: Final = 20
_LOOP_S: Final = 0.0163
"""Processor seconds of `_loop` on the machine of the budget."""


@dataclass(frozen=True)
class _Cost:
    test: str
    tier: str
    processor_s: float
    processes: int


_costs: list[_Cost] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note what a test cost."""
    for name, value in report.user_properties:
        if name == COST and isinstance(value, list | tuple):
            _costs.append(_Cost(report.nodeid, *value))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tell what each tier cost, and the dearest tests where it is too much."""
    speed = _loop() / _LOOP_S
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
    speed = _loop() / _LOOP_S
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


def _loop() -> float:
    """Return the processor seconds of a fixed piece of work, the shortest of some tries."""
    shortest = float("inf")
    for _ in range(7):
        began = time.process_time()
        sum(number * number for number in range(400_000))
        shortest = min(shortest, time.process_time() - began)
    return shortest
