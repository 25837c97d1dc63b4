"""Bots that dial a real gateway: no open port, a gateway that is killed, another language."""

import asyncio
import shutil
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest
import pytest_asyncio
from support.gateway.live_gateway import LiveGateway, live_gateway
from support.joined.joined_bot import joined, written
from support.processes import PATIENCE_S, eventually
from support.requirements import unavailable

pytestmark = [pytest.mark.full, pytest.mark.asyncio(loop_scope="module")]

KEY = "an-operators-key-of-some-length"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live() -> AsyncIterator[LiveGateway]:
    """Run a casino whose commands need a key, which no bot has; its gateway has it."""
    async with live_gateway(CASINO_LOBBY_OPERATOR_TOKEN=KEY) as live:
        yield live


async def seated(live: LiveGateway, room_id: str) -> list[str]:
    """Return the players at a table."""
    summary = (await live.casino.room(room_id)).summary
    assert summary is not None
    return [seat.player_id for seat in summary.players]


def listening(pid: int) -> list[object]:
    return [
        connection.laddr
        for connection in psutil.Process(pid).net_connections(kind="inet")
        if connection.status == psutil.CONN_LISTEN
    ]


async def test_a_bot_plays_without_a_port_or_a_key(live: LiveGateway, tmp_path: Path) -> None:
    """A whole session; its results come from the lobby's public side, reasons by its token."""
    await live.open("dialled", "texas-holdem", maxHands=8)
    arguments = ("--room", "dialled", "--through", live.socket_url, "--lobby")
    async with joined(written(tmp_path), *arguments, live.casino.lobby.url) as mine:
        await mine.line("seat 0   mybot with ")
        assert listening(mine.pid) == []
        assert (await live.casino.seat(live.bot, "dialled")).is_success
        await mine.line("the session is over: net ")
        assert listening(mine.pid) == []
        assert await mine.interrupt() == 0
    assert "after 8 hands" in mine.lines[-1]
    assert "no fault" in mine.lines[-1]
    assert set((await live.casino.outcomes("dialled"))["player-1"]) == {"ok"}
    assert await seated(live, "dialled") == ["player-2"]


async def test_a_killed_gateway_keeps_the_seat(live: LiveGateway, tmp_path: Path) -> None:
    """While it is away the bot loses turns and no seat; afterwards it plays on by itself."""
    await live.open("killed", "texas-holdem", maxHands=100_000, maxTimeouts=1_000)
    arguments = ("--room", "killed", "--through", live.socket_url, "--lobby")
    async with joined(written(tmp_path), *arguments, live.casino.lobby.url) as mine:
        await mine.line("seat 0")
        caller = await live.casino.sample("caller")
        assert (await live.casino.seat(caller.cards[0], "killed")).is_success
        await mine.line("a session begins")
        await live.kill()
        await mine.line("the connection to the gateway broke; connecting again")
        await live.start()
        await mine.line("connected to the gateway again; the seat is kept")
        before = len((await live.casino.outcomes("killed"))["player-1"])

        async def plays() -> bool:
            return "ok" in (await live.casino.outcomes("killed"))["player-1"][before:]

        await eventually(plays)
        assert await seated(live, "killed") == ["player-1", "player-2"]
        assert await mine.interrupt() == 0

        async def has_left() -> bool:
            return await seated(live, "killed") == ["player-2"]

        await eventually(has_left)  # although the gateway that seated it is gone


async def test_thirty_lines_of_javascript_are_a_bot(live: LiveGateway) -> None:
    node = shutil.which("node")
    if node is None:
        unavailable("Node is not installed")
    await live.open("script", "texas-holdem", maxHands=8)
    script = Path(__file__).parent / "dialling.mjs"
    process = await asyncio.create_subprocess_exec(
        *(node, "--experimental-websocket", "--no-warnings", str(script)),
        *(live.socket_url, "script"),
        stdout=PIPE,
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(PATIENCE_S):
            assert await process.stdout.readline() == b"seat 0\n"
            assert listening(process.pid) == []
            assert (await live.casino.seat(live.bot, "script")).is_success
        summary = (await live.casino.until("idle", room_id="script")).summary
        assert summary is not None
        assert summary.hand_count == 8
        assert set((await live.casino.outcomes("script"))["player-1"]) == {"ok"}
    finally:
        process.kill()
        await process.wait()


async def test_an_address_that_is_no_gateway(live: LiveGateway, tmp_path: Path) -> None:
    await live.open("elsewhere", "texas-holdem")
    arguments = ("--room", "elsewhere", "--lobby", live.casino.lobby.url, "--through")
    async with joined(written(tmp_path), *arguments, live.casino.lobby.url) as mine:
        assert await mine.ended() == 1
    assert "it has no door for bots (WebSocket /bots); is it a gateway?" in mine.lines[-1]
