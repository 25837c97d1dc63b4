"""Seats as they are stored, from before they are registered until they are forgotten.

With them the newest turns and answers of each, and the matches of their rooms, each with the cursor
of the lobby's stream that it includes.
"""

import json
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from typing import Any

from casino_contracts import Defaulted
from casino_seats.turns import ANSWERS_KEPT, Answer
from casino_storage.sqlite_file import SqliteFile
from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Row, bindparam, delete, insert, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from casino_gateway.domain.match import Match
from casino_gateway.domain.updates import PlayerKind, SeatEnd, SeatIdentity
from casino_gateway.errors import StoreFailed
from casino_gateway.store.gateway_schema import questions, rooms, seats


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

    def __init__(self, database: SqliteFile) -> None:
        self._database = database

    async def add(self, seat: StoredSeat) -> None:
        await self._database.write(insert(seats), asdict(seat))

    async def registered(self, seat: StoredSeat) -> None:
        values = {f"new_{name}": getattr(seat, name) for name in _SAID_BY_LOBBY}
        await self._database.write(_REGISTERED, {"of_seat": seat.seat_id, **values})

    async def closed(self, seat_id: str, end: SeatEnd) -> None:
        at = end.at.replace(tzinfo=None)
        await self._database.write(_CLOSED, {"of_seat": seat_id, "reason": end.reason, "at": at})

    async def forget(self, seat_id: str) -> None:
        self._database.soon(_UNASKED, {"of_seat": seat_id})
        await self._database.write(_DELETED, {"of_seat": seat_id})

    async def all(self) -> list[StoredSeat]:
        """Return every seat, in the order in which they were taken."""
        async with self._database.reading() as connection:
            rows = (await connection.execute(select(seats).order_by(seats.c.taken_at))).mappings()
            names = [column.name for column in fields(StoredSeat)]
            return [StoredSeat(**{name: row[name] for name in names}) for row in rows]


_answer = upsert(questions)
_OPENED = _answer.on_conflict_do_nothing()
_ANSWERED = _answer.on_conflict_do_update(
    index_elements=["seat_id", "request_id"],
    set_={"action": _answer.excluded.action, "message": _answer.excluded.message},
)
_FORGET_OLD = delete(questions).where(
    questions.c.seat_id == bindparam("of_seat"), questions.c.turn < bindparam("oldest")
)


class Answers:
    """Keeps the newest turns and answers of every seat."""

    def __init__(self, database: SqliteFile) -> None:
        self._database = database

    async def opened(self, seat_id: str, request_id: str, turn: int) -> None:
        """Store the turn of a question durably; raises StoreFailed."""
        oldest = turn - ANSWERS_KEPT
        if oldest > 0:
            self._database.soon(_FORGET_OLD, {"of_seat": seat_id, "oldest": oldest})
        values = {"seat_id": seat_id, "request_id": request_id, "turn": turn}
        await self._database.write(_OPENED, {**values, "action": None, "message": None})

    async def answered(self, seat_id: str, answer: Answer) -> None:
        """Store an answer durably; raises StoreFailed."""
        values = {
            "seat_id": seat_id,
            "request_id": answer.request_id,
            "turn": answer.turn,
            "action": _written(answer),
            "message": answer.message,
        }
        await self._database.write(_ANSWERED, values)

    async def of(self, seat_id: str) -> tuple[dict[str, int], dict[str, Answer]]:
        query = select(questions).where(questions.c.seat_id == seat_id).order_by(questions.c.turn)
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
        turns = {row.request_id: row.turn for row in rows}
        answers = {row.request_id: _answer_of(row) for row in rows if row.action is not None}
        return turns, answers


def _written(answer: Answer) -> str:
    """Return the action; with why it is a default, if it is one."""
    if answer.defaulted is None:
        return json.dumps(answer.action)
    return json.dumps({"action": answer.action, "defaulted": answer.defaulted.model_dump()})


def _answer_of(row: Row[Any]) -> Answer:
    stored, defaulted = json.loads(row.action), None
    if stored.keys() == {"action", "defaulted"}:  # an action itself has a type
        stored, defaulted = stored["action"], Defaulted.model_validate(stored["defaulted"])
    return Answer(row.request_id, row.turn, stored, row.message, defaulted)


_match = TypeAdapter(Match)
_save = upsert(rooms)
_SAVED = _save.on_conflict_do_update(
    index_elements=["room_id"],
    set_={"cursor": _save.excluded.cursor, "match": _save.excluded.match},
)
_UNUSED = delete(rooms).where(rooms.c.room_id.not_in(select(seats.c.room_id)))


@dataclass(frozen=True, slots=True)
class StoredRoom:
    """A match, and the cursor after which the stream goes on."""

    match: Match
    cursor: int | None
    """None: from a snapshot."""


class RoomRows:
    """Matches in the database."""

    def __init__(self, database: SqliteFile) -> None:
        self._database = database

    def save(self, match: Match, cursor: int) -> None:
        text = _match.dump_json(match).decode()
        self._database.soon(_SAVED, {"room_id": match.room_id, "cursor": cursor, "match": text})

    def forget_unused(self) -> None:
        self._database.soon(_UNUSED, {})

    async def all(self) -> dict[str, StoredRoom]:
        """Return every match by room, without those that cannot be read; raises StoreFailed."""
        async with self._database.reading() as connection:
            rows = (await connection.execute(select(rooms))).all()
        stored = {}
        for row in rows:
            try:
                stored[row.room_id] = StoredRoom(_match.validate_json(row.match), row.cursor)
            except ValidationError:
                continue  # of another version: the lobby's snapshot says it anew
        return stored
