"""Our players at a foreign A2G server, written from the documents, with a game of its own (A2G-15).

The server checks every action against its own schemas and offers; its statistics are the verdict.
"""

import asyncio
import json
import signal
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from casino_player_example.a2g_client.a2g_play import play
from casino_player_example.errors import LoginRefused, NoSeat, ServerLost
from casino_player_example.settings import PlayerSettings
from structlog.testing import capture_logs
from support.casino.members import ENVIRONMENT
from support.processes import PATIENCE_S, eventually

pytestmark = pytest.mark.full

TOKEN = "a-token-of-the-foreign-server"
ROUNDS = 50


async def stats_of(url: str) -> dict[str, Any]:
    """Return what the server saw."""
    async with httpx.AsyncClient() as http:
        stats: dict[str, Any] = (await http.get(f"{url}/stats")).json()
        return stats


@asynccontextmanager
async def foreign_server(*arguments: str) -> AsyncIterator[str]:
    """Run the server, and end it; gives its URL."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "foreign.a2g_server", "--token", TOKEN, *arguments),
        stdout=PIPE,
        env=ENVIRONMENT,
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(PATIENCE_S):
            url = (await process.stdout.readline()).decode().strip()
        yield url
    finally:
        process.terminate()
        await process.communicate()  # until its output is closed, too


async def play_there(url: str, rounds: int, **settings: str) -> dict[str, Any]:
    """Play in this process; returns the client's own counts."""
    given = {
        "CASINO_PLAYER_STYLE": "generic",
        "CASINO_PLAYER_A2G_URL": url,
        "CASINO_PLAYER_A2G_TOKEN": TOKEN,
        "CASINO_PLAYER_A2G_ROUNDS": str(rounds),
        **settings,
    }
    with capture_logs() as logs:
        async with asyncio.timeout(PATIENCE_S):
            await play(PlayerSettings.load(given))
    assert TOKEN not in str(logs)
    (ended,) = [dict(entry) for entry in logs if entry["event"] == "a2g_play_ended"]
    return ended


async def played(mischief: str, rounds: int = 15) -> tuple[dict[str, Any], dict[str, Any]]:
    """Play at a server with a mischief; returns the client's own counts, and what it saw."""
    async with foreign_server("--mischief", mischief) as url:
        return await play_there(url, rounds), await stats_of(url)


async def test_the_command_plays_an_unknown_game_without_an_error() -> None:
    """A2G-15: `python -m casino_player_example generic --a2g URL`, fifty rounds."""
    async with foreign_server() as url:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "casino_player_example", "generic", "--a2g", url),
            *("--a2g-token", TOKEN, "--rounds", str(ROUNDS)),
            stderr=PIPE,
            env=ENVIRONMENT,
        )
        async with asyncio.timeout(PATIENCE_S):
            _, log = await process.communicate()
        stats = await stats_of(url)
    assert process.returncode == 0, log.decode()
    ended = json.loads(log.splitlines()[-1])
    assert (ended["event"], ended["rounds"]) == ("a2g_play_ended", ROUNDS)
    assert (ended["refused"], ended["faults"]) == ({}, 0)
    assert not [name for name in stats if name.startswith(("game_error", "error"))]
    assert stats["actions"] == stats["submissions"] >= ROUNDS
    assert stats["conserved"]
    assert (stats["lists"], stats["specs"], stats["leaves"]) == (1, 1, 1)
    assert all(stats[f"action {kind}"] for kind in ("call", "raise", "guess", "wait"))
    assert "timeouts" not in stats


async def test_a_request_that_comes_twice_is_answered_once() -> None:
    """A second submission has the same `messageId`, so that the server takes one."""
    ended, stats = await played("duplicate")
    assert stats["actions"] == ended["questions"]
    assert not [name for name in stats if name.startswith("game_error")]


async def test_a_lost_connection_costs_no_decision() -> None:
    """A2G-12 from the client's side: it reconnects and answers the same request once."""
    ended, stats = await played("drop")
    assert ended["reconnects"] == stats["reconnects"] >= 2
    assert stats["actions"] == ended["questions"]
    assert not [name for name in stats if name.startswith("game_error")]
    assert "timeouts" not in stats


async def test_a_newer_specification_is_fetched_while_it_plays() -> None:
    """A2G-14: the next message names 1.1.0; the client reads it once and plays its new action."""
    _, stats = await played("newer")
    assert stats["specs"] == 2
    assert stats["action double"] >= 4
    assert not [name for name in stats if name.startswith("game_error")]


async def test_a_refused_action_is_followed_by_the_default_action() -> None:
    """It is still its turn; nothing is sent a third time."""
    ended, stats = await played("refuse")
    assert stats["game_error INVALID_ACTION"] == ended["refused"]["INVALID_ACTION"] >= 2
    assert stats["submissions"] == ended["questions"] + stats["game_error INVALID_ACTION"]
    assert "timeouts" not in stats


async def test_a_rate_limit_is_waited_for() -> None:
    """Sent again after a delay, under another `messageId`."""
    ended, stats = await played("limit", 10)
    assert stats["error RATE_LIMITED"] == ended["refused"]["RATE_LIMITED"] >= 1
    assert stats["actions"] == ended["questions"]


async def test_what_a2g_does_not_know_is_ignored() -> None:
    """Unknown types, frames that are no JSON or no message; heartbeats are answered (A2G-13)."""
    ended, stats = await played("noise", 5)
    assert stats["pongs"] >= 5
    assert ended["refused"] == {}


async def test_a_player_that_thinks_too_long_submits_the_default_in_time() -> None:
    """At four fifths of the server's clock, so that the server never has to."""
    async with foreign_server("--seconds", "1") as url:
        await play_there(url, 3, CASINO_PLAYER_THINK="1h")
        stats = await stats_of(url)
    assert stats["action fold"] == 3
    assert "timeouts" not in stats


async def test_the_console_lets_a_player_play_there() -> None:
    """`casino play --a2g URL`; Ctrl-C and SIGTERM end the player, which leaves its seat."""
    async with foreign_server() as url:
        command = ("-m", "casino", "play", "--a2g", url, "--name", "Ann")
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, *command),
            stderr=PIPE,
            env={**ENVIRONMENT, "CASINO_CONSOLE_A2G_TOKEN": TOKEN},
        )

        async def has_played() -> bool:
            return bool((await stats_of(url)).get("rounds", 0) >= 2)

        await eventually(has_played)
        process.terminate()
        async with asyncio.timeout(PATIENCE_S):
            _, log = await process.communicate()
        stats = await stats_of(url)
    assert process.returncode == 128 + signal.SIGTERM, log.decode()
    assert b"a2g_play_stopped" in log
    assert TOKEN.encode() not in log
    assert (stats["joins"], stats["leaves"]) == (1, 1)


async def test_a_client_that_cannot_play_says_why() -> None:
    """A wrong token, an unknown room, and a server that is not there."""
    async with foreign_server() as url:
        with pytest.raises(LoginRefused, match="AUTH_INVALID: a valid token"):
            await play_there(url, 1, CASINO_PLAYER_A2G_TOKEN="wrong")
        with pytest.raises(NoSeat, match="does not list room-9"):
            await play_there(url, 1, CASINO_PLAYER_A2G_ROOM="room-9")
        stats = await stats_of(url)
    assert "joins" not in stats
    with pytest.raises(ServerLost, match=url):
        await play_there(url, 1)
