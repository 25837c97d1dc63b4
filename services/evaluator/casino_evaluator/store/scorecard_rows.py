"""Scorecards with their runs, and sessions, as they are stored.

A command is stored with all that it changes. A session has enough to play its running level again
up to the same moment.
"""

import json
from dataclasses import fields, replace
from typing import Any

from casino_storage.sqlite_file import SqliteFile
from sqlalchemy import Row, Select, and_, bindparam, delete, func, insert, select, update
from sqlalchemy.dialects.sqlite import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_evaluator.domain.evaluation_session import EvaluationSession
from casino_evaluator.domain.scorecard import HandSums, LevelCount, Run, Scorecard
from casino_evaluator.store.evaluator_schema import cards, commands, runs, sessions
from casino_evaluator.store.replay_rows import CommandRows, Recorded, ReplayPart

_FIELDS = tuple(field.name for field in fields(EvaluationSession))


class SessionRows:
    """Sessions in the database; every method raises StoreFailed."""

    def __init__(self, database: SqliteFile) -> None:
        self._database = database

    async def get(self, guid: str) -> EvaluationSession | None:
        async with self._database.reading() as connection:
            row = (
                await connection.execute(select(sessions).where(sessions.c.guid == guid))
            ).first()
        return None if row is None else _session(row)

    async def of_card(self, card_id: str) -> list[EvaluationSession]:
        """Return the sessions of a card, in the order in which they were started."""
        query = select(sessions).where(sessions.c.card_id == card_id).order_by(sessions.c.place)
        async with self._database.reading() as connection:
            return [_session(row) for row in (await connection.execute(query)).all()]


async def put_session(connection: AsyncConnection, session: EvaluationSession) -> None:
    values = {name: getattr(session, name) for name in _FIELDS}
    values["actions"] = json.dumps(session.actions)
    await connection.execute(
        upsert(sessions).values(values).on_conflict_do_update(index_elements=["guid"], set_=values)
    )


def _session(row: Row[Any]) -> EvaluationSession:
    values = {name: getattr(row, name) for name in _FIELDS}
    return EvaluationSession(**{**values, "actions": tuple(json.loads(values["actions"]))})


_DETAILS = ("tags", "source_url", "opaque", "competition_mode", "seed")
_OF_CARD = cards.c.card_id == bindparam("of_card")
_USED = update(cards).where(_OF_CARD).values(updated_at=bindparam("at"))
_CLOSED = _USED.values(closed_at=bindparam("at"))


