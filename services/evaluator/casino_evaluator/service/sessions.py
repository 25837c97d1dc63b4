"""Use cases of evaluation sessions: reset, act, observe."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Final

import structlog

from casino_evaluator.domain.evaluation_session import EvaluationSession, SessionCommand
from casino_evaluator.domain.levels import ExaminedGame, ExaminedGames
from casino_evaluator.domain.scorecard import CountedCommand, Kind
from casino_evaluator.errors import ErrorName, LevelLost, RequestRefused
from casino_evaluator.frames.controls import observation
from casino_evaluator.metrics import EvaluatorMetrics, Outcome
from casino_evaluator.service.level_play import (
    FrameReply,
    LevelPlay,
    available,
    preparing,
    recorded,
    reply_of,
    sums_of,
)
from casino_evaluator.service.open_scorecards import OpenCard
from casino_evaluator.service.scorecards import Cards
from casino_evaluator.service.session_rooms import LiveSession, SessionRooms
from casino_evaluator.store.scorecard_rows import SessionRows

Json = dict[str, Any]

logger = structlog.get_logger(__name__)

BUDGET_S: Final = 7.0
"""Time for a command; clients wait 10 s."""
_LEAST_S: Final = 1.0
"""Time that a command has in any case once the one before it is done."""


class Sessions:
    """The sessions of all keys. Commands of one session are taken one after the other.

    `key` is the id of an API key. Every method raises RequestRefused and changes nothing then.
    """

    def __init__(
        self,
        games: ExaminedGames,
        cards: Cards,
        rows: SessionRows,
        rooms: SessionRooms,
        metrics: EvaluatorMetrics,
        now: Callable[[], float],
        *,
        budget_s: float = BUDGET_S,
    ) -> None:
        self._games = games
        self._cards = cards
        self._rows = rows
        self._rooms = rooms
        self._play = LevelPlay(rooms, now)
        self._metrics = metrics
        self._now = now
        self._budget_s = budget_s

    async def begin(
        self, key: str, game_id: str, card_id: str, command: SessionCommand
    ) -> FrameReply:
        until = self._now() + self._budget_s
        game = self._games.find(game_id)
        card = self._cards.card_of(key, card_id, game.game_id)
        await self._cards.may_begin(card, game.game_id)
        session = EvaluationSession(str(uuid.uuid4()), key, card.card_id, game.game_id)
        live = LiveSession(session, self._now())
        with self._rooms.holding(live), self._metrics.command_s.time():
            try:
                reply = await self._begun(live, session, game, card, command, until)
            except BaseException:
                await self._rooms.forget(session.guid)
                raise
        self._metrics.sessions.inc()
        return reply

    async def reset(
        self, key: str, game_id: str, guid: str, card_id: str | None, command: SessionCommand
    ) -> FrameReply:
        until = self._now() + self._budget_s
        async with self._taking(key, game_id, guid, until) as (live, game, card):
            if card_id is not None and card_id != card.card_id:
                raise RequestRefused(
                    ErrorName.VALIDATION_ERROR, f"card_id: guid {guid} belongs to another scorecard"
                )
            before = live.session
            if card.competition_mode and before.state == "WIN":
                raise RequestRefused(
                    ErrorName.GAME_NOT_AVAILABLE_ERROR,
                    f"game {game.game_id} is won, and in competition mode it is played once",
                )
            session = before.reset(competition=card.competition_mode)
            is_full = before.resets_game(competition=card.competition_mode)
            reply = await self._begun(live, session, game, card, command, until, is_full=is_full)
            self._metrics.resets.inc()
            return reply

    async def act(self, key: str, game_id: str, guid: str, command: SessionCommand) -> FrameReply:
        """Take an action; one that is not available changes nothing and counts."""
        until = self._now() + self._budget_s
        outcome: Outcome = "refused"
        try:
            async with self._taking(key, game_id, guid, until) as (live, game, card):
                if live.session.is_over:
                    raise _not_started(game)
                try:
                    reply, outcome = await self._acted(live, game, card, command, until)
                except LevelLost as error:
                    outcome = "lost"
                    logger.warning("level_lost", guid=guid, reason=str(error))
                    await live.leave_room()
                    raise _not_started(game) from error
                except BaseException:
                    # What was played and not stored is played again without it.
                    await live.leave_room()
                    raise
                return reply
        finally:
            self._metrics.actions[outcome].inc()

    async def observe(self, key: str, guid: str) -> Json:
        until = self._now() + self._budget_s
        async with self._taking(key, None, guid, until) as (live, game, card):
            session = live.session
            shown: Json = {
                "guid": guid,
                "game_id": game.game_id,
                "card_id": session.card_id,
                "state": session.state,
                "score": session.score,
                "win_score": game.win_score,
                "level": session.level,
            }
            if session.is_over:
                return {
                    **shown,
                    "available_actions": [],
                    "moment": live.last and observation(live.last),
                }
            try:
                run = await self._rooms.again(live, game, card.seed, until - self._now())
            except LevelLost as error:
                await live.leave_room()
                raise _not_started(game) from error
            moment = run.newest.moments[-1] if run else preparing(game, session.level)
            if moment.offers:  # now it has been seen
                live.session = replace(session, waiting=False)
            actions = list(available(live.session, moment))
            return {**shown, "available_actions": actions, "moment": observation(moment)}

    async def _begun(
        self,
        live: LiveSession,
        session: EvaluationSession,
        game: ExaminedGame,
        card: OpenCard,
        command: SessionCommand,
        until: float,
        *,
        is_full: bool = False,
    ) -> FrameReply:
        """Put a session at the first moment of its level."""
        before, hands = live.session, sums_of(live.run)
        try:
            session, moments = await self._play.begin(live, session, game, card.seed, until)
        except LevelLost as error:
            raise RequestRefused(
                ErrorName.SERVER_ERROR, "the room was lost; send the command again", 503
            ) from error
        session = replace(session, commands=before.commands + 1)
        reply = reply_of(session, game, command, moments, is_full=is_full)
        try:
            if before.commands:
                kind: Kind = "full_reset" if is_full else "level_reset"
                counted = CountedCommand(
                    before.level, kind, session.score, session.state, hands=hands
                )
                await self._cards.counted(session, counted, recorded(reply))
            else:
                await self._cards.started(session, recorded(reply))
        except BaseException:
            await live.leave_room()  # it may be that of another level
            raise
        live.session, live.last = session, moments[-1]
        return reply

    async def _acted(
        self,
        live: LiveSession,
        game: ExaminedGame,
        card: OpenCard,
        command: SessionCommand,
        until: float,
    ) -> tuple[FrameReply, Outcome]:
        before = live.session
        played = await self._play.take(live, game, card.seed, command, until)
        session = replace(played.session, commands=before.commands + 1)
        reply = reply_of(session, game, command, played.moments)
        counted = CountedCommand(
            before.level,
            "action",
            session.score,
            session.state,
            available=played.outcome == "taken",
            hands=played.hands,
        )
        await self._cards.counted(session, counted, recorded(reply))
        live.session, live.last = session, played.moments[-1]
        return reply, played.outcome

    @asynccontextmanager
    async def _taking(
        self, key: str, game_id: str | None, guid: str, until: float
    ) -> AsyncIterator[tuple[LiveSession, ExaminedGame, OpenCard]]:
        """Take a command of a session after those before it; without a game it only reads."""
        live = self._rooms.find(guid)
        if live is None:
            session = await self._rows.get(guid)
            if session is None:
                raise RequestRefused(ErrorName.SERVER_ERROR, f"guid {guid[:64]} not found")
            live = self._rooms.find(guid) or LiveSession(session, self._now())
        session = live.session
        name = session.game_id if game_id is None else game_id
        if session.key != key:
            raise RequestRefused(
                ErrorName.VALIDATION_ERROR,
                f"game {name[:64]} with guid {guid} does not match API key",
            )
        game = self._games.find(name)
        if game.game_id != session.game_id:
            raise RequestRefused(
                ErrorName.VALIDATION_ERROR, f"guid {guid} is not of game {game.game_id}"
            )
        with self._rooms.holding(live), self._metrics.command_s.time():
            await self._turn(live, until)
            try:
                card = self._cards.card_of(key, session.card_id, session.game_id)
                yield live, game, card
            finally:
                live.lock.release()

    async def _turn(self, live: LiveSession, until: float) -> None:
        try:
            async with asyncio.timeout(max(0.0, until - self._now() - _LEAST_S)):
                await live.lock.acquire()
        except TimeoutError as error:
            raise RequestRefused(
                ErrorName.SERVER_ERROR,
                "another command of this session is being taken; send one at a time",
                503,
            ) from error


def _not_started(game: ExaminedGame) -> RequestRefused:
    return RequestRefused(
        ErrorName.GAME_NOT_STARTED_ERROR,
        f"game {game.game_id} is available but has not been started, send RESET to begin playing",
    )
