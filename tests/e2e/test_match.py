"""`casino match` as a user runs it: it is killed, interrupted, and goes on."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from support.casino.commands import CASINO, finished
from support.casino.members import ENVIRONMENT
from support.match.plans import played
from support.processes import PATIENCE_S, is_gone, wait_for

pytestmark = [pytest.mark.full, pytest.mark.timeout(180)]

BOT = '''
"""Calls, and waits for ever once so many blocks are there."""
import time
from pathlib import Path

HERE = Path(__file__).parent

def act(turn):
    while len(list((HERE / "match/blocks").glob("*.json"))) >= int((HERE / "limit").read_text()):
        time.sleep(0.01)
    kinds = {each["action"] for each in turn["legalActions"]}
    return {"action": "check" if "check" in kinds else "call"}
'''
VALUES = {"players": ["tight", "held.py"], "deal": {"seed": "s", "decks": 40, "decks_per_block": 2}}
OPTIONS = ("--seed", "s", "--decks", "40", "--decks-per-block", "2", "--out", "match")
PLAY = (*CASINO, "match", "tight", "held.py", *OPTIONS, "--jobs", "2")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a bot that can be held."""
    (tmp_path / "held.py").write_text(BOT)
    hold(tmp_path, 1_000)
    return tmp_path


def hold(folder: Path, limit: int) -> None:
    """Hold the bot once so many blocks are there."""
    (folder / "limit").write_text(str(limit))


@contextmanager
def held(folder: Path, limit: int) -> Iterator[subprocess.Popen[str]]:
    """Run the command until so many blocks are there, in a process group as a shell does."""
    hold(folder, limit)
    with subprocess.Popen(
        [*PLAY, "--json"],
        cwd=folder,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as command:
        try:
            wait_for(lambda: len(list((folder / "match/blocks").glob("*.json"))) >= limit)
            yield command
        finally:
            if command.poll() is None:
                os.killpg(command.pid, signal.SIGKILL)


def test_a_match_that_is_killed_and_interrupted_goes_on_to_the_same_result(folder: Path) -> None:
    """Nothing is written in part, no process is left, and Ctrl-C says how to go on."""
    with held(folder, 3) as command:
        workers = psutil.Process(command.pid).children(recursive=True)
        assert workers
        command.kill()
        command.wait()
    with held(folder, 8) as command:
        workers += psutil.Process(command.pid).children(recursive=True)
        os.killpg(command.pid, signal.SIGINT)
        output, errors = command.communicate(timeout=PATIENCE_S)
    assert (command.returncode, errors) == (130, "")
    last = json.loads(output.splitlines()[-1])
    assert last == {"event": "interrupted", "command": "casino match match --jobs 2"}
    for worker in workers:
        wait_for(lambda pid=worker.pid: is_gone(pid))  # type: ignore[misc]
    hold(folder, 1_000)
    again = finished("match", "match", cwd=folder)
    assert (again.returncode, again.stderr) == (0, "")
    assert again.stdout.splitlines()[0] == "match  match goes on: up to 40 decks, seed s"
    whole = played(folder / "in-process", VALUES)
    assert [entrant.net for entrant in whole.players] != [0, 0]
    assert f"result {whole.digest}" in again.stdout.splitlines()
