"""Plans of small matches between styles that decide quickly."""

from pathlib import Path
from typing import Any

from casino_contracts.matches.results import MatchResult
from casino_match.domain.plan import Plan
from casino_match.domain.plan_file import complete, merged, plan_of
from casino_match.executors.executor import Executor
from casino_match.executors.here import Here
from casino_match.run.begin import Beginnings
from casino_match.run.match import play_match
from casino_match.run.match_run import OnProgress

from support.match.times import today

VALUES: dict[str, Any] = {
    "players": ["tight", "caller"],
    "deal": {"seed": "a seed", "decks": 40, "decks_per_block": 4},
}
"""Ten blocks of four decks, heads-up."""


def small_plan(**over: Any) -> Plan:
    """Return a plan of ten blocks, with other values."""
    return plan_of(complete(merged(VALUES, over)))


def played(
    folder: Path,
    values: dict[str, Any] | None = None,
    executor: Executor | None = None,
    *,
    on_progress: OnProgress = lambda _: None,
) -> MatchResult:
    """Play a match into a directory, and return its result."""
    begun = Beginnings(lambda: "drawn").begin(values or VALUES, folder.parent, folder)
    result = play_match(begun, executor or Here(), now=today, on_progress=on_progress)
    assert result is not None
    return result
