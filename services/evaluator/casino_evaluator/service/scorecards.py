"""Use cases of scorecards: open, read, close, keep alive, rescind; count what sessions do."""

import asyncio
import time
import uuid
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from casino_agentkit.bounded_state import LruDict

from casino_evaluator.domain.evaluation_session import EvaluationSession
from casino_evaluator.domain.levels import ExaminedGame
from casino_evaluator.domain.scorecard import CountedCommand, Run, Scorecard
from casino_evaluator.domain.scorecard_summary import game_summary, listing, summary
from casino_evaluator.errors import ErrorName, RequestRefused
from casino_evaluator.service.open_scorecards import (
    CardLimits,
    OpenCard,
    OpenCards,
    Opening,
    new_card,
    not_open,
    shown,
    unknown_card,
)
from casino_evaluator.store.replay_rows import Recorded
from casino_evaluator.store.scorecard_rows import CardStore, SessionRows

Json = dict[str, Any]

_RUNS_CACHED = 10_000


class Cards:
    """The scorecards of all keys. Raises RequestRefused, with nothing changed, and StoreFailed."""

    def __init__(
        self,
        store: CardStore,
        sessions: SessionRows,
        games: Mapping[str, ExaminedGame],
        limits: CardLimits | None = None,
        *,
        configured: Container[str] = (),
        now: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._sessions = sessions
        self._games = games
        self._limits = limits or CardLimits()
        self._now = now
        self._open = OpenCards(self._limits, configured, now)
        self._runs = LruDict[str, Run](_RUNS_CACHED)
        """The newest run of sessions."""
        self._beginning = asyncio.Lock()

    async def start(self) -> None:
        """Read the open cards of earlier runs, and close those that are stale."""
        for card in await self._store.open_cards():
            self._open.put(card)
        await self.close_stale()

    async def open(self, key: str, **details: Any) -> str:
        opening = Opening.read(**details)
        await self._close_stale(self._open.of(key))
        self._open.admit(key)
        card = new_card(key, opening, self._now())
        self._open.put(card)
        try:
            await self._store.add(card)
        except BaseException:
            self._open.remove(card.card_id)
            raise
        return card.card_id

    async def played(self, key: str, runs: Sequence[Run], **details: Any) -> Scorecard:
        """Store a closed scorecard of runs that are over."""
        card = new_card(key, Opening.read(**details), self._now())
        card = replace(card, closed_at=card.opened_at, runs=tuple(runs))
        await self._store.add(card)
        await self._store.forget_old(key, self._open.closed_kept(key))
        return card

    async def read(self, key: str, card_id: str) -> Json:
        return summary(await self._readable(key, card_id))

    async def read_game(self, key: str, card_id: str, game_id: str) -> Json:
        return game_summary(await self._readable(key, card_id), game_id)

    async def listed(self, key: str) -> list[Json]:
        """Return the newest scorecards of a key, newest first, without their results."""
        most = self._limits.per_key
        return [listing(card) for card in await self._store.newest(key, most)]

    async def close(self, key: str, card_id: str) -> Json:
        card = self._open.owned(key, card_id)
        if card is None:
            raise RequestRefused(
                ErrorName.VALIDATION_ERROR, f"scorecard {shown(card_id)} not found", 404
            )
        await self._close(card)
        return await self.read(key, card_id)

    async def heartbeat(self, key: str, card_id: str) -> Json:
        """Count as a use of an open scorecard; return until when it stays open without another."""
        card = self._open.owned(key, card_id)
        if card is None:
            raise unknown_card(card_id)
        now = self._now()
        await self._store.used(card_id, now)
        self._open.used(card_id, now)
        closes = min(now + self._limits.idle_s, card.opened_at + self._limits.open_s)
        return {"card_id": card_id, "open_for_s": round(max(0.0, closes - now), 3)}

    async def rescind(self, key: str, card_id: str) -> None:
        card = await self._store.get(card_id)
        if card is None or card.key != key:
            raise unknown_card(card_id)
        self._open.remove(card_id)
        await self._store.forget(card_id)

    def card_of(self, key: str, card_id: str, game_id: str) -> OpenCard:
        return self._open.card_of(key, card_id, game_id)

    async def may_begin(self, card: OpenCard, game_id: str) -> None:
        if card.competition_mode and await self._store.has_game(card.card_id, game_id):
            raise RequestRefused(
                ErrorName.SERVER_ERROR,
                f"game {shown(game_id)} was already started on this scorecard;"
                " competition mode has one session per game",
            )
        if await self._store.runs_of(card.card_id) >= self._limits.runs:
            raise RequestRefused(
                ErrorName.SERVER_ERROR,
                f"this scorecard has {self._limits.runs} runs; open another one",
            )

    async def started(self, session: EvaluationSession, recorded: Recorded) -> None:
        """Store a new session with its first run and the RESET that made it."""
        async with self._beginning:
            card = self.card_of(session.key, session.card_id, session.game_id)
            await self.may_begin(card, session.game_id)
            await self._take(
                session, Run.begun(self._games[session.game_id], session.guid), recorded
            )

    async def counted(
        self, session: EvaluationSession, count: CountedCommand, recorded: Recorded
    ) -> None:
        """Store a later command of a session, as it is after it, and count it on its run."""
        run = self._runs.get(session.guid) or await self._store.newest_run(session.guid)
        if run is None:
            raise not_open(session.game_id)
        if count.kind == "full_reset":
            if await self._store.runs_of(session.card_id) >= self._limits.runs:
                raise RequestRefused(
                    ErrorName.SERVER_ERROR,
                    f"this scorecard has {self._limits.runs} runs; open another one",
                )
            await self._take(session, run.again(), recorded)
        else:
            await self._take(session, run.counted(count), recorded)

    async def close_stale(self) -> list[str]:
        return await self._close_stale(self._open)

    async def replay(self, key: str, guid: str, first: int = 0, limit: int = 100) -> Json:
        """Return commands of a session with their frames, from number `first` on."""
        session = await self._sessions.get(guid)
        if session is None or session.key != key:
            raise RequestRefused(ErrorName.SERVER_ERROR, f"session {shown(guid)} not found", 404)
        part = await self._store.part(guid, first, limit)
        return {
            "guid": guid,
            "game_id": session.game_id,
            "card_id": session.card_id,
            "commands_total": session.commands,
            "dropped": max(0, part.oldest - 1) if part.oldest else session.commands,
            "first": part.commands[0]["number"] if part.commands else first,
            "commands": part.commands,
        }

    async def _take(self, session: EvaluationSession, run: Run, recorded: Recorded) -> None:
        self.card_of(session.key, session.card_id, session.game_id)
        now = self._now()
        await self._store.take(session, run, recorded, at=now)
        self._runs.put(session.guid, run)
        self._open.used(session.card_id, now)

    async def _close_stale(self, cards: Iterable[Scorecard]) -> list[str]:
        closed = []
        for card in cards:
            if self._open.is_stale(card) and self._open.get(card.card_id) is card:
                await self._close(card)
                closed.append(card.card_id)
        return closed

    async def _close(self, card: Scorecard) -> None:
        # From here on no command is taken; those that are being stored are stored before it.
        self._open.remove(card.card_id)
        try:
            unplayed = await self._unplayed(card) if card.competition_mode else ()
            await self._store.close(card.card_id, self._now(), unplayed)
        except BaseException:
            self._open.put(card)
            raise
        await self._store.forget_old(card.key, self._open.closed_kept(card.key))

    async def _unplayed(self, card: Scorecard) -> tuple[Run, ...]:
        """Return runs of the games that were not played: in competition mode they count 0."""
        stored = await self._store.get(card.card_id)
        played = {run.game_id for run in stored.runs} if stored is not None else set()
        return tuple(
            Run.begun(game, str(uuid.uuid4()))
            for game_id, game in sorted(self._games.items())
            if game_id not in played
        )

    async def _readable(self, key: str, card_id: str) -> Scorecard:
        opened = self._open.get(card_id)
        if opened is not None:
            await self._close_stale([opened])
        card = await self._store.get(card_id)
        if card is None or card.key != key:
            raise unknown_card(card_id)
        if card.competition_mode and card.closed_at is None:
            raise RequestRefused(
                ErrorName.SERVER_ERROR,
                "cannot get scorecard that is in competition mode; close it first",
                403,
            )
        return card
