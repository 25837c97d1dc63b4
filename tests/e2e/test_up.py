"""`casino up` as an operator runs it, with real processes."""

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

pytestmark = [pytest.mark.full, pytest.mark.timeout(180)]

COMMAND = [sys.executable, "-m", "casino", "up"]
TWO = ("--players", "caller,maniac")
"""Fewer processes than the six players by default, for what does not depend on their number."""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    return subprocess.run(
        [*COMMAND, *arguments], env=ENVIRONMENT, capture_output=True, text=True, check=False
    )


def lines(output: str) -> list[dict[str, Any]]:
    """Return JSON lines."""
    return [json.loads(line) for line in output.splitlines()]


def hands(output: str) -> list[tuple[Any, ...]]:
    """Return the played hands, without times and addresses."""
    return [
        (one["hand"], one["pot"], one["board"], one["changes"], one["told"])
        for one in lines(output)
        if one["event"] == "hand"
    ]


def test_twenty_hands_conserve_chips_and_repeat_by_seed() -> None:
    """Eight processes play, and all of them end."""
    first = run("--hands", "20", "--exit", "--seed", "7", "--json", "--port", "0")
    assert first.returncode == 0, first.stdout + first.stderr
    reported = lines(first.stdout)
    results = reported[-1]
    assert (results["event"], results["hands"], results["conserved"]) == ("results", 20, True)
    assert results["chipsInPlay"] == results["chipsBoughtIn"] >= 1200
    assert len(results["players"]) == 6
    assert all(set(player["outcomes"]) == {"ok"} for player in results["players"])
    pids = [one["pid"] for one in reported if "pid" in one]
    assert len(pids) == 7  # lobby and players; the table is the lobby's child
    assert all(is_gone(pid) for pid in pids)
    second = run("--hands", "20", "--exit", "--seed", "7", "--json", "--port", "0")
    assert hands(first.stdout) == hands(second.stdout)
    assert len(hands(first.stdout)) == 20


def test_text_output_has_hands_and_results() -> None:
    """A line per hand, then the results, then the chip check."""
    reported = run("--hands", "3", "--exit", "--players", "caller,random", "--port", "0")
    assert reported.returncode == 0, reported.stderr
    assert reported.stdout.count("\nhand ") == 3
    assert "bb/100" in reported.stdout
    assert "every chip is there" in reported.stdout


def processes_of(pid: int) -> list[psutil.Process]:
    """Return a process and all below it."""
    parent = psutil.Process(pid)
    return [parent, *parent.children(recursive=True)]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_without_exit_it_runs_until_a_signal(how: signal.Signals) -> None:
    """No process is left, even after SIGKILL."""
    with subprocess.Popen(
        [*COMMAND, *TWO, "--hands", "2", "--json", "--port", "0"],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        text=True,
    ) as up:
        assert up.stdout is not None
        for line in up.stdout:
            if "stays open" in line:
                break
        # casino up and five of its own, once the lobby's probe of the games has ended
        wait_for(lambda: len(processes_of(up.pid)) == 6, seconds=60)
        everything = processes_of(up.pid)
        os.kill(up.pid, how)
        up.wait(60)
        if how is not signal.SIGKILL:
            assert up.returncode == 0
    for process in everything:
        wait_for(lambda process=process: is_gone(process.pid), seconds=60)  # type: ignore[misc]


def test_ctrl_c_during_the_start_leaves_no_process() -> None:
    """The signal arrives while the children start."""
    with subprocess.Popen(
        [*COMMAND, *TWO, "--port", "0"], env=ENVIRONMENT, stdout=subprocess.PIPE, text=True
    ) as up:
        wait_for(lambda: len(processes_of(up.pid)) > 3, seconds=60)
        everything = processes_of(up.pid)
        os.kill(up.pid, signal.SIGINT)
        up.wait(60)
    for process in everything:
        wait_for(lambda process=process: is_gone(process.pid), seconds=60)  # type: ignore[misc]


def test_taken_ports_are_replaced_by_free_ones() -> None:
    """Of the lobby and the players."""
    taken = bind("127.0.0.1", 0)
    port = str(taken.getsockname()[1])
    reported = run("--hands", "1", "--exit", "--players", "caller,caller", "--json", "--port", port)
    taken.close()
    assert reported.returncode == 0, reported.stdout + reported.stderr
    assert f":{port}" not in reported.stdout


def test_an_external_player_takes_the_place_of_a_sample() -> None:
    """By its card URL, from the first hand."""
    with subprocess.Popen(
        [sys.executable, "-m", "support.players.stock_player"],
        env=ENVIRONMENT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as external:
        assert external.stdout is not None
        card = json.loads(external.stdout.readline())["cards"][0]
        reported = run(*TWO, "--hands", "3", "--exit", "--json", "--port", "0", "--seat", card)
        assert external.stdin is not None
        external.stdin.close()
    assert reported.returncode == 0, reported.stdout + reported.stderr
    players = {player["name"]: player for player in lines(reported.stdout)[-1]["players"]}
    assert players.keys() == {"Caller", "Stock"}
    assert set(players["Stock"]["outcomes"]) == {"ok"}


@pytest.mark.parametrize(
    ("arguments", "status", "reported"),
    [
        (["--players", "caller,genius"], 2, "genius"),
        (["--players", "caller"], 2, "2 to 10"),
        (["--hands", "0"], 2, "--hands"),
        ([*TWO, "--seat", "http://127.0.0.1:1/", "--exit", "--port", "0"], 1, "cannot be reached"),
        (["--seat", "my bot", "--exit", "--port", "0"], 2, "http or https"),
    ],
)
def test_invalid_arguments_are_explained(arguments: list[str], status: int, reported: str) -> None:
    """Nothing hangs, and no traceback is printed."""
    ended = run(*arguments)
    assert ended.returncode == status
    output = " ".join((ended.stdout + ended.stderr).replace("│", " ").split())
    assert reported in output
    assert "Traceback" not in output


def test_a_dead_child_is_reported_with_its_last_lines() -> None:
    """The casino goes on without a player, and ends without its lobby."""
    with subprocess.Popen(
        [*COMMAND, *TWO, "--hands", "1", "--json", "--port", "0"],
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
