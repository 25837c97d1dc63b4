"""Published matches and leagues in the database."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Row, func, select
from sqlalchemy.ext.asyncio import AsyncConnection
from typing_extensions import override

from casino_lobby.errors import TooManyPublications
from casino_lobby.store.lobby_database import Database
from casino_lobby.store.publications import (
    ANY_DIGEST,
    Listed,
    Publication,
    PublicationKind,
    Publications,
)
from casino_lobby.store.schema import publication as table
from casino_lobby.store.schema import publication_player as players_table
from casino_lobby.store.writer import Writer

MOST: Final = 10_000


class SqlPublications(Publications):
    """At most `most` publications of each kind; in a group every lobby reads and writes them."""

    def __init__(self, database: Database, writer: Writer, most: int = MOST) -> None:
        self._database = database
        self._writer = writer
        self._most = most

    @override
    async def put(self, publication: Publication, over: str | None = None) -> str | None:
        new = _NewPublication(publication, over, self._most)
        await self._writer.write(new.write)
        if new.is_too_much:
            raise TooManyPublications(self._most)
        return new.in_the_way

    @override
    async def get(self, kind: PublicationKind, publication_id: str) -> Publication | None:
        query = select(table).where(*_is(kind, publication_id))
        async with self._database.reading() as connection:
            row = (await connection.execute(query)).one_or_none()
            if row is None:
                return None
            names = select(players_table.c.player).where(players_table.c.position == row.position)
            players = (await connection.execute(names.order_by(players_table.c.player))).scalars()
            texts = (row.publication_id, row.digest, row.summary, row.content)
            return Publication(kind, *texts, tuple(players), row.hands)

    @override
    async def delete(self, kind: PublicationKind, publication_id: str) -> bool:
        deleted: list[int] = []

        async def delete(connection: AsyncConnection) -> None:
            query = select(table.c.position).where(*_is(kind, publication_id))
            deleted[:] = (await connection.execute(query)).scalars()
            for position in deleted:
                await _delete(connection, position)

        await self._writer.write(delete)
        return bool(deleted)

    @override
    async def page(
        self, kind: PublicationKind, before: int | None, limit: int, players: Sequence[str] = ()
    ) -> list[Listed]:
        columns = (table.c.position, table.c.publication_id, table.c.summary)
        query = select(*columns).where(table.c.kind == kind)
        if before is not None:
            query = query.where(table.c.position < before)
        for player in players:
            of_player = select(players_table.c.position).where(players_table.c.player == player)
            query = query.where(table.c.position.in_(of_player))
        async with self._database.reading() as connection:
            rows = await connection.execute(query.order_by(table.c.position.desc()).limit(limit))
            return [Listed(*row) for row in rows]


class _NewPublication:
    """The change that keeps a publication, unless another one stands in its way."""

    def __init__(self, publication: Publication, over: str | None, most: int) -> None:
        self._publication = publication
        self._over = over
        self._most = most
        self.in_the_way: str | None = None
        self.is_too_much = False

    async def write(self, connection: AsyncConnection) -> None:
        """Execute it; called again if its transaction failed."""
        self.in_the_way, self.is_too_much = None, False
        new = self._publication
        columns = (table.c.position, table.c.digest, table.c.content)
        query = select(*columns).where(*_is(new.kind, new.publication_id))
        there = (await connection.execute(query)).one_or_none()
        if there is None:
            of_kind = select(func.count()).select_from(table).where(table.c.kind == new.kind)
            self.is_too_much = (await connection.scalar(of_kind) or 0) >= self._most
            if self.is_too_much:
                return
        elif self._is_kept(there):
            return
        else:
            await _delete(connection, there.position)
        await self._insert(connection)

    def _is_kept(self, there: Row[*tuple[Any, ...]]) -> bool:
        new = self._publication
        if there.digest == new.digest:
            return bool(there.content == new.content)
        if self._over not in {ANY_DIGEST, there.digest}:
            self.in_the_way = there.digest
        return self.in_the_way is not None

    async def _insert(self, connection: AsyncConnection) -> None:
        new = self._publication
        values = {
            "kind": new.kind,
            "publication_id": new.publication_id,
            "digest": new.digest,
            "summary": new.summary,
            "content": new.content,
            "hands": new.hands,
        }
        insert = table.insert().values(values).returning(table.c.position)
        position = await connection.scalar(insert)
        rows = [{"position": position, "player": player} for player in new.players]
        if rows:
            await connection.execute(players_table.insert(), rows)


def _is(kind: PublicationKind, publication_id: str) -> tuple[Any, Any]:
    return table.c.kind == kind, table.c.publication_id == publication_id


async def _delete(connection: AsyncConnection, position: int) -> None:
    for rows in (players_table, table):
        await connection.execute(rows.delete().where(rows.c.position == position))
