"""The statements that events are written with: built from the schema, in the driver's own words.

SQLAlchemy looks at every row of an executemany; these texts and tuples go to the driver as they
are, which is what `bench/ingest.py` measures.
"""

from collections.abc import Iterable, Sequence
from itertools import count
from typing import Any, NamedTuple

from sqlalchemy import BindParameter, Dialect, Insert, Update, bindparam
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.store import schema
from casino_lobby.store.rows import (
    EventRow,
    HandRow,
    LedgerRow,
    PlayerRow,
    RoomContent,
    Rows,
    SessionEnd,
    SessionRow,
)


class Statements(NamedTuple):
    """One text for each kind of row, in the order of `Rows`."""

    events: str
    players: str
    sessions: str
    session_ends: str
    hands: str
    ledger: str
    rooms: str

    @classmethod
    def of(cls, dialect: Dialect) -> "Statements":
        """Write them for a database.

        A player who comes again has moved, perhaps. A hand is told once: whoever tells it twice
        (a foreign table) has the second telling among the events only.
        """
        insert = sqlite.insert if dialect.name == "sqlite" else postgresql.insert
        comes = insert(schema.player)
        moved = ("display_name", "agent_card_url", "seat_number")
        session = schema.session
        of_room: BindParameter[str] = bindparam("of_room")
        of_number: BindParameter[int] = bindparam("of_number")
        ends = session.update().where(session.c.room_id == of_room, session.c.number == of_number)
        saves = schema.room.update().where(schema.room.c.room_id == of_room)
        return cls(
            _text(schema.event.insert(), EventRow, dialect, before=["cursor"]),
            _text(
                comes.on_conflict_do_update(
                    index_elements=["room_id", "player_id"],
                    set_={name: comes.excluded[name] for name in moved},
                ),
                PlayerRow,
                dialect,
            ),
            _text(session.insert(), SessionRow, dialect),
            _text(ends, SessionEnd, dialect, room_id="of_room", number="of_number"),
            _text(insert(schema.hand).on_conflict_do_nothing(), HandRow, dialect),
            _text(schema.ledger.insert(), LedgerRow, dialect),
            _text(saves, RoomContent, dialect, room_id="of_room"),
        )

    def of_rows(self, rows: Rows) -> list[tuple[str, list[Any]]]:
        """Return what is to be run, and with which rows, in this order."""
        cursors = count(rows.after + 1)
        every: tuple[tuple[str, Iterable[Any]], ...] = (
            (self.events, [(next(cursors), *row) for row in rows.events]),
            (self.players, rows.players),
            (self.sessions, rows.sessions),
            (self.session_ends, rows.session_ends),
            (self.hands, rows.hands),
            (self.ledger, rows.ledger),
            (self.rooms, rows.rooms),
        )
        return [(text, list(some)) for text, some in every if some]

    async def write(self, connection: AsyncConnection, rows: Rows) -> None:
        """Write rows within the connection's transaction.

        SQLite's driver is called directly: by way of SQLAlchemy every statement would be three
        journeys to the driver's thread instead of one.
        """
        driver = None
        if connection.dialect.name == "sqlite":
            driver = (await connection.get_raw_connection()).driver_connection
        for text, some in self.of_rows(rows):
            if driver is None:
                await connection.exec_driver_sql(text, some)
            else:
                await driver.executemany(text, some)


def _text(
    statement: Insert | Update,
    row: type[NamedTuple],
    dialect: Dialect,
    *,
    before: Sequence[str] = (),
    **bound: str,
) -> str:
    """Return a statement that takes the fields of a row in their order, `before` ahead of them.

    `bound` tells what a field is called that is not set but looked for.
    """
    names = [*before, *(bound.get(name, name) for name in row._fields)]
    compiled = statement.compile(dialect=dialect, column_keys=names)
    if compiled.positiontup != names:
        raise TypeError(f"the columns of {row.__name__} are not in the order of its table")
    return str(compiled)
