"""SQL statements for writing events, compiled from the schema for direct use by the driver.

SQLAlchemy processes every row of an `executemany`; these texts and tuples go to the driver
unchanged. `bench/ingest.py` measures the difference.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import BindParameter, Dialect, Insert, Update, bindparam
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.store import schema
from casino_lobby.store.rows import (
    EventRow,
    HandRow,
    NumberedContent,
    RoomContent,
    Rows,
)
from casino_lobby.store.stored_content import all_packed


class Statements(NamedTuple):
    """One SQL text for each kind of row, in the order of `Rows`."""

    events: str
    hands: str
    rooms: str
    has_numbered_rooms: bool = False

    @classmethod
    def of(cls, dialect: Dialect, *, in_group: bool = False) -> "Statements":
        """Compile the statements for a dialect; in a group of lobbies rooms are numbered.

        Of a hand that is reported twice (by a third-party table) the first row is kept.
        """
        insert = sqlite.insert if dialect.name == "sqlite" else postgresql.insert
        of_room: BindParameter[str] = bindparam("of_room")
        update_room = schema.room.update().where(schema.room.c.room_id == of_room)
        return cls(
            _text(schema.event.insert(), EventRow, dialect, before=["cursor"]),
            _text(insert(schema.hand).on_conflict_do_nothing(), HandRow, dialect),
            _text(
                update_room,
                NumberedContent if in_group else RoomContent,
                dialect,
                room_id="of_room",
            ),
            in_group,
        )

    def of_rows(self, batches: Sequence[Rows]) -> list[tuple[str, list[Any]]]:
        """Return pairs of statement and parameters of batches, in order of execution."""
        contents = iter(all_packed([row.content for rows in batches for row in rows.events]))
        every: tuple[tuple[str, list[Any]], ...] = (
            (
                self.events,
                [
                    (cursor, *row[:-1], next(contents))
                    for rows in batches
                    for cursor, row in enumerate(rows.events, rows.after + 1)
                ],
            ),
            (self.hands, [row for rows in batches for row in rows.hands]),
            (
                self.rooms,
                [row for rows in batches for row in rows.numbered_rooms]
                if self.has_numbered_rooms
                else [row for rows in batches for row in rows.rooms],
            ),
        )
        return [(text, parameters) for text, parameters in every if parameters]

    async def write(self, connection: AsyncConnection, batches: Sequence[Rows]) -> None:
        """Write batches within the connection's transaction.

        SQLite's driver is called directly: SQLAlchemy would switch to the driver's thread three
        times per statement instead of once.
        """
        driver = None
        if connection.dialect.name == "sqlite":
            driver = (await connection.get_raw_connection()).driver_connection
        for text, parameters in self.of_rows(batches):
            if driver is None:
                await connection.exec_driver_sql(text, parameters)
            else:
                await driver.executemany(text, parameters)


def _text(
    statement: Insert | Update,
    row: type[NamedTuple],
    dialect: Dialect,
    *,
    before: Sequence[str] = (),
    **bound: str,
) -> str:
    """Return SQL that takes the fields of a row in order, preceded by the columns `before`.

    `bound` maps fields that are matched in the WHERE clause to their bind parameters.
    Raises TypeError if the order of the columns differs.
    """
    names = [*before, *(bound.get(name, name) for name in row._fields)]
    compiled = statement.compile(dialect=dialect, column_keys=names)
    if compiled.positiontup != names:
        raise TypeError(f"the columns of {row.__name__} are not in the order of its table")
    return str(compiled)
