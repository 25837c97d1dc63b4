"""The arithmetic of the benches: what they conclude from what they measured."""

import doctest
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "bench"))  # last: bench/casino.py is a namesake of the console
sys.path.append(str(ROOT / "bench" / "processes"))
sys.path.insert(0, str(ROOT / "tools"))

import author  # noqa: E402  scripts, found by their folder
import fleet  # noqa: E402
import growth  # noqa: E402
import local_casino  # noqa: E402
import many_tables  # noqa: E402
import prompt  # noqa: E402
import room_on_disk  # noqa: E402
import signups  # noqa: E402
from scale import INPUTS, computed, shown, value_of  # noqa: E402


@pytest.mark.parametrize(
    "module", [author, fleet, growth, local_casino, many_tables, room_on_disk, signups]
)
def test_the_examples_are_true(module: ModuleType) -> None:
    result = doctest.testmod(module)
    assert (result.attempted > 0, result.failed) == (True, 0)


def test_limits_are_judged_at_their_value() -> None:
    """Equal is not missed, and more is; each role by itself."""
    bots: dict[str, dict[str, float]] = {
        author.PYTHON: {"median_ms": author.MOST_MS, "call_ms": 0.6},
        author.JAVASCRIPT: {"median_ms": 0, "call_ms": 0.4},
    }
    assert author.report(author.LEAST_HANDS_PER_S, bots)["missed"] == []
    assert author.report(89.9, bots)["missed"] == ["hands_per_s"]
    cpu = {"lobby": growth.MOST_OF_EARLY, "tables": growth.MOST_OF_EARLY}
    memory = {"lobby": growth.MOST_MB, "tables": growth.MOST_MB}
    assert growth.verdict(memory, cpu)["missed"] == []
    dearer = growth.verdict({**memory, "lobby": 4.1}, {**cpu, "tables": 1.101})
    assert dearer["missed"] == ["late_of_early.tables", "grown_mb.lobby"]
    assert dearer["memory_flat"] == {"lobby": False, "tables": True}


def test_only_own_decisions_count_and_none_may_fail() -> None:
    """A session with faults measures something else."""

    def taken(**payload: Any) -> dict[str, Any]:
        return {"eventType": "action_taken", "payload": payload}

    own = taken(playerId="a", outcome="ok", latencyMs=2)
    other = taken(playerId="b", outcome="timeout", latencyMs=10_000)
    started = {"eventType": "hand_started", "payload": {}}
    assert author.latencies([started, own, other, own], "a") == [2, 2]
    for events in ([own, other], [own]):
        with pytest.raises(ValueError, match=r"b made . decisions, of them failed"):
            author.latencies(events, "b")


def test_the_figures_of_the_page_of_scale_follow_from_its_inputs() -> None:
    """A thousand seats at five a room, each of which decides every other second."""
    inputs = {each.name: each.value for each in INPUTS}
    inputs |= {"room_seats": 5, "pace": 0.5, "table_us": 240, "watchers": 0}
    figures = computed(inputs, 1_000)
    assert (figures["rooms"], figures["decisions"], figures["stream_network"]) == (200, 100, 0)
    assert figures["table_cores"] == pytest.approx(0.024)
    with pytest.raises(KeyError, match="no_input"):
        value_of("2 * no_input", {})
    values = {0.0342: "0.034", 1.0: "1", 99.4: "99", 166.7: "170", 1_833_333.0: "1,800,000"}
    assert {value: shown(value) for value in values} == values


def test_a_player_reads_the_same_in_a_short_prompt_and_in_the_whole_history() -> None:
    """Six times fewer tokens after thirty hands already."""
    report = prompt.measure(30, "a short run")
    assert report["missed"] == []
    assert report["decisions"] > 30
    assert report["differences"] == 0
