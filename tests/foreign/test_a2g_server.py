"""Our players at a foreign A2G server, written from the documents, with games of its own (A2G-15).

The server checks every action against its own schemas and offers; its statistics are the verdict.
"""

import asyncio
import json
import signal
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from casino_player_example.a2g_client.play import play
from casino_player_example.errors import LoginRefused, NoSeat, ServerLost
from casino_player_example.settings import PlayerSettings
from structlog.testing import capture_logs
from support.casino.live import ENVIRONMENT
from support.players.chat_server import ChatServer, sensible, serving
from support.processes import eventually

pytestmark = pytest.mark.full

TOKEN = "a-token-of-the-foreign-server"
GAMES = ["lantern-duel", "six-wheel"]
ROUNDS = 50


class ForeignServer:
    """A process of the foreign server at `url`."""

    def __init__(self, url: str) -> None:
        self.url = url

    async def stats(self) -> dict[str, Any]:
        """Return what the server saw."""
        async with httpx.AsyncClient() as http:
            stats: dict[str, Any] = (await http.get(f"{self.url}/stats")).json()
            return stats


@asynccontextmanager
async def foreign_server(game: str, *arguments: str) -> AsyncIterator[ForeignServer]:
    """Run the server with one game, and end it."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "foreign.a2g_server", "--token", TOKEN, "--game", game),
        *arguments,
        stdout=PIPE,
        env=ENVIRONMENT,
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(30):
            url = (await process.stdout.readline()).decode().strip()
        yield ForeignServer(url)
    finally:
        process.terminate()
        await process.communicate()  # until its output is closed, too


async def play_there(
    server: ForeignServer, rounds: int, settings: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Play in this process; returns the client's own counts."""
    given = {
        "CASINO_PLAYER_STYLE": "generic",
        "CASINO_PLAYER_A2G_URL": server.url,
        "CASINO_PLAYER_A2G_TOKEN": TOKEN,
        "CASINO_PLAYER_A2G_ROUNDS": str(rounds),
        **(settings or {}),
    }
    with capture_logs() as logs:
        async with asyncio.timeout(60):
            await play(PlayerSettings.load(given))
    assert TOKEN not in str(logs)
    (ended,) = [dict(entry) for entry in logs if entry["event"] == "a2g_play_ended"]
    return ended


@pytest.mark.parametrize("game", GAMES)
async def test_the_command_plays_an_unknown_game_without_an_error(game: str) -> None:
    """A2G-15: `python -m casino_player_example generic --a2g URL`, fifty rounds."""
    async with foreign_server(game) as server:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "casino_player_example", "generic", "--a2g", server.url),
            *("--a2g-token", TOKEN, "--rounds", str(ROUNDS)),
            stderr=PIPE,
            env=ENVIRONMENT,
        )
        async with asyncio.timeout(120):
            _, log = await process.communicate()
        stats = await server.stats()
    assert process.returncode == 0, log.decode()
    ended = json.loads(log.splitlines()[-1])
    assert (ended["event"], ended["rounds"]) == ("a2g_play_ended", ROUNDS)
    assert (ended["refused"], ended["faults"]) == ({}, 0)
    assert not [name for name in stats if name.startswith(("game_error", "error"))]
    assert stats["actions"] == stats["submissions"] >= ROUNDS
    assert stats["conserved"]
    assert (stats["lists"], stats["specs"], stats["leaves"]) == (1, 1, 1)
    kinds = {"lantern-duel": ["call", "raise", "guess", "wait"], "six-wheel": ["place_bet"]}
    assert all(stats[f"action {kind}"] for kind in kinds[game])
    assert "timeouts" not in stats


async def test_a_request_that_comes_twice_is_answered_once() -> None:
    """A second submission has the same `messageId`, so that the server takes one."""
    async with foreign_server("lantern-duel", "--mischief", "duplicate") as server:
        ended = await play_there(server, 15)
        stats = await server.stats()
    assert stats["actions"] == ended["questions"]
    assert not [name for name in stats if name.startswith("game_error")]


async def test_a_lost_connection_costs_no_decision() -> None:
    """A2G-12 from the client's side: it reconnects and answers the same request once."""
    async with foreign_server("lantern-duel", "--mischief", "drop") as server:
        ended = await play_there(server, 15)
        stats = await server.stats()
    assert ended["reconnects"] == stats["reconnects"] >= 2
    assert stats["actions"] == ended["questions"]
    assert not [name for name in stats if name.startswith("game_error")]
    assert "timeouts" not in stats