class CardStore:
    """Scorecards in the database; every method raises StoreFailed."""

    def __init__(self, database: SqliteFile, recorded: CommandRows | None = None) -> None:
        self._database = database
        self._commands = recorded or CommandRows(database)

    async def add(self, card: Scorecard) -> None:
        details = {name: getattr(card, name) for name in _DETAILS}
        async with self._database.writing() as connection:
            await connection.execute(
                insert(cards).values(
                    card_id=card.card_id,
                    key=card.key,
                    opened_at=card.opened_at,
                    updated_at=card.updated_at,
                    closed_at=card.closed_at,
                    details=json.dumps(details),
                )
            )
            for run in card.runs:
                await _put_run(connection, card.card_id, run)

    async def take(
        self, session: EvaluationSession, run: Run, recorded: Recorded, *, at: float
    ) -> None:
        """Store a command with the session, run and scorecard after it: all or nothing."""
        async with self._database.writing() as connection:
            await self._commands.put(connection, session.guid, session.commands, recorded)
            await put_session(connection, session)
            await _put_run(connection, session.card_id, run)
            await connection.execute(_USED, {"of_card": session.card_id, "at": at})

    async def used(self, card_id: str, at: float) -> None:
        await self._database.write(_USED, {"of_card": card_id, "at": at})

    async def close(self, card_id: str, at: float, unplayed: tuple[Run, ...] = ()) -> None:
        """Store that a scorecard is closed, with runs of games that were not played."""
        async with self._database.writing() as connection:
            for run in unplayed:
                await _put_run(connection, card_id, run)
            await connection.execute(_CLOSED, {"of_card": card_id, "at": at})

    async def forget(self, card_id: str) -> None:
        guids = select(sessions.c.guid).where(sessions.c.card_id == card_id)
        async with self._database.writing() as connection:
            await connection.execute(delete(commands).where(commands.c.guid.in_(guids)))
            for table in (sessions, runs, cards):
                await connection.execute(delete(table).where(table.c.card_id == card_id))

    async def get(self, card_id: str) -> Scorecard | None:
        async with self._database.reading() as connection:
            row = (
                await connection.execute(select(cards).where(cards.c.card_id == card_id))
            ).first()
            if row is None:
                return None
            return await _with_runs(connection, _card(row))

    async def open_cards(self) -> list[Scorecard]:
        """Return the scorecards that are open, without their runs, in the order of opening."""
        return await self._cards(select(cards).where(cards.c.closed_at.is_(None)))

    async def newest(self, key: str, limit: int) -> list[Scorecard]:
        """Return the newest scorecards of a key, without their runs, newest first."""
        query = select(cards).where(cards.c.key == key).order_by(cards.c.number.desc())
        return await self._cards(query.limit(limit))

    async def forget_old(self, key: str, kept: int) -> None:
        query = (
            select(cards.c.card_id)
            .where(cards.c.key == key, cards.c.closed_at.is_not(None))
            .order_by(cards.c.number.desc())
            .offset(kept)
        )
        async with self._database.reading() as connection:
            old = (await connection.execute(query)).scalars().all()
        for card_id in old:
            await self.forget(card_id)

    async def newest_run(self, guid: str) -> Run | None:
        query = select(runs).where(runs.c.guid == guid).order_by(runs.c.number.desc()).limit(1)
        async with self._database.reading() as connection:
            row = (await connection.execute(query)).first()
        return None if row is None else _run(row)

    async def runs_of(self, card_id: str) -> int:
        query = select(func.count()).select_from(runs).where(runs.c.card_id == card_id)
        async with self._database.reading() as connection:
            return int((await connection.execute(query)).scalar_one())

    async def has_game(self, card_id: str, game_id: str) -> bool:
        query = select(runs.c.place).where(
            and_(runs.c.card_id == card_id, runs.c.game_id == game_id)
        )
        async with self._database.reading() as connection:
            return (await connection.execute(query.limit(1))).first() is not None

    async def part(self, guid: str, first: int, limit: int) -> ReplayPart:
        return await self._commands.part(guid, first, limit)

    async def _cards(self, query: Select[Any]) -> list[Scorecard]:
        async with self._database.reading() as connection:
            return [_card(row) for row in (await connection.execute(query)).all()]


async def _with_runs(connection: AsyncConnection, card: Scorecard) -> Scorecard:
    query = select(runs).where(runs.c.card_id == card.card_id).order_by(runs.c.place)
    rows = (await connection.execute(query)).all()
    return replace(card, runs=tuple(_run(row) for row in rows))


async def _put_run(connection: AsyncConnection, card_id: str, run: Run) -> None:
    details = {
        "title": run.title,
        "big_blind": run.big_blind,
        "baselines": run.baselines,
        "levels": [
            [level.actions, level.resets, level.unavailable, level.earlier, level.newest]
            for level in run.levels
        ],
    }
    changing = {"score": run.score, "state": run.state, "details": json.dumps(details)}
    await connection.execute(
        upsert(runs)
        .values(card_id=card_id, guid=run.guid, number=run.number, game_id=run.game_id, **changing)
        .on_conflict_do_update(index_elements=["guid", "number"], set_=changing)
    )


def _card(row: Row[Any]) -> Scorecard:
    details = json.loads(row.details)
    return Scorecard(
        card_id=row.card_id,
        key=row.key,
        opened_at=row.opened_at,
        updated_at=row.updated_at,
        closed_at=row.closed_at,
        **{**details, "tags": tuple(details["tags"])},
    )


def _run(row: Row[Any]) -> Run:
    details = json.loads(row.details)
    return Run(
        guid=row.guid,
        number=row.number,
        game_id=row.game_id,
        title=details["title"],
        big_blind=details["big_blind"],
        baselines=tuple(details["baselines"]),
        levels=tuple(
            LevelCount(actions, resets, unavailable, HandSums(*earlier), HandSums(*newest))
            for actions, resets, unavailable, earlier, newest in details["levels"]
        ),
        score=row.score,
        state=row.state,
    )
