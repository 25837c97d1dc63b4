"""`casino watch` and `casino deal` with real processes, terminals and signals."""

import asyncio
import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from casino_agentkit import Child
from casino_agentkit.server.server import bind
from support.casino.live import ENVIRONMENT, GRACE, ProcessCasino, live_casino

pytestmark = [pytest.mark.full, pytest.mark.timeout(180)]

COMMAND = [sys.executable, "-m", "casino"]


# Threads wait for the commands: this loop empties the pipes of the casino's own processes.


def finished(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run a command to its end, in a pipe."""
    return subprocess.run(
        [*COMMAND, *arguments],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@contextmanager
def started(*arguments: str, **environment: str) -> Iterator["subprocess.Popen[str]"]:
    """Run a command in pipes; one that has not ended by itself is killed."""
    with subprocess.Popen(
        [*COMMAND, *arguments],
        env={**ENVIRONMENT, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


async def next_line(process: "subprocess.Popen[str]") -> dict[str, Any]:
    """Return the next JSON line."""
    assert process.stdout is not None
    line: dict[str, Any] = json.loads(await asyncio.to_thread(process.stdout.readline))
    return line


async def ended(process: "subprocess.Popen[str]") -> tuple[int, str]:
    """Return the code and the errors of a command that ends by itself now."""
    _, errors = await asyncio.to_thread(process.communicate, timeout=60)
    return process.returncode, errors


def drawn(*arguments: str) -> tuple[int, str]:
    """Run a command in a terminal; returns its code and its output."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    environment = {**ENVIRONMENT, "TERM": "xterm"}
    written = b""
    command = [*COMMAND, *arguments]
    with subprocess.Popen(command, stdin=its, stdout=its, env=environment) as process:
        os.close(its)
        while True:
            try:
                piece = os.read(ours, 65_536)
            except OSError:  # how Linux says that nobody has the terminal open any more
                break
            written += piece
        os.close(ours)
        return process.wait(60), written.decode()


async def play(casino: ProcessCasino) -> None:
    """Open a room that plays without end."""
    await casino.open(maxSeats=2, maxHands=100_000, rebuy="auto")
    for _ in range(2):
        player = await casino.sample("caller")
        assert (await casino.seat(player.cards[0])).status_code == 201


async def test_watch_prints_json_lines_or_a_terminal_view() -> None:
    """One room, or all rooms."""
    async with live_casino() as casino:
        await play(casino)
        lobby = ("--lobby", casino.lobby.url, "--hands", "3")
        watched = await asyncio.to_thread(finished, "watch", "main", "--json", *lobby)
        assert (watched.returncode, watched.stderr) == (0, "")
        lines = [json.loads(line) for line in watched.stdout.splitlines()]
        assert lines[0]["event"] == "snapshot"
        cursors = [int(line["id"]) for line in lines]
        assert cursors == sorted(set(cursors))
        kinds = [line["data"]["event"]["eventType"] for line in lines[1:]]
        assert kinds.count("hand_completed") == 3
        assert kinds[-1] == "hand_completed"
        watched = await asyncio.to_thread(finished, "watch", *lobby)
        assert (watched.returncode, watched.stderr) == (0, "")
        reported = watched.stdout
        assert len(re.findall(r"^main  hand \d+: .* wins ", reported, re.MULTILINE)) == 3
        assert "\x1b" not in reported
        code, reported = await asyncio.to_thread(drawn, "watch", "main", *lobby)
        assert code == 0
        assert "board" in reported
        assert re.search(r"main · hand \d+ · playing · blinds 1/2", reported)
        assert reported.rindex("\x1b[?25h") > reported.rindex("\x1b[?25l")  # the cursor is back


@pytest.mark.parametrize(
    ("how", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["ctrl-c", "terminated"]
)
async def test_watch_reconnects_to_a_restarted_lobby(
    how: signal.Signals, code: int, tmp_path: Path
) -> None:
    """No event is missed; a signal ends it without an error message."""
    free = bind("127.0.0.1", 0)
    port = str(free.getsockname()[1])
    free.close()
    environment = {**ENVIRONMENT, "CASINO_LOBBY_DATA": str(tmp_path)}
    command = ("lobby", "casino_lobby", ["--port", port])
    first = await Child.start(*command, environment=environment)
    with started("watch", "--json", "--lobby", first.url) as watch:
        assert (await next_line(watch))["event"] == "snapshot"
        os.kill(first.pid, signal.SIGKILL)
        note = await next_line(watch)
        assert note["event"] == "note"
        assert "again in 0.5 s" in note["text"]
        await first.stop(GRACE)
        second = await Child.start(*command, environment=environment)
        create = ("room", "create", "green", "--lobby", second.url)
        opened = await asyncio.to_thread(finished, *create)
        assert opened.stdout.startswith("room   green"), opened.stderr
        while (line := await next_line(watch))["event"] == "note":
            pass
        assert line["event"] == "room_opened"
        assert line["data"]["room"]["roomId"] == "green"
        os.kill(watch.pid, how)
        assert await ended(watch) == (code, "")
        await second.stop(GRACE)


async def test_deal_prints_json_lines() -> None:
    """The lines are on standard output."""
    async with live_casino() as casino:
        deal = ("deal", "--lobby", casino.lobby.url, "--port", "0", "--json")
        nobody = await asyncio.to_thread(finished, *deal)
        assert nobody.returncode == 1
        assert nobody.stderr.startswith("casino deal: CASINO_DEALER_")
        cards = [(await casino.sample("caller")).cards[0] for _ in range(2)]
        with started(*deal, CASINO_DEALER_PLAYERS=",".join(cards)) as dealer:
            events: list[str] = []
            while events.count("player_seated") < 2:
                events.append((await next_line(dealer))["event"])
            assert "room_opened" in events
            dealer.terminate()
            assert await ended(dealer) == (0, "")