async def test_a_newer_specification_is_fetched_while_it_plays() -> None:
    """A2G-14: the next message names 1.1.0; the client reads it once and plays its new action."""
    async with foreign_server("lantern-duel", "--mischief", "newer") as server:
        await play_there(server, 15)
        stats = await server.stats()
    assert stats["specs"] == 2
    assert stats["action double"] >= 4
    assert not [name for name in stats if name.startswith("game_error")]


async def test_a_refused_action_is_followed_by_the_default_action() -> None:
    """It is still its turn; nothing is sent a third time."""
    async with foreign_server("lantern-duel", "--mischief", "refuse") as server:
        ended = await play_there(server, 15)
        stats = await server.stats()
    assert stats["game_error INVALID_ACTION"] == ended["refused"]["INVALID_ACTION"] >= 2
    assert stats["submissions"] == ended["questions"] + stats["game_error INVALID_ACTION"]
    assert "timeouts" not in stats


async def test_a_rate_limit_is_waited_for() -> None:
    """Sent again after a delay, under another `messageId`."""
    async with foreign_server("six-wheel", "--mischief", "limit") as server:
        ended = await play_there(server, 10)
        stats = await server.stats()
    assert stats["error RATE_LIMITED"] == ended["refused"]["RATE_LIMITED"] >= 1
    assert stats["actions"] == ended["questions"]


async def test_what_a2g_does_not_know_is_ignored() -> None:
    """Unknown types, frames that are no JSON or no message; heartbeats are answered (A2G-13)."""
    async with foreign_server("six-wheel", "--mischief", "noise") as server:
        ended = await play_there(server, 5)
        stats = await server.stats()
    assert stats["pongs"] >= 5
    assert ended["refused"] == {}


async def test_a_player_that_thinks_too_long_submits_the_default_in_time() -> None:
    """At four fifths of the server's clock, so that the server never has to."""
    async with foreign_server("lantern-duel", "--seconds", "1") as server:
        await play_there(server, 3, {"CASINO_PLAYER_THINK": "1h"})
        stats = await server.stats()
    assert stats["action fold"] == 3
    assert "timeouts" not in stats


async def test_a_language_model_plays_there_too() -> None:
    """Its prompt has the server's offers; the server's token does not reach the model."""
    model = ChatServer(sensible)
    async with foreign_server("six-wheel") as server, serving(model) as url:
        settings = {
            "CASINO_PLAYER_STYLE": "llm",
            "CASINO_PLAYER_LLM_BASE_URL": url,
            "CASINO_PLAYER_LLM_MODEL": "stand-in",
            "CASINO_PLAYER_LLM_API_KEY": "sk-model",
        }
        await play_there(server, 4, settings)
        stats = await server.stats()
    assert stats["action place_bet"] >= 4
    assert set(model.authorizations) == {"Bearer sk-model"}
    assert TOKEN not in json.dumps(model.asked)


async def test_the_console_lets_a_player_play_there() -> None:
    """`casino play --a2g URL`; Ctrl-C and SIGTERM end the player, which leaves its seat."""
    async with foreign_server("six-wheel") as server:
        command = ("-m", "casino", "play", "--a2g", server.url, "--name", "Ann")
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, *command),
            stderr=PIPE,
            env={**ENVIRONMENT, "CASINO_CONSOLE_A2G_TOKEN": TOKEN},
        )

        async def has_played() -> bool:
            return bool((await server.stats()).get("rounds", 0) >= 2)

        await eventually(has_played, seconds=60)
        process.terminate()
        async with asyncio.timeout(60):
            _, log = await process.communicate()
        stats = await server.stats()
    assert process.returncode == 128 + signal.SIGTERM, log.decode()
    assert b"a2g_play_stopped" in log
    assert TOKEN.encode() not in log
    assert (stats["joins"], stats["leaves"]) == (1, 1)


async def test_a_client_that_cannot_play_says_why() -> None:
    """A wrong token, an unknown room, and a server that is not there."""
    async with foreign_server("six-wheel") as server:
        with pytest.raises(LoginRefused, match="AUTH_INVALID: a valid token"):
            await play_there(server, 1, {"CASINO_PLAYER_A2G_TOKEN": "wrong"})
        with pytest.raises(NoSeat, match="does not list room-9"):
            await play_there(server, 1, {"CASINO_PLAYER_A2G_ROOM": "room-9"})
        stats = await server.stats()
    assert "joins" not in stats
    with pytest.raises(ServerLost, match=server.url):
        await play_there(server, 1)
