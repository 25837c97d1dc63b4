"""A casino of real processes with an evaluator: a lobby, hosted tables, levels that are easy.

async with live_evaluator() as live:
    card = await live.client().open()
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
from casino_agentkit import Child

from support.casino.live import ENVIRONMENT, GRACE, ProcessCasino, live_casino
from support.evaluator.arc_client import KEY, LEVELS, OTHER_KEY, ArcClient
from support.free_port import free_port

_TABLES = 100
"""Most tables of a process."""


class LiveEvaluator:
    """An evaluator process beside a casino's; it may be killed and started again."""

    def __init__(
        self, casino: ProcessCasino, data: Path, port: int, settings: dict[str, str]
    ) -> None:
        self.casino = casino
        self.url = f"http://127.0.0.1:{port}"
        self.http = httpx.AsyncClient(base_url=self.url, timeout=30, trust_env=False)
        self.log: list[str] = []
        self.child: Child | None = None
        levels = data / "levels.toml"
        levels.write_text(LEVELS)
        self._environment = {
            **ENVIRONMENT,
            "CASINO_EVALUATOR_LOBBY_URL": casino.lobby.url,
            "CASINO_EVALUATOR_PORT": str(port),
            "CASINO_EVALUATOR_DATA": str(data),
            "CASINO_EVALUATOR_LEVELS": str(levels),
            "CASINO_EVALUATOR_SEED": "the seed of the tests",
            "CASINO_EVALUATOR_API_KEYS": f"{KEY},{OTHER_KEY}",
            "CASINO_EVALUATOR_REQUESTS_PER_MINUTE": "0",
            **settings,
        }

    async def start(self, **settings: str) -> None:
        """Start the evaluator, at the same address and with the same data as before."""
        environment = {**self._environment, **settings}
        self.child = await Child.start(
            "evaluator", "casino_evaluator", environment=environment, on_log=self.log.append
        )

    async def kill(self) -> None:
        """End the evaluator by SIGKILL."""
        assert self.child is not None
        await self.child.kill()
        self.child = None

    async def stop(self) -> None:
        """End the evaluator by SIGTERM."""
        if self.child is not None:
            await self.child.stop(GRACE)
            self.child = None

    def client(self, key: str = KEY) -> ArcClient:
        return ArcClient(self.http, key)


@asynccontextmanager
async def evaluator_of(casino: ProcessCasino, **settings: str) -> AsyncIterator[LiveEvaluator]:
    """Run an evaluator beside a casino, with a database of its own."""
    async with AsyncExitStack() as stack:
        data = Path(stack.enter_context(TemporaryDirectory()))
        live = LiveEvaluator(casino, data, free_port(), settings)
        stack.push_async_callback(live.http.aclose)
        stack.push_async_callback(live.stop)
        await live.start()
        yield live


@asynccontextmanager
async def live_evaluator(tables: int = 0, **settings: str) -> AsyncIterator[LiveEvaluator]:
    """Run a lobby, hosted tables and an evaluator; ends everything that was started."""
    async with live_casino(
        CASINO_LOBBY_DRAIN_TIMEOUT="1s", CASINO_TABLE_DRAIN_TIMEOUT="1s"
    ) as casino:
        for first in range(0, tables, _TABLES):
            count = min(_TABLES, tables - first)
            await casino.host_tables(count, CASINO_TABLE_LOBBY_URL=casino.lobby.url)
        async with evaluator_of(casino, **settings) as live:
            yield live
