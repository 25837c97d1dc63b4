"""An ACTION in the room of its level, what follows from it, and what is answered."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final

import structlog

from casino_evaluator.domain.evaluation_session import (
    WAIT,
    EvaluationSession,
    LevelStanding,
    Moment,
    SessionCommand,
    State,
)
from casino_evaluator.domain.levels import ExaminedGame
from casino_evaluator.domain.scorecard import HandSums
from casino_evaluator.errors import EvaluatorError, LevelLost
from casino_evaluator.frames.controls import action_of, available_actions
from casino_evaluator.frames.frame_canvas import Grid
from casino_evaluator.frames.render import render
from casino_evaluator.metrics import Outcome
from casino_evaluator.play.recorder import LevelEnd, LevelProgress
from casino_evaluator.play.running_level import LevelRun
from casino_evaluator.service.session_rooms import LiveSession, SessionRooms
from casino_evaluator.store.replay_rows import Recorded

Json = dict[str, Any]

logger = structlog.get_logger(__name__)

_NEXT_LEVEL_S: Final = 0.8
"""Least time in which the next level is opened."""
_MOST_FRAMES: Final = 64


@dataclass(frozen=True, slots=True)
class PlayedCommand:
    """What an ACTION led to; nothing of it is stored yet."""

    session: EvaluationSession
    outcome: Outcome
    moments: tuple[Moment, ...] = field(repr=False)
    hands: HandSums
    """Of the level that the ACTION was for."""


class LevelPlay:
    """Plays in rooms. `seed` is that of the session's card, `until` is in monotonic seconds."""

    def __init__(self, rooms: SessionRooms, now: Callable[[], float]) -> None:
        self._rooms = rooms
        self._now = now

    async def begin(
        self,
        live: LiveSession,
        session: EvaluationSession,
        game: ExaminedGame,
        seed: str,
        until: float,
    ) -> tuple[EvaluationSession, tuple[Moment, ...]]:
        """Open the level of `session`. Raises RequestRefused, LevelLost."""
        progress = await self._rooms.begin(live, session, game, seed, until - self._now())
        if progress is None:
            return replace(session, waiting=True), (preparing(game, session.level),)
        return replace(session, waiting=_waits(progress)), progress.moments

    async def take(
        self,
        live: LiveSession,
        game: ExaminedGame,
        seed: str,
        command: SessionCommand,
        until: float,
    ) -> PlayedCommand:
        """Take an action; reopens a lost room once. Raises RequestRefused, LevelLost."""
        had_room = live.run is not None
        try:
            return await self._take(live, game, seed, command, until)
        except LevelLost as error:
            await live.leave_room()
            if not had_room:
                raise
            logger.info("room_lost", guid=live.session.guid, reason=str(error))
        return await self._take(live, game, seed, command, until)

    async def _take(
        self,
        live: LiveSession,
        game: ExaminedGame,
        seed: str,
        command: SessionCommand,
        until: float,
    ) -> PlayedCommand:
        session, was_open = live.session, live.run is not None
        run = await self._rooms.again(live, game, seed, until - self._now())
        if run is None:
            session = replace(session.act(None), waiting=True)
            shown = live.last or preparing(game, session.level)
            return PlayedCommand(session, "waited", (shown,), HandSums())
        moment = run.newest.moments[-1]
        if session.waiting or not moment.offers:
            # The client has not seen the decision that it would make.
            progress = await self._waited(live, run, until, was_open=was_open)
            return await self._over(live, game, seed, until, progress, session.act(None), "waited")
        action = action_of(moment, command.number, command.x, command.y)
        if action is None:
            session = session.act(None)
            return PlayedCommand(session, "unavailable", run.newest.moments, sums_of(run))
        live.begun = None
        progress = await run.act(action, max(0.0, until - self._now()))
        return await self._over(live, game, seed, until, progress, session.act(action), "taken")

    async def _waited(
        self, live: LiveSession, run: LevelRun, until: float, *, was_open: bool
    ) -> LevelProgress:
        shown = LevelProgress(()) if was_open else live.begun or run.newest
        if shown.moments and not _waits(shown):
            return shown
        live.begun = None
        progress = await run.wait(max(0.0, until - self._now()))
        moments = shown.moments + progress.moments
        return LevelProgress(moments or run.newest.moments, progress.end)

    async def _over(
        self,
        live: LiveSession,
        game: ExaminedGame,
        seed: str,
        until: float,
        progress: LevelProgress,
        session: EvaluationSession,
        outcome: Outcome,
    ) -> PlayedCommand:
        hands, moments = sums_of(live.run), progress.moments
        session = replace(session, waiting=_waits(progress))
        if progress.end is not None:
            is_completed = progress.end is LevelEnd.COMPLETED
            session = session.level_over(is_completed=is_completed, levels=game.win_score)
            await live.leave_room()
            if not session.is_over:
                session, first = await self._next(live, session, game, seed, until)
                moments += first
        return PlayedCommand(session, outcome, moments, hands)

    async def _next(
        self,
        live: LiveSession,
        session: EvaluationSession,
        game: ExaminedGame,
        seed: str,
        until: float,
    ) -> tuple[EvaluationSession, tuple[Moment, ...]]:
        """Open the next level; if that fails, the next command opens it."""
        until = max(until, self._now() + _NEXT_LEVEL_S)
        try:
            return await self.begin(live, session, game, seed, until)
        except EvaluatorError as error:
            logger.warning("next_level_not_opened", guid=session.guid, reason=str(error))
            return replace(session, waiting=True), (preparing(game, session.level),)


