"""`casino watch` and `casino deal` as people and programs run them: real processes and signals."""

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

pytestmark = [pytest.mark.processes, pytest.mark.timeout(180)]

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
    """Run a command in a terminal; returns its code and all it wrote."""
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
    """Open a room, and have it play for as long as anybody watches."""
    await casino.open(maxSeats=2, maxHands=100_000, rebuy="auto")
    for _ in range(2):
        player = await casino.sample("caller")
        assert (await casino.seat(player.cards[0])).status_code == 201


async def test_three_hands_are_watched_in_every_way() -> None:
    """As JSON, in lines, and drawn on a terminal; by room, and all rooms."""
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
        told = watched.stdout
        assert len(re.findall(r"^main  hand \d+: .* wins ", told, re.MULTILINE)) == 3
        assert "\x1b" not in told
        code, told = await asyncio.to_thread(drawn, "watch", "main", *lobby)
        assert code == 0
        assert "board" in told
        assert re.search(r"main · running · blinds 1/2 · hand \d+", told)
        assert told.rindex("\x1b[?25h") > told.rindex("\x1b[?25l")  # the cursor is back


@pytest.mark.parametrize(
    ("how", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["ctrl-c", "terminated"]
)
async def test_it_goes_on_when_the_lobby_comes_back_and_ends_quietly(
    how: signal.Signals, code: int, tmp_path: Path
) -> None:
    """Killed and started anew: no event is missed, and a person is told meanwhile."""
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


async def test_the_dealer_tells_programs_in_lines() -> None:
    """On standard output, each a JSON object."""
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
