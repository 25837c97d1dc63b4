"""Attempts at levels in a casino of the test's loop, and the place that serves their seats.

async with live_levels() as live:
    run, progress = await live.start()
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from random import Random
from typing import Any

from casino_agentkit import HostedAgents, Service, Waits
from casino_evaluator.domain.evaluation_session import Moment
from casino_evaluator.domain.levels import ExaminedGame, Level
from casino_evaluator.opponents import Decide
from casino_evaluator.play.level_room import SEATS
from casino_evaluator.play.level_run import LevelRuns
from casino_evaluator.play.recorder import LevelProgress
from casino_evaluator.play.running_level import LevelRun
from casino_gamespec import answer, random_action
from casino_gamespec.choice import kind_of
from casino_lobby_client.lobby_client import LobbyClient
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from support.casino.loop_casino import LoopCasino, loop_casino
from support.players.any_player import AnyPlayer
from support.processes import PATIENCE_S

Json = dict[str, Any]
WITHIN_S = PATIENCE_S
SEATING = timedelta(seconds=40)


def examined(game_type: str, *levels: Level, stack: int = 40) -> ExaminedGame:
    return ExaminedGame(
        prefix=game_type[:4],
        game_type=game_type,
        title=game_type,
        starting_stack=stack,
        small_blind=1,
        big_blind=2,
        levels=levels,
    )


def level(opponent: str = "passive", hands: int = 6, target: int = 40) -> Level:
    return Level(opponent, hands, target, baseline_actions=hands)


KUHN = examined("kuhn_poker", level(), level("dicey"))
"""Level 1 against an opponent that checks and calls, level 2 against one that throws dice."""
DICEY = 2
SEED = "a level's seed"


def passive(_state: Json, offers: tuple[Json, ...], _dice: Random) -> Json:
    """Check or call, whatever the cards."""
    kinds = {kind_of(offer): offer for offer in offers}
    for kind in ("check", "call"):
        if kind in kinds:
            return answer(kinds[kind])
    return random_action(offers, Random(1))


def dicey(_state: Json, offers: tuple[Json, ...], dice: Random) -> Json:
    return random_action(offers, dice)


OPPONENTS: dict[str, Decide] = {"passive": passive, "dicey": dicey}


class LostNotices:
    """Loses notices on their way to the seats: those whose body contains `of`."""

    def __init__(self, app: ASGIApp, of: list[bytes]) -> None:
        self._app = app
        self._of = of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a lost notice with 503; pass all else on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = await Request(scope, receive).body()
        is_notice = b'"dealt"' in body or b'"completed"' in body
        if is_notice and any(one in body for one in self._of):
            await PlainTextResponse("lost", status_code=503)(scope, receive, send)
            return
        read: list[Message] = [{"type": "http.request", "body": body}]

        async def again() -> Message:
            return read.pop() if read else await receive()

        await self._app(scope, again, send)


class LiveLevels:
    """A casino, and the place where the seats of levels are hosted."""

    def __init__(
        self, casino: LoopCasino, url: str, hosted: HostedAgents, lost: list[bytes]
    ) -> None:
        self.casino = casino
        self.url = url
        self.hosted = hosted
        self.lost = lost
        """Words of notices that are lost from now on."""
        self.waits = Waits()
        self.lobby = LobbyClient(casino.http, seating=SEATING, waits=self.waits)
        self._made: list[LevelRuns] = []

    def runs(
        self, *, pause: timedelta = timedelta(), lobby: LobbyClient | None = None
    ) -> LevelRuns:
        """Return what opens attempts; closed at the end."""
        made = LevelRuns(lobby or self.lobby, self.hosted, self.url, OPPONENTS, self.waits, pause)
        self._made.append(made)
        return made

    async def start(
        self,
        level: int = DICEY,
        seed: str = SEED,
        actions: Sequence[Json] = (),
        *,
        game: ExaminedGame = KUHN,
        within_s: float = WITHIN_S,
        **runs: Any,
    ) -> tuple[LevelRun, LevelProgress]:
        """Open an attempt at a level."""
        return await self.runs(**runs).start(game, level, seed, actions, within_s=within_s)

    def killed_runs(self) -> LevelRuns:
        """Return what opens attempts whose rooms nobody closes."""
        return LevelRuns(self.lobby, self.hosted, self.url, OPPONENTS, self.waits)

    def serve(self, name: str, decide: Any) -> str:
        """Serve an agent; returns its card's address."""
        path = self.hosted.add(name, AnyPlayer(name, decide).agent())
        return f"{self.url}{path}/.well-known/agent-card.json"

    async def close(self) -> None:
        for made in self._made:
            await made.close()

    async def open_rooms(self) -> list[str]:
        return [room.room_id for room in await self.lobby.open_rooms()]


@asynccontextmanager
async def live_levels(tables: int) -> AsyncIterator[LiveLevels]:
    """Run a casino with free tables, and serve seats."""
    async with loop_casino(tables) as casino, hosting(casino) as live:
        yield live


@asynccontextmanager
async def hosting(casino: LoopCasino, url: str = "http://seats") -> AsyncIterator[LiveLevels]:
    """Serve seats of a casino at an origin, in place of others there."""
    hosted, lost = HostedAgents(SEATS), list[bytes]()
    service = Service({}, public_url=url, hosted=hosted, guarded=lambda app: LostNotices(app, lost))
    casino.serve(url, service)
    async with service.running():
        live = LiveLevels(casino, url, hosted, lost)
        yield live
        await live.close()
    casino.calls.leave(url)


async def played(
    run: LevelRun, progress: LevelProgress, actions: Sequence[Json] | None = None
) -> tuple[list[Moment], list[Json]]:
    """Play an attempt to its end; returns its moments, and the candidate's actions."""
    moments, taken = [*progress.moments], []
    left = iter(actions or ())
    while progress.end is None:
        action = next(left, None) or passive({}, progress.moments[-1].offers, Random(1))
        taken.append(action)
        progress = await run.act(action, WITHIN_S)
        moments += progress.moments
    return moments, taken
