"""`casino up` with several tables, which several processes share."""

import json
import os
import signal
import subprocess
import sys
from typing import Any

import httpx
import psutil
import pytest
from support.casino.live import ENVIRONMENT
from support.processes import is_gone, wait_for

pytestmark = [pytest.mark.full, pytest.mark.timeout(180)]

COMMAND = [sys.executable, "-m", "casino", "up", "--json", "--port", "0"]
TWO = ("--players", "caller,random", "--table-processes", "2")


def start(*arguments: str) -> subprocess.Popen[str]:
    """Start the command."""
    return subprocess.Popen(
        [*COMMAND, *arguments], env=ENVIRONMENT, stdout=subprocess.PIPE, text=True
    )


def processes_of(pid: int) -> list[psutil.Process]:
    """Return a process and all below it."""
    parent = psutil.Process(pid)
    return [parent, *parent.children(recursive=True)]


def until_hand(up: subprocess.Popen[str], number: int) -> list[dict[str, Any]]:
    """Read until a hand of the main room is over; return all lines."""
    assert up.stdout is not None
    lines = []
    for line in up.stdout:
        lines.append(json.loads(line))
        if lines[-1]["event"] == "hand" and lines[-1]["hand"] >= number:
            return lines
    pytest.fail(f"there was no hand {number}")


def hands_of(lobby: str, room: str) -> int:
    """Return how many hands a room has completed."""
    with httpx.Client(base_url=lobby, trust_env=False) as http:
        standings = http.get(f"/v1/rooms/{room}/standings").raise_for_status().json()
    return int(standings["hands"])


def test_four_rooms_are_played_and_every_chip_is_there() -> None:
    """At tables of two processes; the main room is reported hand by hand."""
    with start(*TWO, "--tables", "4", "--hands", "5", "--exit") as up:
        assert up.stdout is not None
        lines = [json.loads(line) for line in up.stdout]
        assert up.wait(60) == 0, lines
    results, rooms = lines[-2:]
    assert (results["event"], results["hands"], results["conserved"]) == ("results", 5, True)
    assert (rooms["event"], rooms["hands"], rooms["conserved"]) == ("rooms", 20, True)
    assert rooms["chipsInPlay"] == rooms["chipsBoughtIn"] >= 4 * 400
    assert [room["room"] for room in rooms["rooms"]] == ["main", "main-2", "main-3", "main-4"]
    names = [player["displayName"] for room in rooms["rooms"] for player in room["players"]]
    assert sorted(names) == sorted(
        f"{style} {number}" for style in ("Caller", "Random") for number in range(1, 5)
    )
    assert sum(line["event"] == "hand" for line in lines) == 5
    assert any("4 tables in 2 processes" in line.get("text", "") for line in lines)
    pids = [line["pid"] for line in lines if "pid" in line]
    assert len(pids) == 4  # lobby, two processes of players, the first one of the tables
    assert all(is_gone(pid) for pid in pids)


def test_ctrl_c_reports_all_rooms_and_leaves_no_process() -> None:
    """With every chip, and code 0."""
    with start(*TWO, "--tables", "2", "--hands", "100000", "--pace", "1", "--no-gateway") as up:
        lobby = next(line["url"] for line in until_hand(up, 3) if "lobby" in line.get("text", ""))
        wait_for(lambda: hands_of(lobby, "main-2") >= 1)  # a hand may be longer than three others
        everything = processes_of(up.pid)
        os.kill(up.pid, signal.SIGINT)
        assert up.stdout is not None
        *_, results, rooms = [json.loads(line) for line in up.stdout]
        assert up.wait(60) == 0
    assert (results["event"], results["conserved"]) == ("results", True)
    assert (rooms["event"], rooms["conserved"]) == ("rooms", True)
    assert all(room["hands"] >= 1 for room in rooms["rooms"])
    for process in everything:
        wait_for(lambda process=process: is_gone(process.pid))  # type: ignore[misc]


def test_a_lost_table_process_ends_the_casino_with_its_results() -> None:
    """Nothing is played without it; it is named, with its last lines."""
    with start(*TWO, "--tables", "2", "--hands", "100000", "--pace", "1", "--no-gateway") as up:
        lines = until_hand(up, 2)
        (tables,) = [line["pid"] for line in lines if "2 tables in 2" in line.get("text", "")]
        (second,) = psutil.Process(tables).children()
        everything = processes_of(up.pid)
        second.kill()
        assert up.stdout is not None
        rest = [json.loads(line) for line in up.stdout]
        assert up.wait(60) == 1
    (trouble,) = [line for line in rest if line["event"] == "trouble"]
    assert trouble["text"].startswith("tables ended with code 1")
    assert any("table process 2 of 2: ended with code -9" in line for line in trouble["log"])
    assert [line["conserved"] for line in rest if line["event"] in {"results", "rooms"}] == [
        True,
        True,
    ]
    for process in everything:
        wait_for(lambda process=process: is_gone(process.pid))  # type: ignore[misc]
