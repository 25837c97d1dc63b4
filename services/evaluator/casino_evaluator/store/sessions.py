"""Sessions as they are stored: enough to play the running level again up to the same moment."""

import json
from dataclasses import fields
from typing import Any

from casino_sqlite.database import Database
from sqlalchemy import Row, select
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_evaluator.domain.session import Session
from casino_evaluator.store.schema import sessions

_FIELDS = tuple(field.name for field in fields(Session))


class SessionRows:
    """Sessions in the database; every method raises StoreFailed."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, guid: str) -> Session | None:
        """Return a session after its newest command, None if there is none."""
        async with self._database.reading() as connection:
            row = (
                await connection.execute(select(sessions).where(sessions.c.guid == guid))
            ).first()
        return None if row is None else _session(row)

    async def of_card(self, card_id: str) -> list[Session]:
        """Return the sessions of a card, in the order in which they were started."""
        query = select(sessions).where(sessions.c.card_id == card_id).order_by(sessions.c.place)
        async with self._database.reading() as connection:
            return [_session(row) for row in (await connection.execute(query)).all()]


async def put_session(connection: AsyncConnection, session: Session) -> None:
    """Store a session in a running transaction, new or not."""
    values = {name: getattr(session, name) for name in _FIELDS}
    values["actions"] = json.dumps(session.actions)
    await connection.execute(
        insert(sessions).values(values).on_conflict_do_update(index_elements=["guid"], set_=values)
    )


def _session(row: Row[Any]) -> Session:
    values = {name: getattr(row, name) for name in _FIELDS}
    return Session(**{**values, "actions": tuple(json.loads(values["actions"]))})
