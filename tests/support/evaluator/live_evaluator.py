"""An evaluator beside a casino of real processes, or with its casino in the test's loop and time.

async with live_evaluator() as live:  # or loop_evaluator()
    card = await live.client().open()
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
from casino_agentkit import Service
from casino_evaluator.app import build_app
from casino_evaluator.settings import EvaluatorSettings

from support.casino.casino import ProcessCasino, process_casino
from support.casino.loop_casino import LOBBY, LoopCasino, SeatsClock, loop_casino
from support.casino.members import Process
from support.evaluator.arc_client import KEY, LEVELS, OTHER_KEY, ArcClient
from support.processes import PATIENCE_S, reserved_port

EVALUATOR = "http://evaluator"
_SEED = "the seed of the tests"


class LiveEvaluator(Process):
    """An evaluator process beside a casino's; it may be killed and started again."""

    def __init__(
        self, casino: ProcessCasino, data: Path, port: int, settings: dict[str, str]
    ) -> None:
        levels = data / "levels.toml"
        levels.write_text(LEVELS)
        settings = {
            "CASINO_EVALUATOR_LOBBY_URL": casino.lobby.url,
            "CASINO_EVALUATOR_PORT": str(port),
            "CASINO_EVALUATOR_DATA": str(data),
            "CASINO_EVALUATOR_LEVELS": str(levels),
            "CASINO_EVALUATOR_SEED": _SEED,
            "CASINO_EVALUATOR_API_KEYS": f"{KEY},{OTHER_KEY}",
            "CASINO_EVALUATOR_REQUESTS_PER_MINUTE": "0",
            **settings,
        }
        super().__init__("evaluator", "casino_evaluator", settings=settings)
        self.casino = casino
        self.http = httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE_S, trust_env=False
        )
        self._usual = self.environment

    async def start(self, **settings: str) -> None:
        """Start the evaluator, at the same address and with the same data as before."""
        self.environment = {**self._usual, **settings}
        await super().start()

    def client(self, key: str = KEY) -> ArcClient:
        return ArcClient(self.http, key)


@asynccontextmanager
async def evaluator_of(casino: ProcessCasino, **settings: str) -> AsyncIterator[LiveEvaluator]:
    """Run an evaluator beside a casino, with a database of its own."""
    async with AsyncExitStack() as stack:
        data = Path(stack.enter_context(TemporaryDirectory()))
        live = LiveEvaluator(casino, data, reserved_port(), settings)
        stack.push_async_callback(live.http.aclose)
        stack.push_async_callback(live.stop)
        await live.start()
        yield live


@asynccontextmanager
async def live_evaluator(tables: int, **settings: str) -> AsyncIterator[LiveEvaluator]:
    """Run a lobby, one process of tables and an evaluator; ends everything that was started."""
    async with process_casino(
        CASINO_LOBBY_DRAIN_TIMEOUT="1s", CASINO_TABLE_DRAIN_TIMEOUT="1s"
    ) as casino:
        await casino.host_tables(tables, CASINO_TABLE_LOBBY_URL=casino.lobby.url)
        async with evaluator_of(casino, **settings) as live:
            yield live


class LoopEvaluator:
    """An evaluator, served at its origin."""

    def __init__(self, casino: LoopCasino, service: Service) -> None:
        self.casino = casino
        app = httpx.ASGITransport(service.asgi(), raise_app_exceptions=False)
        self.http = httpx.AsyncClient(transport=app, base_url=EVALUATOR)

    def client(self, key: str = KEY) -> ArcClient:
        return ArcClient(self.http, key)


@asynccontextmanager
async def loop_evaluator(tables: int = 24, **settings: Any) -> AsyncIterator[LoopEvaluator]:
    """Run an evaluator at a casino, with a database of its own."""
    with TemporaryDirectory() as data:
        levels = Path(data) / "levels.toml"
        levels.write_text(LEVELS)
        values = {
            "lobby_url": LOBBY,
            "data": data,
            "levels": levels,
            "seed": _SEED,
            "api_keys": f"{KEY},{OTHER_KEY}",
            "requests_per_minute": 0,
            **settings,
        }
        async with loop_casino(tables) as casino:
            service = build_app(
                EvaluatorSettings.model_validate(values),
                EVALUATOR,
                clock=SeatsClock(),
                lobby=httpx.ASGITransport(casino.transport.apps[LOBBY]),
            )
            casino.serve(EVALUATOR, service)
            async with service.running():
                yield LoopEvaluator(casino, service)
            casino.calls.leave(EVALUATOR)
