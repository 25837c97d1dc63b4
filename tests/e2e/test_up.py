"""`casino up` as an operator runs it: what it plays, what is in it, and how it ends."""

import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any
from urllib.parse import urlsplit

import httpx
import psutil
import pytest
from support.casino.commands import UP, Command, all_end, finished, json_lines, started
from support.casino.members import ENVIRONMENT
from support.processes import PATIENCE_S, is_gone, reserved_base, wait_for

pytestmark = [pytest.mark.system, pytest.mark.timeout(240)]

TWO = (*UP, "--players", "caller,maniac")
PACED = ("--hands", "100000", "--pace", "1")
"""Plays until a signal, so slowly that every hand is read in time."""
HURRIED = ("--timeout", "2s")
"""How long is waited for who does not answer."""


NO_UVLOOP = """
from pathlib import Path
Path(__file__).with_suffix(".asked").touch()
raise ImportError("not for this system")
"""
"""A module in the place of uvloop."""


def results_of(*arguments: str, **settings: str) -> list[dict[str, Any]]:
    """Return the lines of a casino that plays and ends by itself."""
    up = finished(*UP, *arguments, "--exit", settings=settings)
    assert up.returncode == 0, up.stdout + up.stderr
    return json_lines(up.stdout)


@contextmanager
def stock_bot() -> Iterator[str]:
    """Run a bot of another framework that checks or calls; yields its card's URL."""
    command = [sys.executable, "-m", "support.players.stock_player"]
    with Popen(command, env=ENVIRONMENT, stdin=PIPE, stdout=PIPE, text=True) as bot:
        assert bot.stdout is not None
        assert bot.stdin is not None
        yield json.loads(bot.stdout.readline())["cards"][0]
        bot.stdin.close()


def test_the_same_hands_are_played_for_the_same_seed(tmp_path: Path) -> None:
    """By processes which all end, and listen at ports that follow from the one asked for.

    The second time where there is no uvloop.
    """
    session = ("--players", "caller,random,tight", "--hands", "6", "--seed", "7")
    lines = results_of(*session)
    results = lines[-1]
    assert (results["event"], results["hands"], results["conserved"]) == ("results", 6, True)
    assert results["chipsInPlay"] == results["chipsBoughtIn"] >= 600
    assert [set(player["outcomes"]) for player in results["players"]] == [{"ok"}] * 3
    pids = [line["pid"] for line in lines if "pid" in line]
    assert len(pids) == 4  # lobby and players; the table is the lobby's child
    assert all(is_gone(pid) for pid in pids)
    base = reserved_base(101, 102, 103, 500)
    (tmp_path / "uvloop.py").write_text(NO_UVLOOP)
    paths = f"{tmp_path}{os.pathsep}{ENVIRONMENT['PYTHONPATH']}"
    again = results_of(*session, *at(base), PYTHONPATH=paths)
    assert (tmp_path / "uvloop.asked").exists()
    ports = {urlsplit(line["url"]).port for line in again if "url" in line}
    assert ports == {base, base + 101, base + 102, base + 103, base + 500}
    played, repeated = ([hand_of(one) for one in run if "hand" in one] for run in (lines, again))
    assert played == repeated
    assert len(played) == 6


def at(base: int) -> list[str]:
    """Return the options for a casino at a base of ports; `UP` has one for the lobby."""
    return ["--port-base", str(base), "--port", str(base)]


def hand_of(line: dict[str, Any]) -> list[Any]:
    """Return a played hand, without times and addresses."""
    return [line[name] for name in ("hand", "pot", "board", "changes", "told")]


def test_own_bots_play_alone_by_the_rules_of_the_options() -> None:
    """Their stacks and blinds are those asked for."""
    with ExitStack() as stack:
        seats = [part for _ in range(2) for part in ("--seat", stack.enter_context(stock_bot()))]
        rules = ("--stack", "60", "--small-blind", "2", "--big-blind", "3", "--timeout", "30s")
        lines = results_of("--players", "none", *seats, *rules, "--hands", "4")
    results = lines[-1]
    assert [set(player["outcomes"]) for player in results["players"]] == [{"ok"}] * 2
    assert results["chipsBoughtIn"] % 60 == 0
    changes = [abs(won) for one in lines if "hand" in one for won in one["changes"].values()]
    assert min(won for won in changes if won) >= 2, "nobody loses less than the small blind"
    assert any("seed" in line for line in lines)


