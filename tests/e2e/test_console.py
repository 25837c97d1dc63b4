"""The commands of an operator and of an author at a casino of processes."""

import asyncio
import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import termios
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from support.casino.casino import ProcessCasino
from support.casino.commands import CASINO, finished_beside, json_lines, started
from support.casino.members import ENVIRONMENT
from support.joined.joined_bot import joined, written
from support.processes import PATIENCE_S

from .conftest import KEY

pytestmark = [
    pytest.mark.system,
    pytest.mark.timeout(180),
    pytest.mark.asyncio(loop_scope="session"),
]

ENDLESS = {"maxSeats": 2, "maxHands": 100_000, "rebuy": "auto"}


# Threads wait for the commands: this loop empties the pipes of the casino's own processes.


class Operator:
    """Runs commands at the lobby with the operator's key."""

    def __init__(self, casino: ProcessCasino) -> None:
        self._environment = {
            "CASINO_CONSOLE_LOBBY_URL": casino.lobby.url,
            "CASINO_OPERATOR_TOKEN": KEY,
        }

    async def run(self, *arguments: str) -> str:
        """Return what a command writes that succeeds."""
        done = await finished_beside(*arguments, settings=self._environment)
        assert (done.returncode, done.stderr) == (0, ""), done.stdout
        return done.stdout

    async def drawn(self, *arguments: str) -> str:
        """Return what a command draws in a terminal."""
        code, output = await asyncio.to_thread(_drawn, self._environment, *arguments)
        assert code == 0, output
        return output


def _drawn(environment: dict[str, str], *arguments: str) -> tuple[int, str]:
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    environment = {**ENVIRONMENT, **environment, "TERM": "xterm"}
    written = b""
    with subprocess.Popen([*CASINO, *arguments], stdin=its, stdout=its, env=environment) as process:
        os.close(its)
        while True:
            try:
                piece = os.read(ours, 65_536)
            except OSError:  # how Linux says that nobody has the terminal open any more
                break
            written += piece
        os.close(ours)
        return process.wait(PATIENCE_S), written.decode()


@pytest.fixture
def operator(casino: ProcessCasino) -> Operator:
    """Return the operator of the casino."""
    return Operator(casino)


@asynccontextmanager
async def playing(
    casino: ProcessCasino, room_id: str, callers: list[str], **rules: Any
) -> AsyncIterator[None]:
    """Play in a room, and close it."""
    await casino.open(room_id, **{**ENDLESS, **rules})
    for card in callers:
        assert (await casino.seat(card, room_id)).status_code == 201
    yield
    await casino.close(room_id)


async def test_a_room_is_watched_in_a_pipe_and_in_a_terminal(
    casino: ProcessCasino, operator: Operator, callers: list[str]
) -> None:
    """As JSON lines, as text, and drawn; the cursor is back at the end."""
    hands = ("--hands", "2")
    async with playing(casino, "watched", callers, paceMs=20):
        lines = json_lines(await operator.run("watch", "watched", "--json", *hands))
        assert lines[0]["event"] == "snapshot"
        cursors = [int(line["id"]) for line in lines]
        assert cursors == sorted(set(cursors))
        kinds = [line["data"]["event"]["eventType"] for line in lines[1:]]
        assert (kinds.count("hand_completed"), kinds[-1]) == (2, "hand_completed")
        text = await operator.run("watch", *hands)
        assert len(re.findall(r"^watched  hand \d+: .* wins ", text, re.MULTILINE)) == 2
        assert "\x1b" not in text
        drawn = await operator.drawn("watch", "watched", *hands)
        assert "board" in drawn
        assert re.search(r"watched · hand \d+ · playing · blinds 1/2", drawn)
        assert drawn.rindex("\x1b[?25h") > drawn.rindex("\x1b[?25l")


async def test_a_hand_is_replayed_a_question_asked_again_and_the_casino_audited(
    casino: ProcessCasino, operator: Operator, callers: list[str]
) -> None:
    """Of a seeded room, by its operator."""
    rules = {"seed": "told", "maxHands": 3}
    async with playing(casino, "told", callers, **rules):
        await casino.until("idle", room_id="told")
        hand = ("room", "replay", "told/2", "--players", "tight,caller", "--seed", "told")
        assert (await operator.run(*hand)).startswith("Hand 1 of room ")
        question = ("--hand", "told/2", "--decision", "1")
        (outsider,) = (await casino.sample("tight")).cards  # a seated bot answers its table only
        answer = json.loads(await operator.run("ask", outsider, *question, "--json"))
        assert answer["accepted"], answer
        assert "told: " in (audited := await operator.run("audit"))
        assert "DISCREPANCY" not in audited


async def test_a_function_is_seated_and_its_faults_are_named(
    casino: ProcessCasino, operator: Operator, callers: list[str], tmp_path: Path
) -> None:
    """Two lines of a bot with a mistake; Ctrl-C frees the seat."""
    source = (
        "def act(turn):\n"
        "    if turn['requestId'].split('/')[-1].startswith('2:'):\n"
        "        return turn['nothing']\n"
        "    return {'action': 'check' if 'check' in turn['legalActions'] else 'call'}\n"
    )
    await operator.run("room", "create", "joined", "--seats", "2", "--hands", "3")
    arguments = ("--room", "joined", "--lobby", casino.lobby.url, "--name", "Mine")
    key = {"CASINO_OPERATOR_TOKEN": KEY}
    async with joined(written(tmp_path, source), *arguments, environment=key) as mine:
        await mine.line("seat 0   Mine with ")
        assert (await casino.seat(callers[0], "joined")).is_success
        await mine.line("the session is over: net ")
        assert await mine.interrupt() == 0
    assert "hand 2: malformed, mybot.py, line 3: KeyError: 'nothing'" in "\n".join(mine.lines)
    assert "after 3 hands" in mine.lines[-1]
    assert " malformed" in mine.lines[-1]
    await casino.close("joined")


async def test_a_dealer_keeps_a_room_playing(casino: ProcessCasino, callers: list[str]) -> None:
    """It says on standard output what it does; without players it says what is missing."""
    deal = ("deal", "--lobby", casino.lobby.url, "--port", "0", "--json")
    nobody = await finished_beside(*deal)
    assert nobody.returncode == 1
    assert nobody.stderr.startswith("casino deal: CASINO_DEALER_")
    settings = {
        "CASINO_DEALER_PLAYERS": ",".join(callers),
        "CASINO_DEALER_ROOM": "dealt",
        "CASINO_DEALER_OPERATOR_TOKEN": KEY,
    }
    with started(*deal, settings=settings) as dealer:
        for _ in callers:
            await asyncio.to_thread(dealer.until, "player_seated")
        assert "room_opened" in {line["event"] for line in dealer.lines}
        dealer.signal(signal.SIGTERM)
        await asyncio.to_thread(dealer.rest)
        assert dealer.ended() == 0
    await casino.close("dealt")


@pytest.mark.parametrize(("how", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
async def test_a_signal_ends_a_watcher(
    casino: ProcessCasino, how: signal.Signals, code: int
) -> None:
    """Without an error message; `tests/console/watch` has lobbies that are away."""
    with started("watch", "--json", "--lobby", casino.lobby.url) as watcher:
        assert (await asyncio.to_thread(watcher.line))["event"] == "snapshot"
        watcher.signal(how)
        _, errors = await asyncio.to_thread(watcher.process.communicate)
        assert (watcher.ended(), errors) == (code, "")
