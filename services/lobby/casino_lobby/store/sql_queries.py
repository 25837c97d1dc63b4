"""Queries of the SQL store: events, cursors, hands, balances."""

from collections.abc import Sequence
from dataclasses import replace

from casino_contracts import TableEvent
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.domain.lobby_events import Committed
from casino_lobby.domain.room import Room
from casino_lobby.store import cursors, schema
from casino_lobby.store.cursors import refuse_gap
from casino_lobby.store.hands import select as of_hands
from casino_lobby.store.lobby_database import Database
from casino_lobby.store.serialization import is_whole, read_row
from casino_lobby.store.stored_hands import (
    EVERY_HAND,
    HandFilter,
    HandKey,
    Rank,
    RankedKey,
    StoredHand,
)
from casino_lobby.store.unreadable import UnreadableRows


class SqlQueries:
    """Reads what is stored; `unreadable` records rows that cannot be read.

    A search by kind or player reads the `most_searched` newest hands of a room.
    """

    def __init__(
        self,
        database: Database,
        unreadable: UnreadableRows,
        most_searched: int = of_hands.MOST_SEARCHED,
    ) -> None:
        self.unreadable = unreadable
        self.database = database
        self._most_searched = most_searched

    async def events(
        self, room: Room, after: int, limit: int, epoch: int | None = None
    ) -> list[TableEvent]:
        """Return at most `limit` events after a sequence, by default of the current epoch.

        Unreadable events are skipped; the result is shorter than `limit` only at the end.
        """
        event = schema.event
        events: list[TableEvent] = []
        async with self.database.reading() as connection:
            while len(events) < limit:
                missing = limit - len(events)
                query = (
                    select(event.c.room_id, event.c.epoch, event.c.sequence, event.c.content)
                    .where(event.c.room_id == room.room_id, event.c.epoch == (epoch or room.epoch))
                    .where(event.c.sequence > after)
                    .order_by(event.c.sequence)
                    .limit(missing)
                )
                rows = (await connection.execute(query)).all()
                parsed = (read_row(row, self.unreadable) for row in rows)
                events += [item for item in parsed if item is not None]
                if len(rows) < missing or not is_whole(rows[-1].sequence):  # non-integers sort last
                    break
                after = rows[-1].sequence
        return events

    async def committed(
        self, after: int, limit: int, room: Room | None = None
    ) -> Sequence[Committed]:
        """Return at most `limit` events after a cursor, in cursor order, of one room or of all.

        Raises TooFarBehind if one of them is deleted.
        """
        async with self.database.reading() as connection:
            room_id = room.room_id if room else None
            events = await cursors.after(
                connection, after, self.unreadable, limit=limit, room_id=room_id
            )
            await refuse_gap(connection, after, room_id)
        return events

    async def cursor(self, room: Room, epoch: int, sequence: int) -> int | None:
        """Return an event's cursor, None if there is none."""
        async with self.database.reading() as connection:
            return await cursors.of(connection, room.room_id, epoch, sequence)

    async def hands(
        self,
        room: Room,
        after: HandKey | None,
        limit: int,
        *,
        newest_first: bool = False,
        among: HandFilter = EVERY_HAND,
    ) -> list[StoredHand]:
        """Return at most `limit` completed hands of a room that follow `after`.

        Unreadable hands are skipped; the result is shorter than `limit` only at the end.
        """
        hands: list[StoredHand] = []
        async with self.database.reading() as connection:
            among = await self._searched(connection, room, among)
            while len(hands) < limit:
                missing = limit - len(hands)
                query = of_hands.in_order(
                    room.room_id, after, missing, newest_first=newest_first, among=among
                )
                rows = (await connection.execute(query)).all()
                hands += self._readable(rows)
                if len(rows) < missing:
                    break
                after = HandKey(rows[-1].epoch, rows[-1].hand_number)
        return hands

    async def best_hands(
        self,
        room: Room,
        after: RankedKey | None,
        limit: int,
        *,
        by: Rank,
        among: HandFilter = EVERY_HAND,
    ) -> list[StoredHand]:
        """Return at most `limit` hands that follow `after`, the best first.

        Unreadable hands are skipped; the result is shorter than `limit` only at the end.
        """
        hands: list[StoredHand] = []
        async with self.database.reading() as connection:
            among = await self._searched(connection, room, among)
            while len(hands) < limit:
                missing = limit - len(hands)
                query = of_hands.best(room.room_id, after, missing, by=by, among=among)
                rows = (await connection.execute(query)).all()
                hands += self._readable(rows)
                if len(rows) < missing:
                    break
                last = rows[-1]
                value = last.score if by == "score" else last.pot
                after = RankedKey(value or 0, last.epoch, last.hand_number)
        return hands

    async def _searched(
        self, connection: AsyncConnection, room: Room, among: HandFilter
    ) -> HandFilter:
        """Return the filter with the oldest hand that is searched; no index has kind or player."""
        if among.player is None and among.kind is None:
            return among
        query = of_hands.searched_from(room.room_id, self._most_searched)
        oldest = (await connection.execute(query)).one_or_none()
        if oldest is None:
            return among
        key = HandKey(oldest.epoch, oldest.hand_number)
        return replace(among, since=max(key, among.since or key))

    def _readable(self, rows: Sequence[of_hands.HandResult]) -> list[StoredHand]:
        hands = (of_hands.hand_of(row, self.unreadable) for row in rows)
        return [hand for hand in hands if hand is not None]

    async def hand(self, room: Room, number: int, epoch: int | None = None) -> StoredHand | None:
        """Return one completed hand, by default of the newest epoch that has it."""
        async with self.database.reading() as connection:
            result = await connection.execute(of_hands.by_number(room.room_id, number, epoch))
        row = result.one_or_none()
        return None if row is None else of_hands.hand_of(row, self.unreadable)
