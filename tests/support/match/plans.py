"""Plans of small matches between styles that decide quickly, bots for them, and their results."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from casino_contracts.match_results import MatchResult
from casino_match.domain import plan_file
from casino_match.domain.plan import Plan
from casino_match.executors.executor import Executor, LocalExecutor
from casino_match.run.match_run import OnProgress, play_match
from casino_match.run.match_start import MatchStarter

CALLER = "return {'action': 'check' if 'check' in turn['legalActions'] else 'call'}"
FOLDER = "return {'action': 'check' if 'check' in turn['legalActions'] else 'fold'}"
VALUES: dict[str, Any] = {
    "players": ["tight", "caller"],
    "deal": {"seed": "a seed", "decks": 40, "decks_per_block": 4},
}
"""Ten blocks of four decks, heads-up."""


def today() -> datetime:
    """Return the same time always."""
    return datetime(2026, 11, 23, 20, 0, tzinfo=UTC)


def plan_of(players: Sequence[str], decks: int = 10, **parts: Any) -> Plan:
    """Return a plan of players without names; `parts` are its other tables."""
    deal = {"seed": "a seed", "decks": decks, "decks_per_block": decks} | parts.pop("deal", {})
    named = [{"name": f"p{number}", "player": bot} for number, bot in enumerate(players)]
    return Plan.model_validate({"players": named, "deal": deal, **parts})


def bot(folder: Path, body: str, *, name: str = "bot", head: str = "def act(turn):") -> str:
    """Write a bot's file, with lines of a function `act`; returns its player in a plan."""
    file = folder / f"{name}.py"
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    file.write_text(f"{head}\n{lines}")
    return f"{file}:act"


def small_plan(**over: Any) -> Plan:
    """Return a plan of ten blocks, with other values."""
    return plan_file.plan_of(plan_file.complete(plan_file.merged(VALUES, over)))


def played(
    folder: Path,
    values: dict[str, Any] | None = None,
    executor: Executor | None = None,
    *,
    on_progress: OnProgress = lambda _: None,
) -> MatchResult:
    """Play a match into a directory, and return its result."""
    begun = MatchStarter(lambda: "drawn").begin(values or VALUES, folder.parent, folder)
    result = play_match(begun, executor or LocalExecutor(), now=today, on_progress=on_progress)
    assert result is not None
    return result