def preparing(game: ExaminedGame, number: int) -> Moment:
    level, chips = game.levels[number - 1], game.starting_stack
    return Moment(
        game_type=game.game_type,
        hand_number=1,
        player_id="candidate",
        opponent_id="opponent",
        state={"public": {}, "private": {}},
        standing=LevelStanding(number, level.hands, 0, level.target, chips, chips),
    )


def sums_of(run: LevelRun | None) -> HandSums:
    """Return what the hands that are over brought the candidate."""
    if run is None:
        return HandSums()
    defaults = run.opponent.defaults if run.opponent else 0
    return HandSums.of([hand.net for hand in run.hands], defaults)


def _waits(progress: LevelProgress) -> bool:
    return progress.end is None and not progress.moments[-1].offers


@dataclass(frozen=True, slots=True)
class FrameReply:
    """What a command answers."""

    game_id: str
    guid: str
    frames: tuple[Grid, ...] = field(repr=False)
    state: State
    score: int
    """Completed levels of this run."""
    win_score: int
    command: SessionCommand
    available_actions: tuple[int, ...]
    full_reset: bool = False


def available(session: EvaluationSession, moment: Moment) -> tuple[int, ...]:
    """Return the numbers of the actions that do something: while others decide, 7 waits."""
    if session.is_over:
        return ()
    return available_actions(moment) if moment.offers and not session.waiting else (WAIT,)


def reply_of(
    session: EvaluationSession,
    game: ExaminedGame,
    command: SessionCommand,
    moments: tuple[Moment, ...],
    *,
    is_full: bool = False,
) -> FrameReply:
    return FrameReply(
        game_id=game.game_id,
        guid=session.guid,
        frames=tuple(render(moment) for moment in moments[-_MOST_FRAMES:]),
        state=session.state,
        score=session.score,
        win_score=game.win_score,
        command=command,
        available_actions=available(session, moments[-1]),
        full_reset=is_full,
    )


def recorded(reply: FrameReply) -> Recorded:
    """Return what is kept of an answer for the replay."""
    return Recorded(
        action_input=reply.command.as_input(reply.game_id),
        frames=reply.frames,
        state=reply.state,
        score=reply.score,
        available_actions=reply.available_actions,
        full_reset=reply.full_reset,
    )
