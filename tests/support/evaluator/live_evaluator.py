"""A casino of real processes with an evaluator: a lobby, hosted tables, levels that are easy.

async with live_evaluator() as live:
    client = await live.client()
    card = await client.open()
    frame = await client.reset("kuhn", card)
    frame = await client.act(frame, 2)
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
from casino_agentkit import Child

from support.casino.live import ENVIRONMENT, GRACE, ProcessCasino, live_casino
from support.free_port import free_port

Json = dict[str, Any]

LEVELS = """
[[games]]
prefix = "kuhn"
game_type = "kuhn_poker"
title = "KUHN"
starting_stack = 40
small_blind = 1
big_blind = 2
tags = ["poker", "heads-up"]
levels = [
    {opponent = "caller", hands = 2, target = 1, baseline_actions = 2},
    {opponent = "caller", hands = 2, target = 1, baseline_actions = 2},
    {opponent = "random", hands = 2, target = 1, baseline_actions = 2},
]

[[games]]
prefix = "hard"
game_type = "kuhn_poker"
title = "HARD"
starting_stack = 40
small_blind = 1
big_blind = 2
levels = [
    {opponent = "caller", hands = 2, target = 1, baseline_actions = 2},
    {opponent = "caller", hands = 2, target = 44, baseline_actions = 2},
]

[[games]]
prefix = "hold"
game_type = "texas-holdem"
title = "HOLD"
starting_stack = 200
small_blind = 1
big_blind = 2
levels = [
    {opponent = "random", hands = 6, target = 1, baseline_actions = 10},
    {opponent = "tight", hands = 2, target = 1, baseline_actions = 4},
]
"""
"""Who checks completes every level of `kuhn`, and fails in the second of `hard`."""
CHECK = 2
_TABLES = 100
"""Most tables of a process."""
KEY = "the-key-of-the-tests"
OTHER_KEY = "another-key-of-the-tests"


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

    def client(self, key: str = KEY) -> "ArcClient":
        """Return a client with an API key."""
        return ArcClient(self.http, key)


class ArcClient:
    """A client of the ARC-AGI-3 API."""

    def __init__(self, http: httpx.AsyncClient, key: str) -> None:
        self._http = http
        self.headers = {"x-api-key": key}

    async def get(self, path: str) -> httpx.Response:
        """Read."""
        return await self._http.get(f"/api/{path}", headers=self.headers)

    async def delete(self, path: str) -> httpx.Response:
        """Delete."""
        return await self._http.delete(f"/api/{path}", headers=self.headers)

    async def post(self, path: str, **body: Any) -> httpx.Response:
        """Send a command."""
        return await self._http.post(f"/api/{path}", json=body, headers=self.headers)

    async def games(self) -> dict[str, Json]:
        """Return the games by their first four letters."""
        listed: list[Json] = (await self.get("games")).json()
        return {game["game_id"][:4]: game for game in listed}

    async def open(self, **fields: Any) -> str:
        """Open a scorecard."""
        card: str = okay(await self.post("scorecard/open", **fields))["card_id"]
        return card

    async def begin(self, game: str, card: str) -> Json:
        """Begin a session."""
        return okay(await self.post("cmd/RESET", game_id=game, card_id=card))

    async def reset(self, frame: Json) -> Json:
        """Reset a session."""
        named = {"game_id": frame["game_id"], "guid": frame["guid"]}
        return okay(await self.post("cmd/RESET", **named))

    async def act(self, frame: Json, number: int, **fields: Any) -> Json:
        """Take an action."""
        return okay(await self.try_to_act(frame, number, **fields))

    async def try_to_act(self, frame: Json, number: int, **fields: Any) -> httpx.Response:
        """Take an action, whatever the answer is."""
        named = {"game_id": frame["game_id"], "guid": frame["guid"]}
        return await self.post(f"cmd/ACTION{number}", **{**named, **fields})

    async def check_until(self, frame: Json, score: int | None = None) -> Json:
        """Check until the score is reached or the session is over; returns the last frame."""
        while frame["state"] == "NOT_FINISHED" and (score is None or frame["score"] < score):
            frame = await self.act(frame, CHECK)
        return frame

    async def card(self, card: str) -> Json:
        """Read a scorecard."""
        return okay(await self.get(f"scorecard/{card}"))


def okay(response: httpx.Response) -> Json:
    """Return the JSON of an answer that must be 200."""
    assert response.status_code == 200, response.text
    content: Json = response.json()
    return content


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
