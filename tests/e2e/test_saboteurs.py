"""Saboteurs sit beside other players in `casino up`, and lose their own turns alone."""

import json
import subprocess
import sys

import pytest
from support.casino.live import ENVIRONMENT

pytestmark = [pytest.mark.full, pytest.mark.timeout(120)]


def test_saboteurs_lose_their_own_turns() -> None:
    """The chips add up, and each fault has its own outcome."""
    up = subprocess.run(
        [sys.executable, "-m", "casino", "up", "--hands", "6", "--exit", "--json", "--port", "0",
         "--players", "caller,illegal,garbage,tight", "--seed", "1"],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert up.returncode == 0, up.stdout + up.stderr
    players = json.loads(up.stdout.splitlines()[-1])["players"]
    outcomes = {player["name"]: set(player["outcomes"]) for player in players}
    assert outcomes["Caller"] | outcomes["Tight"] == {"ok"}
    assert outcomes["Illegal"] - {"sitting_out"} == {"illegal"}
    assert outcomes["Garbage"] - {"sitting_out"} == {"malformed"}
