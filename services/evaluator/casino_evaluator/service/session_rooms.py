"""Sessions in memory, and their rooms, closed when they are idle or others need them."""

import asyncio
from collections.abc import Callable, Collection, Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from typing import Any, Final
from weakref import WeakValueDictionary

from casino_agentkit.authority import caller
from casino_agentkit.network import network_of
from casino_contracts import WaitReason
from casino_games.shuffle import derive_seed
from casino_lobby_client.lobby_client import LOBBY

from casino_evaluator.domain.evaluation_session import EvaluationSession, Moment
from casino_evaluator.domain.levels import ExaminedGame
from casino_evaluator.errors import ErrorName, RequestRefused
from casino_evaluator.metrics import EvaluatorMetrics
from casino_evaluator.play.level_run import LevelRuns
from casino_evaluator.play.recorder import LevelProgress
from casino_evaluator.play.running_level import LevelRun

Json = dict[str, Any]
Opening = asyncio.Task[tuple[LevelRun, LevelProgress]]
_OPENING_S: Final = 30.0
"""For a level to be played again; the first moments take much less."""
_OPENINGS: Final = 4
"""Rooms that are opened at a time: as many as the lobby opens for this evaluator."""
_TABLE_S: Final = 4.0
"""How long a free table is waited for."""
_AGAIN_S: Final = 0.5
"""A room that is given back takes a moment until its table is free."""
_UNAVAILABLE: Final = 503
_TOO_MANY: Final = 429


class LiveSession:
    """A session, and the attempt at its level if it has a room."""

    def __init__(self, session: EvaluationSession, used_at: float) -> None:
        self.session = session
        self.lock = asyncio.Lock()
        """Held by the command that is being taken."""
        self.commands = 0
        """Commands that hold the lock or wait for it."""
        self.used_at = used_at
        """Monotonic seconds of the last command's end."""
        self.opening: Opening | None = None
        self.run: LevelRun | None = None
        self.begun: LevelProgress | None = None
        """The first moments of the level, as long as nothing was played since."""
        self.owner = ""
        """Whose share of rooms it uses."""
        self.last: Moment | None = None
        """The last moment that was answered."""

    @property
    def has_room(self) -> bool:
        return self.run is not None or self.opening is not None

    @property
    def is_busy(self) -> bool:
        return self.commands > 0

    async def leave_room(self) -> None:
        """Close the room; the level can be played again from the stored actions."""
        run, self.run, self.begun = self.run, None, None
        opening, self.opening = self.opening, None
        if opening is not None:
            opening.cancel()
            await asyncio.wait({opening})
            if not opening.cancelled() and opening.exception() is None:
                run, _ = opening.result()
        if run is not None:
            await run.close()


