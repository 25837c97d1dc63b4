"""The compiled rules are the rules: `make compiled` builds them, this compares them."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.requirements import unavailable

pytestmark = pytest.mark.full

ROOT = Path(__file__).parents[3]
SOURCES = ROOT / "shared/games"
COMPILED = ROOT / ".compiled"
HANDS = 300


def is_built_from_the_sources() -> bool:
    """Return whether there is a compiled build, and nothing was changed since."""
    return all(
        (built := COMPILED / path.relative_to(SOURCES)).exists()
        and built.read_bytes() == path.read_bytes()
        for path in (SOURCES / "casino_games").rglob("*.py")
    )


def started(rules: Path) -> subprocess.Popen[str]:
    """Start a transcript with the rules in a folder."""
    return subprocess.Popen(
        [sys.executable, "-m", "games.compiled.transcript", str(HANDS)],
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": f"{rules}:{ROOT / 'tests'}", "PYTHONHASHSEED": "random"},
    )


def test_compiled_and_interpreted_rules_show_the_same() -> None:
    """In every value and message of random hands, with wrong answers at every decision."""
    if not is_built_from_the_sources():
        unavailable("`make compiled` builds the rules of these sources into .compiled")
    with started(SOURCES) as pure, started(COMPILED) as compiled:
        assert pure.stdout is not None
        assert compiled.stdout is not None
        assert (next(pure.stdout), next(compiled.stdout)) == ("pure\n", "compiled\n")
        lines = 0
        for number, (ours, theirs) in enumerate(zip(pure.stdout, compiled.stdout, strict=True)):
            assert ours == theirs, f"hand {number} of games.compiled.transcript differs"
            lines += 1
    assert lines == HANDS
    assert pure.returncode == compiled.returncode == 0
