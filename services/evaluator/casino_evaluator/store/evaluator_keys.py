"""What makes an evaluator the same after a restart: its seed, its secret, and keys that it gave."""

import secrets
from dataclasses import dataclass, field

from casino_storage.sqlite_file import SqliteFile
from sqlalchemy import delete, insert, select
from sqlalchemy.dialects.sqlite import insert as upsert

from casino_evaluator.store.evaluator_schema import (
    anonymous_keys,
    cards,
    commands,
    identity,
    runs,
    sessions,
)

_SEED_BYTES = 32
_INSTANCE_BYTES = 16


@dataclass(frozen=True, slots=True)
class Identity:
    """Random values that were made at the first start."""

    seed: str = field(repr=False)
    """Decides all deals, unless the settings have another one."""
    instance: str = field(repr=False)
    """A secret, from which the addresses of its seats and the names of its rooms are derived."""


async def kept_identity(database: SqliteFile) -> Identity:
    """Return the identity in an open database, made if it has none yet; raises StoreFailed."""
    fresh = {"seed": secrets.token_hex(_SEED_BYTES), "instance": secrets.token_hex(_INSTANCE_BYTES)}
    async with database.writing() as connection:
        await connection.execute(
            upsert(identity).on_conflict_do_nothing(),
            [{"name": name, "value": value} for name, value in fresh.items()],
        )
        rows = (await connection.execute(select(identity))).all()
    values = {row.name: row.value for row in rows}
    return Identity(values["seed"], values["instance"])


class KeyRows:
    """Anonymous keys in the database; every method raises StoreFailed."""

    def __init__(self, database: SqliteFile) -> None:
        self._database = database

    async def add(self, key: str, at: float) -> None:
        await self._database.write(insert(anonymous_keys), {"key": key, "created_at": at})

    async def forget(self, key: str) -> None:
        guids = select(sessions.c.guid).where(sessions.c.key == key)
        card_ids = select(cards.c.card_id).where(cards.c.key == key)
        async with self._database.writing() as connection:
            await connection.execute(delete(commands).where(commands.c.guid.in_(guids)))
            await connection.execute(delete(runs).where(runs.c.card_id.in_(card_ids)))
            for table in (sessions, cards, anonymous_keys):
                await connection.execute(delete(table).where(table.c.key == key))

    async def oldest_idle(self) -> str | None:
        """Return the oldest key without an open scorecard, None if each has one."""
        busy = select(cards.c.key).where(cards.c.closed_at.is_(None))
        query = (
            select(anonymous_keys.c.key)
            .where(anonymous_keys.c.key.not_in(busy))
            .order_by(anonymous_keys.c.number)
            .limit(1)
        )
        async with self._database.reading() as connection:
            return (await connection.execute(query)).scalar_one_or_none()

    async def all(self) -> list[str]:
        """Return the digests of all, oldest first."""
        query = select(anonymous_keys.c.key).order_by(anonymous_keys.c.number)
        async with self._database.reading() as connection:
            return list((await connection.execute(query)).scalars())
