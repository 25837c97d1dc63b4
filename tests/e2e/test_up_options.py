"""Options of `casino up`: rules, own bots alone, and a run that is kept; and its end by Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
from support.casino.live import ENVIRONMENT
from support.free_port import free_port

pytestmark = [pytest.mark.full, pytest.mark.timeout(180)]

COMMAND = [sys.executable, "-m", "casino", "up"]
TWO = ("--players", "caller,maniac", "--port", "0")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    return subprocess.run(
        [*COMMAND, *arguments], env=ENVIRONMENT, capture_output=True, text=True, check=False
    )


@contextmanager
def running(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run the command in a process group of its own, as a shell does."""
    with subprocess.Popen(
        [*COMMAND, *arguments, "--json"],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as up:
        yield up


@contextmanager
def bot() -> Iterator[str]:
    """Run a bot of another framework that checks or calls; yields its card's URL."""
    with subprocess.Popen(
        [sys.executable, "-m", "support.players.stock_player"],
        env=ENVIRONMENT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        yield json.loads(process.stdout.readline())["cards"][0]
        process.stdin.close()


def until(up: subprocess.Popen[str], hand: int) -> None:
    """Read what the command writes until that hand is over."""
    assert up.stdout is not None
    for line in up.stdout:
        one = json.loads(line)
        if one["event"] == "hand" and one["hand"] >= hand:
            return
    pytest.fail(f"there was no hand {hand}")


def rest(up: subprocess.Popen[str]) -> list[dict[str, Any]]:
    """Return what the command writes until it ends."""
    assert up.stdout is not None
    return [json.loads(line) for line in up.stdout]


@pytest.mark.parametrize("is_group", [False, True])
def test_ctrl_c_prints_the_results_so_far(tmp_path: Path, *, is_group: bool) -> None:
    """To the process and to the whole group; what is saved is as complete."""
    directory = tmp_path / "run"
    with running(
        *TWO, "--hands", "100000", "--stack", "50", "--pace", "1", "--save", str(directory)
    ) as up:
        until(up, 3)
        (os.killpg if is_group else os.kill)(up.pid, signal.SIGINT)
        written = rest(up)
        assert up.wait(60) == 0
    *hands, results = written
    assert results["event"] == "results"
    assert results["conserved"] is True
    last = hands[-1]["hand"] if hands else 3
    assert results["hands"] == last >= 3
    assert sum(player["net"] for player in results["players"]) == 0
    assert json.loads((directory / "results.json").read_text()) == results
    run_file = json.loads((directory / "run.json").read_text())
    assert run_file["config"]["startingStack"] == 50
    assert run_file["config"]["seed"] == run_file["seed"]
    assert [player["name"] for player in run_file["players"]] == ["Caller", "Maniac"]
    assert run_file["versions"].keys() == {"a2a-casino", "python", "system"}
    events = [json.loads(line) for line in (directory / "events.jsonl").read_text().splitlines()]
    completed = [one for one in events if one["eventType"] == "hand_completed"]
    assert len(completed) == last


def test_sessions_of_others_are_in_the_results_at_ctrl_c() -> None:
    """As after `casino room start`; the blinds of that session count for its hands."""
    with running(*TWO, "--hands", "2", "--pace", "1", "--no-gateway") as up:
        assert up.stdout is not None
        lobby = ""
        for line in up.stdout:
            note = json.loads(line)
            if note.get("text", "").startswith("lobby "):
                lobby = note["url"]
            if "stays open" in line:
                break
        start = ["room", "start", "main", "--hands", "100000", "--lobby", lobby]
        subprocess.run(
            [sys.executable, "-m", "casino", *start, "--small-blind", "5", "--big-blind", "10"],
            env=ENVIRONMENT,
            check=True,
            capture_output=True,
        )
        until(up, 4)
        os.kill(up.pid, signal.SIGINT)
        *_, results = rest(up)
        assert up.wait(60) == 0
    assert (results["event"], results["conserved"]) == ("results", True)
    assert results["hands"] >= 4


def test_a_lost_lobby_costs_no_result() -> None:
    """The hands that were read are reported."""
    with running(*TWO, "--hands", "100000", "--pace", "1") as up:
        until(up, 2)
        lobby = next(
            child
            for child in psutil.Process(up.pid).children()
            if "casino_lobby" in child.cmdline()
        )
        lobby.kill()
        written = rest(up)
        assert up.wait(60) == 1
    (results,) = [one for one in written if one["event"] == "results"]
    assert results["hands"] >= 2


def test_own_bots_play_alone_by_the_rules_of_the_options() -> None:
    """A seed is printed, and repeats the run."""
    with bot() as one, bot() as other:
        seats = ("--seat", one, "--seat", other)
        rules = ("--stack", "60", "--small-blind", "2", "--big-blind", "3", "--timeout", "30s")
        options = ("--players", "none", *seats, *rules, "--hands", "4", "--exit", "--json")
        first = run(*options, "--port", "0")
        assert first.returncode == 0, first.stdout + first.stderr
        reported = [json.loads(line) for line in first.stdout.splitlines()]
        (seed,) = [one["seed"] for one in reported if "seed" in one]
        again = run(*options, "--port", "0", "--seed", seed)
    results = reported[-1]
    assert len(results["players"]) == 2
    assert results["chipsBoughtIn"] % 60 == 0
    hands = [one for one in reported if one["event"] == "hand"]
    changes = {abs(change) for hand in hands for change in hand["changes"].values()}
    assert (
        min(changes - {0}) >= 2
    )  # nobody loses less than the small blind; a split pot changes nothing
    assert hands == [
        one for one in map(json.loads, again.stdout.splitlines()) if one["event"] == "hand"
    ]


def test_a_bot_that_cannot_be_called_is_found_before_anything_starts() -> None:
    """Each one is named, and there is neither a lobby nor a seed."""
    gone = [f"http://127.0.0.1:{free_port()}" for _ in range(2)]
    ended = run(*TWO, "--json", "--seat", gone[0], "--seat", gone[1])
    assert ended.returncode == 1
    troubles = [json.loads(line) for line in ended.stdout.splitlines()]
    assert [one["event"] for one in troubles] == ["trouble", "trouble"]
    for one, url in zip(troubles, gone, strict=True):
        assert one["text"].startswith(f"--seat {url} cannot be reached: ")


@pytest.mark.parametrize(
    ("arguments", "status", "reported"),
    [
        (["--players", "none"], 2, "name your bots with --seat"),
        (["--timeout", "soon"], 2, "--timeout"),
        (["--small-blind", "5"], 2, "--big-blind"),
        (["--seats", "3"], 2, "3 seats are too few for 6 players"),
        (["--stack", "1"], 2, "startingStack, 1"),
        (["--save", "."], 1, "is not empty"),
    ],
)
def test_options_that_do_not_fit_are_explained(
    arguments: list[str], status: int, reported: str
) -> None:
    """Nothing is started."""
    ended = run(*arguments, "--port", "0", "--exit")
    assert ended.returncode == status
    output = " ".join((ended.stdout + ended.stderr).replace("│", " ").split())
    assert reported in output
    assert "Traceback" not in output
    assert "seed" not in ended.stdout
