"""`casino up` as an operator runs it: real processes, real hands, nothing left behind."""

import json
import os
import signal
import subprocess
import sys
from typing import Any

import psutil
import pytest
from casino_agentkit.server.server import bind
from support.casino.live import ENVIRONMENT
from support.processes import is_gone, wait_for

pytestmark = [pytest.mark.processes, pytest.mark.timeout(180)]

COMMAND = [sys.executable, "-m", "casino", "up"]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run to the end."""
    return subprocess.run(
        [*COMMAND, *arguments], env=ENVIRONMENT, capture_output=True, text=True, check=False
    )


def lines(output: str) -> list[dict[str, Any]]:
    """Return JSON lines."""
    return [json.loads(line) for line in output.splitlines()]


def hands(output: str) -> list[tuple[Any, ...]]:
    """Return what was played, without times and addresses."""
    return [
        (one["hand"], one["pot"], one["board"], one["changes"], one["told"])
        for one in lines(output)
        if one["event"] == "hand"
    ]


def test_twenty_hands_between_eight_processes_and_every_chip_is_there() -> None:
    """And the same seed plays the same hands, twice."""
    first = run("--hands", "20", "--exit", "--seed", "7", "--json", "--port", "0")
    assert first.returncode == 0, first.stdout + first.stderr
    told = lines(first.stdout)
    results = told[-1]
    assert (results["event"], results["hands"], results["conserved"]) == ("results", 20, True)
    assert results["chipsInPlay"] == results["chipsBoughtIn"] >= 1200
    assert len(results["players"]) == 6
    assert all(set(player["outcomes"]) == {"ok"} for player in results["players"])
    pids = [one["pid"] for one in told if "pid" in one]
    assert len(pids) == 7  # lobby and players; the table is the lobby's child
    assert all(is_gone(pid) for pid in pids)
    second = run("--hands", "20", "--exit", "--seed", "7", "--json", "--port", "0")
    assert hands(first.stdout) == hands(second.stdout)
    assert len(hands(first.stdout)) == 20


def test_people_get_lines_and_a_table() -> None:
    """A line per hand, then the results, then the verdict."""
    told = run("--hands", "3", "--exit", "--players", "caller,random", "--port", "0")
    assert told.returncode == 0, told.stderr
    assert told.stdout.count("\nhand ") == 3
    assert "bb/100" in told.stdout
    assert "every chip is there" in told.stdout


def processes_of(pid: int) -> list[psutil.Process]:
    """Return a process and all below it."""
    parent = psutil.Process(pid)
    return [parent, *parent.children(recursive=True)]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_without_exit_it_stays_until_it_is_ended(how: signal.Signals) -> None:
    """And leaves no process behind, even when it is killed."""
    with subprocess.Popen(
        [*COMMAND, "--hands", "2", "--json", "--port", "0"],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        text=True,
    ) as up:
        assert up.stdout is not None
        for line in up.stdout:
            if "stays open" in line:
                break
        everything = processes_of(up.pid)
        assert len(everything) == 9  # casino up, and eight of its own
        os.kill(up.pid, how)
        up.wait(60)
        if how is not signal.SIGKILL:
            assert up.returncode == 0
    for process in everything:
        wait_for(lambda process=process: is_gone(process.pid), seconds=30)  # type: ignore[misc]


def test_ctrl_c_while_it_starts_leaves_nothing() -> None:
    """At any moment."""
    with subprocess.Popen(
        [*COMMAND, "--port", "0"], env=ENVIRONMENT, stdout=subprocess.PIPE, text=True
    ) as up:
        wait_for(lambda: len(processes_of(up.pid)) > 3)
        everything = processes_of(up.pid)
        os.kill(up.pid, signal.SIGINT)
        up.wait(60)
    for process in everything:
        wait_for(lambda process=process: is_gone(process.pid), seconds=30)  # type: ignore[misc]


def test_taken_ports_are_replaced_by_free_ones() -> None:
    """The lobby's and the players'."""
    taken = bind("127.0.0.1", 0)
    port = str(taken.getsockname()[1])
    told = run("--hands", "1", "--exit", "--players", "caller,caller", "--json", "--port", port)
    taken.close()
    assert told.returncode == 0, told.stdout + told.stderr
    assert f":{port}" not in told.stdout


def test_a_stranger_sits_in_place_of_a_house_player() -> None:
    """By its card URL alone; it plays from the first seat."""
    with subprocess.Popen(
        [sys.executable, "-m", "support.players.stock_player"],
        env=ENVIRONMENT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as stranger:
        assert stranger.stdout is not None
        card = json.loads(stranger.stdout.readline())["cards"][0]
        told = run("--hands", "3", "--exit", "--json", "--port", "0", "--seat", card)
        assert stranger.stdin is not None
        stranger.stdin.close()
    assert told.returncode == 0, told.stdout + told.stderr
    players = {player["name"]: player for player in lines(told.stdout)[-1]["players"]}
    assert len(players) == 6
    assert set(players["Stock"]["outcomes"]) == {"ok"}


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (["--players", "caller,genius"], 2, "genius"),
        (["--players", "caller"], 2, "2 to 10"),
        (["--hands", "0"], 2, "--hands"),
        (["--seat", "http://127.0.0.1:1/", "--exit", "--port", "0"], 1, "cannot be reached"),
        (["--seat", "my bot", "--exit", "--port", "0"], 2, "http or https"),
    ],
)
def test_mistakes_are_told_plainly(arguments: list[str], status: int, told: str) -> None:
    """With what would be right; nothing hangs, nothing is left."""
    ended = run(*arguments)
    assert ended.returncode == status
    output = " ".join((ended.stdout + ended.stderr).replace("│", " ").split())
    assert told in output
    assert "Traceback" not in output


def test_a_child_that_dies_is_told_with_its_last_lines() -> None:
    """The casino goes on without a player, and ends without its lobby."""
    with subprocess.Popen(
        [*COMMAND, "--hands", "1", "--json", "--port", "0"],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        text=True,
    ) as up:
        assert up.stdout is not None
        pids = {}
        for line in up.stdout:
            one = json.loads(line)
            if "pid" in one:
                pids[one["text"].split()[-1]] = one["pid"]
            if "stays open" in line:
                break
        lobby = next(pid for name, pid in pids.items() if name.startswith("http"))
        os.kill(pids["Maniac"], signal.SIGKILL)
        dead = json.loads(up.stdout.readline())
        assert dead["event"] == "trouble"
        assert dead["text"].startswith("Maniac ended with code -9")
        assert any("listening" in line for line in dead["log"])
        assert up.poll() is None
        os.kill(lobby, signal.SIGKILL)
        dead = json.loads(up.stdout.readline())
        assert dead["text"].startswith("lobby ended with code -9")
        assert up.wait(60) == 1
