"""Play at an A2G server until it ends or the process is stopped; composition root of the client."""

import asyncio
import signal
import time
from datetime import timedelta
from pathlib import Path

import httpx
import structlog
from casino_gamespec import Lobby, Specifications

from casino_player_example.a2g_client.client import A2GClient, ClientTimes
from casino_player_example.a2g_client.rulebook import A2GRulebook
from casino_player_example.a2g_client.server import A2GServer
from casino_player_example.any_game import player_of
from casino_player_example.settings import PlayerSettings

logger = structlog.get_logger(__name__)

_REQUEST_TIMEOUT = timedelta(seconds=10)


def run(settings: PlayerSettings) -> None:
    """Play at `settings.a2g_url`; SIGTERM and SIGINT leave the seat. Raises A2GError."""
    asyncio.run(_until_stopped(settings))


async def _until_stopped(settings: PlayerSettings) -> None:
    playing = asyncio.create_task(play(settings))

    def stop() -> None:
        if not playing.cancelling():  # a second signal does not disturb the leaving
            playing.cancel()

    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop)
    try:
        await playing
    except asyncio.CancelledError:
        logger.info("a2g_play_stopped")


async def play(settings: PlayerSettings) -> None:
    """Play until the seat is gone or the rounds are over; logs what was played. Raises A2GError."""
    assert settings.a2g_url is not None  # noqa: S101  checked by whoever starts it
    tls = settings.client_tls()
    # Two clients: the token of the server is not for the model's server.
    async with (
        httpx.AsyncClient(verify=tls) as server_http,
        httpx.AsyncClient(verify=tls) as model_http,
    ):
        specifications = Specifications(
            Lobby(server_http, settings.a2g_url, timeout=settings.specification_timeout),
            clock=time.monotonic,
            directory=Path(settings.specifications) if settings.specifications else None,
        )
        rulebook = A2GRulebook(specifications, settings.specification_timeout)
        client = A2GClient(
            A2GServer(server_http, settings.a2g_url, timeout=_REQUEST_TIMEOUT),
            rulebook,
            player_of(settings, rulebook, model_http),
            name=settings.name or settings.style.capitalize(),
            times=ClientTimes(time.monotonic, lambda: time.time_ns() // 1_000_000),
            tls=tls,
        )
        try:
            await client.play(
                settings.login_token, room_id=settings.a2g_room, rounds=settings.a2g_rounds
            )
        finally:
            await specifications.close()
            tally = client.tally
            logger.info(
                "a2g_play_ended",
                rounds=tally.rounds,
                questions=tally.questions,
                submissions=tally.submissions,
                reconnects=tally.reconnects,
                faults=tally.faults,
                refused=dict(tally.refused),
            )
