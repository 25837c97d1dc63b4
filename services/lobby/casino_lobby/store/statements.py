"""Rows that a batch of events adds to the tables, and the SQL that writes them.

The statements are compiled from the schema for direct use by the driver. SQLAlchemy processes every
row of an `executemany`; these texts and tuples go to the driver unchanged. `bench/ingest.py`
measures the difference.
"""

import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Any, Final, NamedTuple

from sqlalchemy import BindParameter, Dialect, Insert, Update, bindparam
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.store import schema
from casino_lobby.store.stored_rows import all_packed, packed

Change = Callable[[AsyncConnection], Awaitable[object]]


class EventRow(NamedTuple):
    """A row of `event`; the writer prepends its cursor."""

    room_id: str
    epoch: int
    sequence: int
    event_type: str
    hand_number: int | None
    content: bytes
    """The JSON; the writer packs it."""


class HandRow(NamedTuple):
    """A row of `hand`."""

    room_id: str
    epoch: int
    hand_number: int
    first_sequence: int | None
    last_sequence: int
    board: str
    pot: int | None
    score: int
    kinds: str
    players: str


class DealRow(NamedTuple):
    """A row of `deal`."""

    room_id: str
    block: str
    half: str
    epoch: int
    last_hand: int
    content: bytes
    """The JSON; it is packed when it is written."""


class RoomContent(NamedTuple):
    """The saved state of a room."""

    content: str
    room_id: str


class NumberedContent(NamedTuple):
    """The saved state of a room in a group of lobbies."""

    content: str
    changed: int
    room_id: str

    @classmethod
    def of(cls, row: RoomContent, number: int) -> "NumberedContent":
        """Return a room's row with its number in the order of the group."""
        return cls(row.content, number, row.room_id)


@dataclass(slots=True)
class Rows:
    """The rows of a batch.

    `after` is the cursor before the first event's, once the writer has assigned the cursors. In a
    group of lobbies the rooms have the numbers that follow those of the events.
    """

    events: list[EventRow] = field(default_factory=list)
    hands: list[HandRow] = field(default_factory=list)
    deals: list[DealRow] = field(default_factory=list)
    rooms: list[RoomContent] = field(default_factory=list)
    after: int = 0

    @property
    def numbered_rooms(self) -> list[NumberedContent]:
        first = self.after + 1 + len(self.events)
        return [NumberedContent.of(row, number) for number, row in enumerate(self.rooms, first)]


@dataclass
class NumberedChange:
    """A change that has a number in the order of a group of lobbies; None outside of one.

    `execute` gets the connection within its transaction and the number.
    """

    execute: Callable[[AsyncConnection, int | None], Awaitable[object]]
    number: int | None = None


Work = Rows | Change | NumberedChange


class Statements(NamedTuple):
    """One SQL text for each kind of row, in the order of `Rows`."""

    events: str
    hands: str
    deals: str
    rooms: str
    has_numbered_rooms: bool = False

    @classmethod
    def of(cls, dialect: Dialect, *, in_group: bool = False) -> "Statements":
        """Compile for a dialect; of a hand or block reported twice the first row is kept."""
        insert = sqlite.insert if dialect.name == "sqlite" else postgresql.insert
        of_room: BindParameter[str] = bindparam("of_room")
        update_room = schema.room.update().where(schema.room.c.room_id == of_room)
        return cls(
            _text(schema.event.insert(), EventRow, dialect, before=["cursor"]),
            _text(insert(schema.hand).on_conflict_do_nothing(), HandRow, dialect),
            _text(insert(schema.deal).on_conflict_do_nothing(), DealRow, dialect),
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
                self.deals,
                [(*row[:-1], packed(row.content)) for rows in batches for row in rows.deals],
            ),
            (
                self.rooms,
                [row for rows in batches for row in rows.numbered_rooms]
                if self.has_numbered_rooms
                else [row for rows in batches for row in rows.rooms],
            ),
        )
        return [(text, parameters) for text, parameters in every if parameters]

    async def write(self, connection: AsyncConnection, batches: Sequence[Rows]) -> None:
        """Write by SQLite's driver itself: SQLAlchemy would switch threads thrice per statement."""
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


_MOST_ROWS: Final = 64
"""Rows of one statement; SQLite 3.32 allows 32,766 parameters."""
_TEXTS: Final = 64


def insert_many(
    driver: sqlite3.Connection, statement: str, rows: Sequence[tuple[Any, ...]]
) -> None:
    """Execute an `INSERT … VALUES (?, …)` for all rows, or none; raises sqlite3.Error."""
    done = 0
    while done < len(rows):
        # Powers of two: a connection prepares few different statements, and keeps them.
        count = min(_MOST_ROWS, 1 << ((len(rows) - done).bit_length() - 1))
        values = list(chain.from_iterable(rows[done : done + count]))
        driver.execute(_many_text(statement, count), values)
        done += count


@lru_cache(maxsize=_TEXTS)
def _many_text(statement: str, count: int) -> str:
    head, _, row = statement.partition(" VALUES ")
    rows = ", ".join([row] * count)
    return f"{head.replace('INSERT', 'INSERT OR ROLLBACK', 1)} VALUES {rows}"  # noqa: S608  ours
