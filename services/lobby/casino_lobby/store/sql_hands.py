"""Completed hands in the database: a row of `hand` joined with its `hand_completed` event."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, get_args

import orjson
from casino_contracts import HandKind
from sqlalchemy import ColumnElement, Row, Select, and_, func, literal, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection
from typing_extensions import override

from casino_lobby.domain.room import Room
from casino_lobby.errors import UNREADABLE
from casino_lobby.store.lobby_database import Database
from casino_lobby.store.schema import deal, event, hand
from casino_lobby.store.stored_hands import (
    EVERY_HAND,
    HandFilter,
    HandKey,
    Rank,
    RankedKey,
    StoredDeal,
    StoredHand,
    StoredHands,
)
from casino_lobby.store.stored_rows import UnreadableRows, is_whole, read_row, unpacked

PLAYERS_APART = "\n"
"""Between the ids in `hand.players`; no id has one."""
MOST_SEARCHED = 20_000
"""How many hands of a room, the newest, are searched by kind or player: no index has these."""
_KINDS: dict[str, HandKind] = {kind: kind for kind in get_args(HandKind)}
_Columns = tuple[int, int, int | None, int | None, int | None, str | None, str, int, str]
_Hands = Select[_Columns]
HandResult = Row[_Columns]


def in_order(
    room_id: str, after: HandKey | None, limit: int, *, newest_first: bool, among: HandFilter
) -> _Hands:
    key = tuple_(hand.c.epoch, hand.c.hand_number)
    query = _filtered(room_id, among)
    if after is not None:
        query = query.where(key < tuple_(*after) if newest_first else key > tuple_(*after))
    if newest_first:
        return query.order_by(hand.c.epoch.desc(), hand.c.hand_number.desc()).limit(limit)
    return query.order_by(hand.c.epoch, hand.c.hand_number).limit(limit)


def best_of(
    room_id: str, after: RankedKey | None, limit: int, *, by: Rank, among: HandFilter
) -> _Hands:
    value = hand.c.score if by == "score" else hand.c.pot
    place = (value, hand.c.epoch, hand.c.hand_number)
    query = _filtered(room_id, among).where(value.is_not(None))
    if after is not None:
        query = query.where(tuple_(*place) < tuple_(*map(literal, after)))
    return query.order_by(*(column.desc() for column in place)).limit(limit)


def searched_from(room_id: str, most: int) -> Select[tuple[int, int]]:
    """Return the query of the oldest of a room's `most` newest hands; none if it has fewer."""
    return (
        select(hand.c.epoch, hand.c.hand_number)
        .where(hand.c.room_id == room_id, hand.c.hand_number > 0)
        .order_by(hand.c.epoch.desc(), hand.c.hand_number.desc())
        .offset(most - 1)
        .limit(1)
    )


def by_number(room_id: str, number: int, epoch: int | None) -> _Hands:
    query = _completed(room_id).where(hand.c.hand_number == number)
    if epoch is not None:
        query = query.where(hand.c.epoch == epoch)
    return query.order_by(hand.c.epoch.desc()).limit(1)


def _completed(room_id: str) -> _Hands:
    is_completion = and_(
        event.c.room_id == hand.c.room_id,
        event.c.epoch == hand.c.epoch,
        event.c.sequence == hand.c.last_sequence,
    )
    return (
        select(
            hand.c.epoch,
            hand.c.hand_number,
            hand.c.first_sequence,
            hand.c.pot,
            hand.c.score,
            hand.c.kinds,
            event.c.room_id,
            event.c.sequence,
            event.c.content,
        )
        .join_from(hand, event, is_completion)
        .where(hand.c.room_id == room_id, hand.c.hand_number > 0)
    )


def _filtered(room_id: str, among: HandFilter) -> _Hands:
    query = _completed(room_id)
    if among.since is not None:
        query = query.where(tuple_(hand.c.epoch, hand.c.hand_number) >= tuple_(*among.since))
    if among.kind is not None:
        query = query.where(_has(hand.c.kinds, among.kind, " "))
    if among.player is not None:
        query = query.where(_has(hand.c.players, among.player, PLAYERS_APART))
    return query


