"""The service of matches in this process, called over A2A, and what plays for it in tests."""

import json
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
from casino_agentkit import AgentClient, Service
from casino_contracts import RunMatchOutput
from casino_match.app import build_app
from casino_match.errors import MatchInterrupted
from casino_match.executors.executor import LocalExecutor
from casino_match.run.match_run import RunProgress, play_match
from casino_match.run.match_start import StartedMatch
from casino_match.service.match_folder import LiveMatch
from casino_match.service.match_queue import Play
from casino_match.settings import MatchSettings
from support.in_process import InProcessTransport
from support.match.plans import today
from support.processes import PATIENCE_S

KEY = "the operator's key of a test"
PLAN: dict[str, Any] = {
    "players": [{"player": "style:tight"}, {"player": "style:caller"}],
    "deal": {"seed": "a seed", "decks": 8, "decksPerBlock": 2},
}
"""Four blocks of two decks, heads-up."""
LONG_MS = 30_000
_URL = "http://match"
_TIMEOUT = timedelta(seconds=60)


class Caller:
    """Calls a service of matches with the operator's key."""

    def __init__(self, client: AgentClient, url: str) -> None:
        self.client = client
        self._url = url

    async def run(self, token: str | None = KEY, **request: Any) -> RunMatchOutput:
        peer = await self.client.resolve(self._url, timeout=_TIMEOUT)
        message = json.dumps(request).encode()
        return await peer.call("runMatch", message, RunMatchOutput, timeout=_TIMEOUT, token=token)


class MatchService(Caller):
    def __init__(self, service: Service, folder: Path) -> None:
        app = service.asgi()
        super().__init__(AgentClient(InProcessTransport({_URL: app})), _URL)
        self._folder = folder / "matches"
        self._app = app
        self.drain = service.finish
        """Does what SIGTERM does first; requests are still answered."""

    async def request(self, method: str, path: str, **request: Any) -> httpx.Response:
        transport = httpx.ASGITransport(self._app)
        async with httpx.AsyncClient(
            transport=transport, base_url=_URL, timeout=PATIENCE_S
        ) as http:
            return await http.request(method, path, **request)

    @property
    def kept(self) -> list[Path]:
        return sorted(path for path in self._folder.iterdir() if path.is_dir())


@asynccontextmanager
async def match_service(
    folder: Path, play: Play | None = None, **settings: Any
) -> AsyncIterator[MatchService]:
    """Run the service on a data directory; `play` takes the place of its processes."""
    read = MatchSettings.load({}, data=folder, operator_token=KEY, **settings)
    drawn = iter(("drawn", "drawn again"))
    service = build_app(read, _URL, draw_seed=lambda: next(drawn), now=today, play=play)
    caller = MatchService(service, folder)
    async with service.running():
        yield caller
        await service.finish()
    await caller.client.close()


def play_here(match: LiveMatch, *, is_interrupted: bool = False) -> None:
    def follow(progress: RunProgress) -> None:
        match.progress = progress
        if is_interrupted and progress.played:
            raise MatchInterrupted("after a block")

    begun = StartedMatch(match.directory, match.written, is_resumed=True)
    play_match(begun, LocalExecutor(), now=today, on_progress=follow)


def play_a_block(match: LiveMatch) -> None:
    play_here(match, is_interrupted=True)


class Gate:
    """Plays no match before it is opened, or the match is stopped."""

    def __init__(self) -> None:
        self.played: list[str] = []
        """The ids of the matches that have begun, in order."""
        self._opened = threading.Event()

    def open(self) -> None:
        self._opened.set()

    def play(self, match: LiveMatch) -> None:
        self.played.append(match.match_id)
        with match.stop.calling(self._opened.set):
            assert self._opened.wait(PATIENCE_S)
        if match.stop.is_set:
            raise MatchInterrupted("stopped")
        play_here(match)