def test_another_game_is_described_in_text() -> None:
    """A line for each hand, the results, and the check of the chips."""
    up = finished("up", "--game", "leduc_poker", "--hands", "3", "--exit", "--port", "0")
    assert up.returncode == 0, up.stdout + up.stderr
    assert up.stdout.count("\nhand ") == 3
    assert "chips/100" in up.stdout
    assert "every chip is there" in up.stdout
    unknown = finished("up", "--game", "leduk", "--port", "0")
    assert (unknown.returncode, unknown.stdout) == (2, ""), "nothing starts"
    assert "did you mean" in unknown.stderr


def test_without_a_number_of_hands_the_cast_plays_on() -> None:
    """In a room of its own, where there is a game to watch; the main one is as it was."""
    with started(*TWO, "--pace", "1", "--no-gateway") as up:
        up.until("stays open")
        lobby = up.address("lobby")
        wait_for(lambda: hands_of(lobby, "live") >= 1)
        assert hands_of(lobby, "main") == 50
        up.signal(signal.SIGTERM)
        assert up.ended() == 0


def test_four_rooms_are_played_at_the_tables_of_two_processes() -> None:
    """The main room is reported hand by hand, the others with all results."""
    tables = ("--tables", "4", "--table-processes", "2")
    lines = results_of("--players", "caller,random", *tables, "--hands", "5")
    results, rooms = lines[-2:]
    assert (results["event"], results["hands"], results["conserved"]) == ("results", 5, True)
    assert (rooms["event"], rooms["hands"], rooms["conserved"]) == ("rooms", 20, True)
    assert rooms["chipsInPlay"] == rooms["chipsBoughtIn"] >= 4 * 400
    assert [room["room"] for room in rooms["rooms"]] == ["main", "main-2", "main-3", "main-4"]
    names = {player["displayName"] for room in rooms["rooms"] for player in room["players"]}
    assert names == {f"{name} {number}" for name in ("Caller", "Random") for number in range(1, 5)}
    assert sum(line["event"] == "hand" for line in lines) == 5
    pids = [line["pid"] for line in lines if "pid" in line]
    assert len(pids) == 4  # lobby, two processes of players, the first one of the tables
    assert all(is_gone(pid) for pid in pids)


def hands_of(lobby: str, room: str) -> int:
    """Return how many hands a room has completed."""
    return int(httpx.get(f"{lobby}/v1/rooms/{room}/standings", trust_env=False).json()["hands"])


def test_ctrl_c_reports_every_room_and_leaves_no_process() -> None:
    """To the whole group, as a terminal sends it."""
    tables = ("--tables", "2", "--table-processes", "2", "--no-gateway")
    with started(*TWO, *PACED, *tables) as up:
        up.until_hand(3)
        wait_for(lambda: hands_of(up.address("lobby"), "main-2") >= 1)
        processes = up.processes()
        up.signal(signal.SIGINT, is_group=True)
        *_, results, rooms = up.rest()
        assert up.ended() == 0
    assert (results["event"], results["conserved"]) == ("results", True)
    assert (rooms["event"], rooms["conserved"]) == ("rooms", True)
    assert all(room["hands"] >= 1 for room in rooms["rooms"])
    all_end(processes)


