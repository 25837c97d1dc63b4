"""`casino up --game` plays any game of the lobby's tables."""

import json
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.full, pytest.mark.timeout(180)]


def up(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    return subprocess.run(
        [sys.executable, "-m", "casino", "up", "--exit", "--port", "0", "--json", *arguments],
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )


SAMPLES = ["leduc_poker", "roulette"]
"""A game for two, and one of any number at a bank that decide at once.

Hold'em is played in `test_up.py`, and every game by a lobby's tables in `test_every_game.py`.
"""


@pytest.mark.parametrize("game", SAMPLES)
def test_a_game_is_played(game: str) -> None:
    """Chips are conserved."""
    done = up("--game", game, "--hands", "5")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    results = lines[-1]
    assert results["event"] == "results"
    assert (results["hands"], results["conserved"]) == (5, True)
    assert sum(line.get("event") == "hand" for line in lines) == 5


def test_an_unknown_game_is_refused() -> None:
    """The message lists the games."""
    done = up("--game", "tiddlywinks")
    assert done.returncode == 1
    assert "nobody here plays tiddlywinks" in done.stdout + done.stderr
    assert "kuhn_poker" in done.stdout + done.stderr
