"""Matches of followed rooms, each with the cursor of the lobby's stream that it includes."""

from dataclasses import dataclass

from casino_storage.sqlite_file import Database
from pydantic import TypeAdapter, ValidationError
from sqlalchemy import delete, select
from sqlalchemy.dialects.sqlite import insert

from casino_gateway.domain.match import Match
from casino_gateway.store.schema import rooms, seats

_match = TypeAdapter(Match)
_insert = insert(rooms)
_SAVED = _insert.on_conflict_do_update(
    index_elements=["room_id"],
    set_={"cursor": _insert.excluded.cursor, "match": _insert.excluded.match},
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

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, match: Match, cursor: int) -> None:
        """Store a match in the background."""
        text = _match.dump_json(match).decode()
        self._database.soon(_SAVED, {"room_id": match.room_id, "cursor": cursor, "match": text})

    def forget_unused(self) -> None:
        """Delete matches without seats in the background."""
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
