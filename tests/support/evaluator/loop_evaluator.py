"""An evaluator in the test's loop and on its time, with its casino.

async with loop_evaluator() as live:
    card = await live.client().open()
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
from casino_agentkit import Service
from casino_evaluator.app import build_app
from casino_evaluator.settings import EvaluatorSettings

from support.casino.loop_casino import LOBBY, LoopCasino, SeatsClock, loop_casino
from support.evaluator.arc_client import KEY, LEVELS, OTHER_KEY, ArcClient

EVALUATOR = "http://evaluator"


class LoopEvaluator:
    """An evaluator, served at its origin."""

    def __init__(self, casino: LoopCasino, service: Service, url: str) -> None:
        self.casino = casino
        app = httpx.ASGITransport(service.asgi(), raise_app_exceptions=False)
        self.http = httpx.AsyncClient(transport=app, base_url=url)

    def client(self, key: str = KEY) -> ArcClient:
        return ArcClient(self.http, key)


@asynccontextmanager
async def evaluator_of(
    casino: LoopCasino, url: str = EVALUATOR, **settings: Any
) -> AsyncIterator[LoopEvaluator]:
    """Run an evaluator at a casino, with a database of its own."""
    with TemporaryDirectory() as data:
        levels = Path(data) / "levels.toml"
        levels.write_text(LEVELS)
        values = {
            "lobby_url": LOBBY,
            "data": data,
            "levels": levels,
            "seed": "the seed of the tests",
            "api_keys": f"{KEY},{OTHER_KEY}",
            "requests_per_minute": 0,
            **settings,
        }
        lobby = httpx.ASGITransport(casino.transport.apps[LOBBY])
        service = build_app(
            EvaluatorSettings.model_validate(values), url, clock=SeatsClock(), lobby=lobby
        )
        casino.serve(url, service)
        async with service.running():
            yield LoopEvaluator(casino, service, url)
        casino.calls.leave(url)


@asynccontextmanager
async def loop_evaluator(tables: int = 24, **settings: Any) -> AsyncIterator[LoopEvaluator]:
    async with loop_casino(tables) as casino, evaluator_of(casino, **settings) as live:
        yield live
