"""`casino play` as a process at a real gateway: from a pipe, and interrupted."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from casino_contracts import HOLDEM
from support.casino.live import ENVIRONMENT
from support.gateway.bgp_matches import Matches
from support.gateway.live_gateway import live_gateway
from support.processes import PATIENCE_S

pytestmark = [pytest.mark.full, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def matches() -> AsyncIterator[Matches]:
    async with live_gateway() as live:
        await live.casino.host_tables(3)
        yield Matches(live)


async def started(matches: Matches, *arguments: str, name: str = "Ada") -> Process:
    options = ("--gateway", matches.live.url, "--name", name)
    command = (sys.executable, "-m", "casino", "play", *arguments, *options)
    return await asyncio.create_subprocess_exec(
        *command, stdin=PIPE, stdout=PIPE, stderr=PIPE, env={**ENVIRONMENT, **os.environ}
    )


async def ended(process: Process, typed: str) -> tuple[int, str, str]:
    """Type, and return exit code, output and errors."""
    async with asyncio.timeout(PATIENCE_S):
        output, errors = await process.communicate(typed.encode())
    assert process.returncode is not None
    return process.returncode, output.decode(), errors.decode()


async def test_a_pipe_plays_a_session(matches: Matches) -> None:
    """Of any game, against a native agent; people are marked."""
    match_id = await matches.open(HOLDEM)
    await matches.specification(HOLDEM)  # made at the first request, for which a bot has no time
    reply = await matches.live.casino.seat(matches.live.bot, match_id)
    assert reply.status_code == 201, reply.text
    process = await started(matches, match_id, "--buy-in", "150")
    code, output, errors = await ended(process, "c\n" * 200)
    assert (code, errors) == (0, "")
    assert "yours: hole cards" in output
    assert "The match is over: ended." in output
    room = await matches.live.casino.room(match_id)
    assert room.summary is not None
    taken = await matches.taken(match_id)
    own = [(e.payload or {}) for e in taken if (e.payload or {})["playerId"] != "player-1"]
    assert {payload["outcome"] for payload in own} == {"ok"}


async def test_ctrl_c_leaves_the_table(matches: Matches) -> None:
    """With the code of every interrupted command; the seat is free again."""
    match_id = await matches.open()
    process = await started(matches, match_id)
    assert process.stdout is not None
    async with asyncio.timeout(PATIENCE_S):
        assert b"You sit at" in await process.stdout.readline()
        assert await process.stdout.readline()
    process.send_signal(signal.SIGINT)
    code, output, _ = await ended(process, "")
    assert code == 130
    assert "You left the table." in output
    async with asyncio.timeout(PATIENCE_S):
        while (room := await matches.live.casino.room(match_id)).summary is None or (
            room.summary.players
        ):
            await asyncio.sleep(0.05)  # until the lobby has the event


async def test_what_is_wrong_is_one_line(matches: Matches) -> None:
    """As everywhere in the console."""
    code, _, errors = await ended(await started(matches, "nope"), "")
    assert (code, errors) == (1, 'casino play: There is no match "nope".\n')