class SessionRooms:
    """Sessions that have a room, at most `most`, and `per_key` of one key's.

    All keys that are not `configured` and come from one network count as one key. Only a key's own
    idle rooms make way for it. The seed of all deals is set at the start.
    """

    def __init__(
        self,
        runs: LevelRuns,
        most: int,
        now: Callable[[], float],
        metrics: EvaluatorMetrics,
        *,
        configured: Collection[str] = (),
        per_key: int = 8,
        openings: int = 2,
        table_s: float = _TABLE_S,
    ) -> None:
        self.seed = ""
        self._table_s = table_s
        self._runs = runs
        self._most = most
        self._now = now
        self._configured = configured
        self._per_key = per_key
        self._openings_per_key = openings
        self._own_openings = WeakValueDictionary[str, asyncio.Semaphore]()  # of those who wait
        self._openings = asyncio.Semaphore(_OPENINGS)
        self._live: dict[str, LiveSession] = {}
        metrics.rooms.set_function(lambda: sum(live.has_room for live in self._live.values()))

    @contextmanager
    def holding(self, live: LiveSession) -> Iterator[None]:
        self._live[live.session.guid] = live
        live.commands += 1
        try:
            yield
        finally:
            live.commands -= 1
            live.used_at = self._now()

    def find(self, guid: str) -> LiveSession | None:
        return self._live.get(guid)

    def waits_of(self, *guids: str) -> Json:
        """Return why sessions do not go on, as the field `waits`; nothing if they do."""
        told = self._runs.waits.told(*guids, LOBBY)
        return {"waits": told} if told else {}

    def waits_of_card(self, card_id: str) -> Json:
        """Return the same of a card's sessions."""
        lives = self._live.items()
        return self.waits_of(*(guid for guid, live in lives if live.session.card_id == card_id))

    async def begin(
        self,
        live: LiveSession,
        session: EvaluationSession,
        game: ExaminedGame,
        seed: str,
        within_s: float,
    ) -> LevelProgress | None:
        """Open a room at the first moment of `session`'s level; `seed` is its card's.

        A room in which nothing was played yet is kept. None: it is not open in time, and is being
        opened for the next command. Raises RequestRefused if no table is free, LevelLost.
        """
        is_same = live.session.level == session.level and not live.session.actions
        if live.begun is not None and is_same:
            return live.begun
        if live.opening is None or not is_same:
            await live.leave_room()
            await self._begin_opening(live, session, game, seed)
        return live.begun if await self._opened(live, within_s) else None

    async def again(
        self, live: LiveSession, game: ExaminedGame, seed: str, within_s: float
    ) -> LevelRun | None:
        """Return the attempt at the session's level, played again if its room is closed.

        None: it is not played again in time; that goes on for the next command. Raises
        RequestRefused, LevelLost.
        """
        if live.run is not None:
            return live.run
        if live.opening is None:
            await self._begin_opening(live, live.session, game, seed)
        opened = await self._opened(live, within_s)
        if live.session.actions:
            live.begun = None
        return opened

    async def close_idle(self, idle_s: float) -> None:
        """Close rooms without a command for so long, and forget their sessions."""
        since = self._now() - idle_s
        for guid, live in list(self._live.items()):
            if not live.is_busy and live.used_at <= since:
                del self._live[guid]
                await live.leave_room()

    async def close(self) -> None:
        lives = list(self._live.values())
        self._live.clear()
        await asyncio.gather(*(live.leave_room() for live in lives))

    async def forget(self, guid: str) -> None:
        live = self._live.pop(guid, None)
        if live is not None:
            await live.leave_room()

    async def close_card(self, card_id: str) -> None:
        for live in list(self._live.values()):
            if live.session.card_id == card_id and not live.is_busy:
                await live.leave_room()

    async def _begin_opening(
        self, live: LiveSession, session: EvaluationSession, game: ExaminedGame, seed: str
    ) -> None:
        key = session.key
        live.owner = key if key in self._configured else f"at {network_of(caller().address)}"
        held = [other for other in self._live.values() if other.has_room]
        if sum(other.owner == live.owner for other in held) >= self._per_key:
            await self._free_one(
                live.owner,
                f"your API key, with all anonymous ones of your address, plays in {self._per_key}"
                " rooms, which is its share (CASINO_EVALUATOR_ROOMS_PER_KEY)",
                _TOO_MANY,
            )
        elif len(held) >= self._most:
            await self._free_one(
                live.owner,
                f"all {self._most} rooms of this evaluator are in use (CASINO_EVALUATOR_ROOMS)",
            )
        level_seed = derive_seed(self.seed, seed, game.game_id, str(session.level))
        live.opening = asyncio.create_task(
            self._open_in_turn(live.owner, game, session, level_seed)
        )

    async def _open_in_turn(
        self, owner: str, game: ExaminedGame, session: EvaluationSession, seed: str
    ) -> tuple[LevelRun, LevelProgress]:
        own = asyncio.Semaphore(self._openings_per_key)
        own = self._own_openings.setdefault(owner, own)
        async with AsyncExitStack() as places:
            if own.locked() or self._openings.locked():
                self._runs.waits.begin(
                    WaitReason.SERVICE_FULL, session.guid, "rooms that are opened"
                )
            try:
                await places.enter_async_context(own)
                await places.enter_async_context(self._openings)
            finally:
                self._runs.waits.end(WaitReason.SERVICE_FULL, session.guid)
            return await self._open(owner, game, session, seed)

    async def _open(
        self, owner: str, game: ExaminedGame, session: EvaluationSession, seed: str
    ) -> tuple[LevelRun, LevelProgress]:
        """Open a room; while the lobby has no table left, take those of the key's idle sessions."""
        until = self._now() + self._table_s
        while True:
            try:
                return await self._runs.start(
                    game,
                    session.level,
                    seed,
                    session.actions,
                    waiting=session.guid,
                    within_s=_OPENING_S,
                )
            except RequestRefused as error:
                if error.status != _UNAVAILABLE or self._now() >= until:
                    raise
                with suppress(RequestRefused):
                    await self._free_one(owner, error.message)
            await asyncio.sleep(_AGAIN_S)

    async def _opened(self, live: LiveSession, within_s: float) -> LevelRun | None:
        opening = live.opening
        assert opening is not None  # noqa: S101  callers have made it
        done, _ = await asyncio.wait({opening}, timeout=max(0.0, within_s))
        if not done:
            return None
        live.opening = None
        if opening.cancelled():
            raise RequestRefused(
                ErrorName.SERVER_ERROR, "the room was closed; send the command again", _UNAVAILABLE
            )
        live.run, live.begun = opening.result()
        return live.run

    async def _free_one(self, owner: str, share: str, status: int = _UNAVAILABLE) -> None:
        """Close the owner's room unused for longest. Raises RequestRefused with what is used up."""
        idle = [
            live
            for live in self._live.values()
            if live.owner == owner and live.has_room and not live.is_busy
        ]
        if not idle:
            raise RequestRefused(
                ErrorName.RATE_LIMIT_EXCEEDED if status == _TOO_MANY else ErrorName.SERVER_ERROR,
                f"{share}; end a session, or send the command again later",
                status,
            )
        await min(idle, key=lambda live: live.used_at).leave_room()
