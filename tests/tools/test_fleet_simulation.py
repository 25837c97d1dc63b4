"""The simulation of a fleet: no rule is broken, and it notices when one is."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools" / "fleet"))

from fleet_measures import TimedFleet  # noqa: E402  scripts, found by their folder
from fleet_simulation import Plan, simulate  # noqa: E402

SHORT = Plan(rooms=200, hours=0.03, failures=1_000, spare=0.8, room_life=60, seed=7)
TINY = Plan(rooms=40, hours=0.03, failures=400, room_life=60)


def happened(report: dict[str, Any]) -> dict[str, Any]:
    """Return the report without what depends on the machine."""
    return {key: value for key, value in report.items() if not key.endswith(("_us", "cpu_s"))}


@pytest.mark.full
def test_rooms_survive_failures() -> None:
    """Every room of a lost table plays on within the bound while a table is free."""
    report = simulate(SHORT)
    assert report["violations"] == []
    assert set(report["happened"]) == {"killed", "machine", "network", "goodbye", "updated"}
    assert report["counts"]["rooms_ended"] > 100
    assert report["moves"] > 100
    assert report["lost_s"]["count"] > 20
    assert report["lost_s"]["max"] <= report["lost_s"]["bound"] == 12
    assert report["goodbye_s"]["max"] < 2


def test_a_run_repeats_with_its_seed() -> None:
    first = happened(simulate(TINY))
    assert first == happened(simulate(TINY))
    assert first != happened(simulate(replace(TINY, seed=2)))


class Blind(TimedFleet):
    """Finds no table lost."""

    def lost(self) -> list[str]:
        return []


class Forgetful(TimedFleet):
    """Forgets which tables have a room."""

    def take(self, card_url: str) -> None:
        """Note nothing."""

    def free(self, card_url: str) -> None:
        """Note nothing."""


def test_a_room_that_stays_at_a_lost_table_is_noticed() -> None:
    """As would happen without the watch."""
    assert "waits though a table is free" in str(simulate(TINY, Blind)["violations"])


def test_two_rooms_at_a_table_are_noticed() -> None:
    """As would happen if a taken table was chosen."""
    assert "has the rooms" in str(simulate(TINY, Forgetful)["violations"])
