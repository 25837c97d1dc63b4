"""Bookings of A2G's logins in play chips, and the newest event that is booked for each seat."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

from casino_storage.sqlite_file import SqliteFile
from sqlalchemy import ColumnElement, Row, delete, func, select
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_gateway.domain.booking import Booking, Transaction
from casino_gateway.domain.updates import SeatIdentity
from casino_gateway.store.gateway_schema import booking, cursor, time_of

KEPT = timedelta(days=400)
"""A2G asks for twelve months at least."""

_LOSS, _WIN = "game_loss", "game_win"


class Booked(NamedTuple):
    """How far the bookings of a seat are: the newest event, and the stack after it."""

    epoch: int
    sequence: int
    stack: Decimal | None


@dataclass(frozen=True, slots=True)
class TransactionPage:
    """A part of a login's transactions, newest first, and how many there are in all."""

    transactions: Sequence[Transaction]
    total: int


class Bookings:
    """The bookings in the database. All methods raise StoreFailed."""

    def __init__(self, database: SqliteFile) -> None:
        self._database = database
        self._adding = asyncio.Lock()

    async def booked(self, seat_id: str) -> Booked | None:
        """Return how far the bookings of a seat are, None if it has none yet."""
        async with self._database.reading() as connection:
            row = (
                await connection.execute(select(cursor).where(cursor.c.seat_id == seat_id))
            ).first()
        if row is None:
            return None
        return Booked(row.epoch, row.sequence, None if row.stack is None else Decimal(row.stack))

    async def add(
        self, seat: SeatIdentity, until: Booked, made: Booking | None, at: datetime
    ) -> None:
        """Store a booking with the event that made it, both or neither. Once per event."""
        tx_id = f"{seat.seat_id}-{until.epoch}-{until.sequence}"
        values = {
            "login_id": seat.owner,
            "epoch": until.epoch,
            "sequence": until.sequence,
            "stack": None if until.stack is None else str(until.stack),
        }
        async with self._adding, self._database.writing() as connection:
            if made is not None:
                before = await _balance(connection, seat.owner)
                await connection.execute(
                    insert(booking)
                    .values(
                        tx_id=tx_id,
                        login_id=seat.owner,
                        kind=made.kind,
                        amount=str(made.amount),
                        balance=str(before + made.change),
                        table_id=seat.room_id,
                        game_type=seat.game_type,
                        at=at.timestamp(),
                    )
                    .on_conflict_do_nothing(["tx_id"])
                )
            await connection.execute(
                insert(cursor)
                .values(seat_id=seat.seat_id, **values)
                .on_conflict_do_update(index_elements=["seat_id"], set_=values)
            )

    async def forget(self, seat_id: str, now: datetime) -> None:
        """Forget how far a seat is that was given back, and bookings that are too old."""
        async with self._database.writing() as connection:
            await connection.execute(delete(cursor).where(cursor.c.seat_id == seat_id))
            await connection.execute(delete(booking).where(booking.c.at < (now - KEPT).timestamp()))

    async def balance(self, login_id: str) -> Decimal:
        async with self._database.reading() as connection:
            return await _balance(connection, login_id)

    async def lost_since(self, login_id: str, since: datetime) -> Decimal:
        query = select(booking.c.kind, booking.c.amount).where(
            booking.c.login_id == login_id,
            booking.c.at >= since.timestamp(),
            booking.c.kind.in_([_LOSS, _WIN]),
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
        return sum(
            (Decimal(row.amount) * (1 if row.kind == _LOSS else -1) for row in rows), Decimal(0)
        )

    async def page(
        self,
        login_id: str,
        *,
        start: datetime | None,
        end: datetime | None,
        limit: int,
        offset: int,
    ) -> TransactionPage:
        """Return a login's transactions from `start` to before `end`, newest first."""
        chosen: list[ColumnElement[bool]] = [booking.c.login_id == login_id]
        if start is not None:
            chosen.append(booking.c.at >= start.timestamp())
        if end is not None:
            chosen.append(booking.c.at < end.timestamp())
        query = (
            select(booking)
            .where(*chosen)
            .order_by(booking.c.number.desc())
            .limit(limit)
            .offset(offset)
        )
        count = select(func.count()).select_from(booking).where(*chosen)
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
            total = int((await connection.execute(count)).scalar_one())
        return TransactionPage([_transaction(row) for row in rows], total)


async def _balance(connection: AsyncConnection, login_id: str) -> Decimal:
    newest = (
        select(booking.c.balance)
        .where(booking.c.login_id == login_id)
        .order_by(booking.c.number.desc())
        .limit(1)
    )
    return Decimal((await connection.execute(newest)).scalar() or 0)


def _transaction(row: Row[Any]) -> Transaction:
    return Transaction(
        tx_id=row.tx_id,
        booking=Booking(row.kind, Decimal(row.amount)),
        balance=Decimal(row.balance),
        table_id=row.table_id,
        game_type=row.game_type,
        at=time_of(row.at),
    )