def test_sigterm_reports_and_saves_what_others_started(tmp_path: Path) -> None:
    """A session that `casino room start` began is in the results; a dead player is named."""
    directory = tmp_path / "run"
    rules = ("--stack", "50", "--hands", "2", "--pace", "1", *HURRIED, "--save", str(directory))
    with started(*TWO, *rules, "--no-gateway") as up:
        up.until("stays open")
        start = ("room", "start", "main", "--hands", "100000", "--lobby", up.address("lobby"))
        blinds = ("--small-blind", "5", "--big-blind", "10")
        assert finished(*start, *blinds).returncode == 0
        up.until_hand(4)
        psutil.Process(up.pid_of("Maniac")).kill()
        dead = up.until("ended with code -9")
        assert dead["event"] == "trouble"
        assert dead["text"].startswith("Maniac ended with code -9")
        assert any("listening" in line for line in dead["log"])
        processes = up.processes()
        up.signal(signal.SIGTERM)
        results = up.rest()[-1]
        assert up.ended() == 0
    assert (results["event"], results["conserved"]) == ("results", True)
    last = max(line["hand"] for line in up.lines if line["event"] == "hand")
    assert results["hands"] == last >= 4
    assert sum(player["net"] for player in results["players"]) == 0
    all_end(processes)
    assert json.loads((directory / "results.json").read_text()) == results
    run = json.loads((directory / "run.json").read_text())
    assert (run["config"]["startingStack"], run["config"]["seed"]) == (50, run["seed"])
    assert [player["name"] for player in run["players"]] == ["Caller", "Maniac"]
    assert run["versions"].keys() == {"a2a-casino", "python", "system"}
    events = json_lines((directory / "events.jsonl").read_text())
    assert sum(event["eventType"] == "hand_completed" for event in events) == last
    over = finished(*TWO, "--save", str(directory))
    assert (over.returncode, "is not empty" in over.stdout + over.stderr) == (1, True)


def test_guests_sit_down_agents_are_examined_and_sigkill_leaves_no_process() -> None:
    """The lobby names the gateway, whose calls from its page are allowed; the room plays again.

    Nothing listens at a port that was not asked for.
    """
    base = reserved_base(*OFFSETS)
    # Nobody waits for a guest who is silent.
    impatient = {"CASINO_GATEWAY_PRESENCE": "1s", "CASINO_GATEWAY_HUMAN_CLOCK": "2s"}
    options = ("--hands", "2", *HURRIED, "--evaluator", *at(base))
    with started(*TWO, *options, settings=impatient) as up:
        up.until("sit down: ")
        lobby, gateway = up.address("lobby"), up.address("gateway")
        with httpx.Client(trust_env=False, timeout=PATIENCE_S) as http:
            assert http.get(f"{lobby}/v1/config").json()["gatewayUrl"] == gateway
            sitting = {"match_id": "main", "name": "Guest", "type": "human"}
            seats = f"{gateway}/bgp/seats"
            seat = http.post(seats, json=sitting, headers={"origin": lobby})
            assert seat.status_code == 201, seat.text
            assert seat.headers["access-control-allow-origin"] == lobby
            elsewhere = http.post(seats, headers={"origin": "https://evil.example"})
            assert elsewhere.status_code == 403
            up.until_hand(4)
            assert seat.json()["agent_id"] in up.lines[-1]["changes"]
            _is_examined(up, http, lobby)
        processes = up.processes()
        assert ports_of(processes) == {base, *(base + offset for offset in OFFSETS)}
        up.signal(signal.SIGKILL)
    all_end(processes)


OFFSETS = (50, 60, 61, 101, 102, 500)
"""Of gateway, evaluator and its tables, two players, and the table of the room."""


def ports_of(processes: list[psutil.Process]) -> set[int]:
    """Return the ports on which these processes listen."""
    sockets = (one for process in processes for one in process.net_connections("inet"))
    return {one.laddr.port for one in sockets if one.status == psutil.CONN_LISTEN}


def _is_examined(up: Command, http: httpx.Client, lobby: str) -> None:
    """Begin a level at the evaluator, whose rooms play at tables that stand ready."""
    api = f"{up.address('evaluator')}/api"
    key = {"x-api-key": http.get(f"{api}/games/anonkey").json()["api_key"]}
    card = http.post(f"{api}/scorecard/open", json={}, headers=key).json()
    begin = {"game_id": "kuhn", **card}
    frame = http.post(f"{api}/cmd/RESET", json=begin, headers=key).json()
    assert (frame["state"], frame["win_score"]) == ("NOT_FINISHED", 3)
    rooms = http.get(f"{lobby}/v1/rooms").json()["rooms"]
    tables = [room["tableAgentCardUrl"] for room in rooms if "eval-" in room["roomId"]]
    assert tables
    assert all("/tables/" in url for url in tables)


def test_ctrl_c_during_the_start_leaves_no_process() -> None:
    """The signal arrives while the children start."""
    with started(*TWO) as up:
        wait_for(lambda: len(up.processes()) > 2)
        processes = up.processes()
        up.signal(signal.SIGINT)
        up.ended()
    all_end(processes)
