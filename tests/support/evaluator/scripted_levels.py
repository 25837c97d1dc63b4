"""Levels without a casino: after some checks they are completed, a fold fails them.

levels = ScriptedLevels()
levels.opponent.clear()  # the opponent thinks until it is set again
levels.free = 0  # no table is free
levels.lobby.clear()  # the lobby takes its time until it is set again
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from casino_evaluator.domain.levels import ExaminedGame, Level
from casino_evaluator.domain.moment import Moment, Standing
from casino_evaluator.errors import Code, LevelLost, RequestRefused
from casino_evaluator.play.level_run import HandPlayed, LevelEnd, LevelRun, LevelRuns, Progress

Json = dict[str, Any]

LENGTH = 3
"""Actions of a level."""
GAME = ExaminedGame(
    "kuhn",
    "kuhn_poker",
    "KUHN",
    100,
    1,
    2,
    tuple(Level("caller", 2, 100, LENGTH) for _ in range(3)),
)
CHECK = 2
FOLD = 1
UNAVAILABLE = 5


class ScriptedRun(LevelRun):
    """One attempt: before each decision the opponent acts, once it is let."""

    def __init__(self, levels: "ScriptedLevels", level: int, seed: str) -> None:
        self._levels = levels
        self._level = level
        self._seed = seed
        self._since: list[Moment] = []
        self.actions: list[Json] = []
        self._newest = self._moment("opponent")
        self._end: LevelEnd | None = None
        self.is_lost = self.gave_back = False

    @property
    def newest(self) -> Progress:
        """The newest moment alone."""
        return Progress((self._newest,), self._end)

    @property
    def hands(self) -> Sequence[HandPlayed]:
        return [HandPlayed(number, 1) for number in range(1, len(self.actions) + 1)]

    async def act(self, action: Json, within_s: float) -> Progress:
        self._raise_lost()
        if not self._newest.offers:
            raise ValueError("not the candidate's turn")
        self.actions.append(action)
        self._add(self._moment("opponent"))
        return await self.wait(within_s)

    async def wait(self, within_s: float) -> Progress:
        self._raise_lost()
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self._levels.opponent.wait()
                self._decide()
        since, self._since = tuple(self._since), []
        return Progress(since or (self._newest,), self._end)

    async def close(self) -> None:
        if not self.gave_back:
            self.gave_back = True
            self._levels.free += 1

    def _decide(self) -> None:
        if self._newest.offers or self._end is not None:
            return
        folded = any(action["action_type"] == "FOLD" for action in self.actions)
        if folded or len(self.actions) == LENGTH:
            self._end = LevelEnd.FAILED if folded else LevelEnd.COMPLETED
            self._add(self._moment("end"))
        else:
            offers = ({"action_type": "CHECK"}, {"action_type": "FOLD"})
            self._add(self._moment("candidate", offers))

    def _add(self, moment: Moment) -> None:
        self._newest = moment
        self._since.append(moment)

    def _moment(self, turn: str, offers: tuple[Json, ...] = ()) -> Moment:
        acted = len(self.actions)
        public = {"turn": turn, "seed": self._seed, "acted": acted}
        return Moment(
            "kuhn_poker",
            1 + acted,
            "candidate",
            "opponent",
            {"public": public, "private": {}},
            Standing(self._level, LENGTH, acted, 100, 100, 100),
            offers,
        )

    def _raise_lost(self) -> None:
        if self.is_lost:
            raise LevelLost("the room is gone")


class ScriptedLevels(LevelRuns):
    """Opens attempts while tables are free."""

    def __init__(self) -> None:
        self.free = 10
        self.opponent = asyncio.Event()
        self.opponent.set()
        self.lobby = asyncio.Event()
        self.lobby.set()
        self.runs: list[ScriptedRun] = []
        self.differs = False
        """Whether a replay does not lead to the same moment."""

    async def start(
        self,
        game: ExaminedGame,
        level: int,
        seed: str,
        actions: Sequence[Json] = (),
        *,
        name: str = "Candidate",
        within_s: float,
    ) -> tuple[LevelRun, Progress]:
        """Open an attempt and play it again."""
        del game, name
        await self.lobby.wait()
        if not self.free:
            raise RequestRefused(Code.SERVER_ERROR, "no table is free", 503)
        if actions and self.differs:
            raise LevelLost("the replay differs")
        self.free -= 1
        run = ScriptedRun(self, level, seed)
        self.runs.append(run)
        progress = await run.wait(within_s)
        for action in actions:
            progress = await run.act(action, within_s)
        return run, progress

    @property
    def opened(self) -> int:
        """How many attempts were opened."""
        return len(self.runs)
