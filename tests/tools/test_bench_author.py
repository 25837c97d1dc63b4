"""What bench/author.py concludes from a session, without its timing."""

import doctest
import sys
from pathlib import Path
from typing import Any

import pytest
from support.author.readme import README, readme_bot

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "bench"))  # last: bench/casino.py is a namesake of the console

import author  # noqa: E402  a script, found by its folder


def bots(python_ms: float) -> dict[str, dict[str, float]]:
    return {
        author.PYTHON: {"median_ms": python_ms, "call_ms": 0.6},
        author.JAVASCRIPT: {"median_ms": 0, "call_ms": 0.4},
    }


def taken(**payload: Any) -> dict[str, Any]:
    return {"eventType": "action_taken", "payload": payload}


def test_the_examples_are_true() -> None:
    """The doctests of the module pass."""
    result = doctest.testmod(author)
    assert (result.attempted > 0, result.failed) == (True, 0)


def test_it_measures_the_readme_s_bots(tmp_path: Path) -> None:
    """As printed there; a README without them is an error."""
    files = author.extract(README, tmp_path)
    assert {path.read_text() for path in files.values()} == {
        readme_bot("python"),
        readme_bot("javascript"),
    }
    with pytest.raises(ValueError, match="no bot in python"):
        author.extract("# Casino", tmp_path)


def test_limits_are_judged_at_their_value() -> None:
    """Equal is not missed."""
    assert author.report(author.LEAST_HANDS_PER_S, bots(author.MOST_MS))["missed"] == []
    missed = author.report(89.9, bots(1.5))
    assert missed["missed"] == ["hands_per_s", "python.median_ms"]
    assert missed["python_of_javascript_call"] == 1.5


def test_only_own_decisions_count_and_none_may_fail() -> None:
    """A session with faults measures something else."""
    own = taken(playerId="a", outcome="ok", latencyMs=2)
    other = taken(playerId="b", outcome="timeout", latencyMs=10_000)
    started = {"eventType": "hand_started", "payload": {}}
    assert author.latencies([started, own, other, own], "a") == [2, 2]
    for events in ([own, other], [own]):
        with pytest.raises(ValueError, match=r"b made . decisions, of them failed"):
            author.latencies(events, "b")
