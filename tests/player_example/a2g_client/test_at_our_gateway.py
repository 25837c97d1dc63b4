"""Our A2G client at our own gateway: both sides of the protocol, with real processes."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from casino_player_example.a2g_client.play import play
from casino_player_example.errors import A2GError
from casino_player_example.settings import PlayerSettings
from structlog.testing import capture_logs
from support.gateway.live_gateway import LiveGateway, live_gateway

pytestmark = pytest.mark.full

HANDS = 6
GAMES = ["kuhn_poker", "texas-holdem", "roulette", "blackjack", "simple_card"]
"""Turn-based, with windows, with amounts, with parameters."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live() -> AsyncIterator[LiveGateway]:
    """Run a casino with a gateway."""
    async with live_gateway() as started:
        yield started


async def seated(live: LiveGateway, room: str, name: str) -> dict[str, Any]:
    """Play in a room as a guest until the seat is gone; returns the client's counts."""
    given = {
        "CASINO_PLAYER_STYLE": "generic",
        "CASINO_PLAYER_NAME": name,
        "CASINO_PLAYER_A2G_URL": live.url,
        "CASINO_PLAYER_A2G_ROOM": room,
        "CASINO_PLAYER_A2G_ROUNDS": str(HANDS),
    }
    with capture_logs() as logs:
        try:
            async with asyncio.timeout(60):
                await play(PlayerSettings.load(given))
        except (A2GError, TimeoutError) as error:
            raise AssertionError(str(logs)) from error
    (ended,) = [dict(entry) for entry in logs if entry["event"] == "a2g_play_ended"]
    return {**ended, "log": logs}


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("game", GAMES)
async def test_the_generic_client_plays_every_kind_of_game(live: LiveGateway, game: str) -> None:
    """No error, no payload that its specification does not describe, no default action."""
    await live.open(game, game, maxHands=HANDS, rebuy="auto", actionTimeoutMs=30_000)
    await live.casino.seat(live.bot, game)
    ended = await seated(live, game, f"Ann {game}")
    assert ended["rounds"] == HANDS, ended
    assert (ended["refused"], ended["faults"]) == ({}, 0), ended
    assert ended["questions"] == ended["submissions"] >= HANDS // 2
    events = {entry["event"] for entry in ended["log"]}
    assert events <= {"a2g_seat_taken", "a2g_play_ended", "a2g_seat_not_left"}, ended["log"]