def _has(column: ColumnElement[Any], word: str, apart: str) -> ColumnElement[bool]:
    """Return whether a column has a word; LIKE would ignore the case on SQLite."""
    words = literal(apart) + column + literal(apart)
    return func.replace(words, f"{apart}{word}{apart}", "") != words


def hand_of(row: HandResult, unreadable: UnreadableRows) -> StoredHand | None:
    """Return the hand of a query's row; None if it is unreadable, which is noted."""
    optional = [value for value in (row.first_sequence, row.pot) if value is not None]
    if not is_whole(row.epoch, row.hand_number, row.score, *optional):
        name = f"{row.room_id} {row.epoch}/{row.hand_number}"
        unreadable.note("hand", name, "a column is not an integer")
        return None
    completed = read_row(row, unreadable)
    if completed is None:
        return None
    kinds = tuple(_KINDS[word] for word in str(row.kinds or "").split() if word in _KINDS)
    key = HandKey(row.epoch, row.hand_number)
    return StoredHand(key, row.first_sequence, completed, row.pot, row.score, kinds)


class SqlHands(StoredHands):
    """Hands in the database; unreadable ones are skipped, and recorded in `unreadable`.

    A page is shorter than its limit only at the end. A search by kind or player reads the
    `most_searched` newest hands of a room.
    """

    def __init__(
        self, database: Database, unreadable: UnreadableRows, most_searched: int = MOST_SEARCHED
    ) -> None:
        self._database = database
        self._unreadable = unreadable
        self._most_searched = most_searched

    @override
    async def page(
        self,
        room: Room,
        after: HandKey | None,
        limit: int,
        *,
        newest_first: bool = False,
        among: HandFilter = EVERY_HAND,
    ) -> list[StoredHand]:
        hands: list[StoredHand] = []
        async with self._database.reading() as connection:
            among = await self._searched(connection, room, among)
            while len(hands) < limit:
                missing = limit - len(hands)
                query = in_order(
                    room.room_id, after, missing, newest_first=newest_first, among=among
                )
                rows = (await connection.execute(query)).all()
                hands += self._readable(rows)
                if len(rows) < missing:
                    break
                after = HandKey(rows[-1].epoch, rows[-1].hand_number)
        return hands

    @override
    async def best(
        self,
        room: Room,
        after: RankedKey | None,
        limit: int,
        *,
        by: Rank,
        among: HandFilter = EVERY_HAND,
    ) -> list[StoredHand]:
        hands: list[StoredHand] = []
        async with self._database.reading() as connection:
            among = await self._searched(connection, room, among)
            while len(hands) < limit:
                missing = limit - len(hands)
                query = best_of(room.room_id, after, missing, by=by, among=among)
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
        if among.player is None and among.kind is None:
            return among
        query = searched_from(room.room_id, self._most_searched)
        oldest = (await connection.execute(query)).one_or_none()
        if oldest is None:
            return among
        key = HandKey(oldest.epoch, oldest.hand_number)
        return replace(among, since=max(key, among.since or key))

    def _readable(self, rows: Sequence[HandResult]) -> list[StoredHand]:
        hands = (hand_of(row, self._unreadable) for row in rows)
        return [hand for hand in hands if hand is not None]

    @override
    async def find(self, room: Room, number: int, epoch: int | None = None) -> StoredHand | None:
        async with self._database.reading() as connection:
            result = await connection.execute(by_number(room.room_id, number, epoch))
        row = result.one_or_none()
        return None if row is None else hand_of(row, self._unreadable)

    @override
    async def deal(self, room: Room, block: str) -> StoredDeal | None:
        query = select(deal.c.half, deal.c.content)
        query = query.where(deal.c.room_id == room.room_id, deal.c.block == block)
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
        try:
            halves = {row.half: orjson.loads(unpacked(row.content)) for row in rows}
        except UNREADABLE as error:
            self._unreadable.note("deal", f"{room.room_id} {block}", error)
            return None
        return StoredDeal(**halves) if halves.keys() == {*StoredDeal._fields} else None
