"""Seats as they are stored: from before they are registered until they are forgotten."""

from dataclasses import asdict, dataclass, field, fields
from datetime import datetime

from casino_storage.sqlite_file import Database
from sqlalchemy import bindparam, delete, insert, select, update

from casino_gateway.domain.identity import PlayerKind, SeatEnd, SeatIdentity
from casino_gateway.errors import StoreFailed
from casino_gateway.store.schema import questions, seats


@dataclass(frozen=True, slots=True)
class StoredSeat:
    """One row; the player is unknown until the lobby has registered it."""

    seat_id: str
    room_id: str
    display_name: str
    kind: PlayerKind
    owner: str
    address: str
    """The network that took it, by which seats are counted."""
    token_digest: bytes = field(repr=False)
    taken_at: datetime
    """UTC, without a zone, as SQLite keeps it."""
    buy_in: float | None = None
    preferred_seat: int | None = None
    player_id: str | None = None
    seat_number: int | None = None
    game_type: str | None = None
    table_id: str | None = None
    table_token_digest: bytes | None = field(default=None, repr=False)
    closed_reason: str | None = None
    closed_at: datetime | None = None

    @property
    def identity(self) -> SeatIdentity:
        """Who sits there; raises StoreFailed for a seat that is not registered."""
        if self.player_id is None or self.seat_number is None or self.game_type is None:
            raise StoreFailed(f"the seat {self.seat_id} is not registered")
        return SeatIdentity(
            seat_id=self.seat_id,
            room_id=self.room_id,
            player_id=self.player_id,
            seat_number=self.seat_number,
            display_name=self.display_name,
            kind=self.kind,
            game_type=self.game_type,
            owner=self.owner,
        )


_UPDATE = update(seats).where(seats.c.seat_id == bindparam("of_seat"))
_SAID_BY_LOBBY = (
    "display_name",
    "player_id",
    "seat_number",
    "game_type",
    "table_id",
    "table_token_digest",
)
_REGISTERED = _UPDATE.values({name: bindparam(f"new_{name}") for name in _SAID_BY_LOBBY})
_CLOSED = _UPDATE.values(closed_reason=bindparam("reason"), closed_at=bindparam("at"))
_DELETED = delete(seats).where(seats.c.seat_id == bindparam("of_seat"))
_UNASKED = delete(questions).where(questions.c.seat_id == bindparam("of_seat"))


class SeatRows:
    """Seats in the database; every method raises StoreFailed."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, seat: StoredSeat) -> None:
        """Store a seat before the lobby hears of it."""
        await self._database.write(insert(seats), asdict(seat))

    async def registered(self, seat: StoredSeat) -> None:
        """Store what the lobby and the table said."""
        values = {f"new_{name}": getattr(seat, name) for name in _SAID_BY_LOBBY}
        await self._database.write(_REGISTERED, {"of_seat": seat.seat_id, **values})

    async def closed(self, seat_id: str, end: SeatEnd) -> None:
        """Store that a seat is given back."""
        at = end.at.replace(tzinfo=None)
        await self._database.write(_CLOSED, {"of_seat": seat_id, "reason": end.reason, "at": at})

    async def forget(self, seat_id: str) -> None:
        """Delete a seat and its answers."""
        self._database.soon(_UNASKED, {"of_seat": seat_id})
        await self._database.write(_DELETED, {"of_seat": seat_id})

    async def all(self) -> list[StoredSeat]:
        """Return every seat, in the order in which they were taken."""
        async with self._database.reading() as connection:
            rows = (await connection.execute(select(seats).order_by(seats.c.taken_at))).mappings()
            names = [column.name for column in fields(StoredSeat)]
            return [StoredSeat(**{name: row[name] for name in names}) for row in rows]
