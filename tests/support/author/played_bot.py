"""A bot at a real table, beside sample players."""

import json
import subprocess
import sys

from support.author.bot_process import BotProcess
from support.casino.live import ENVIRONMENT


def outcomes_of(bot: BotProcess, name: str) -> dict[str, int]:
    """Play twenty hands with a bot; returns how many of its decisions had which outcome."""
    up = subprocess.run(
        [sys.executable, "-m", "casino", "up", "--hands", "20", "--exit", "--json",
         "--port", "0", "--players", "caller,random,tight", "--seat", bot.card],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert up.returncode == 0, up.stdout + up.stderr
    players = {one["name"]: one for one in json.loads(up.stdout.splitlines()[-1])["players"]}
    outcomes: dict[str, int] = players[name]["outcomes"]
    return outcomes
