"""What makes an evaluator the same one after a restart: its seed, and the secret of its rooms."""

import secrets
from dataclasses import dataclass, field

from casino_sqlite.database import Database
from sqlalchemy import select
from sqlalchemy.dialects.sqlite import insert

from casino_evaluator.store.schema import identity

_SEED_BYTES = 32
_INSTANCE_BYTES = 16


@dataclass(frozen=True, slots=True)
class Identity:
    """Random values that were made at the first start."""

    seed: str = field(repr=False)
    """Decides all deals, unless the settings have another one."""
    instance: str = field(repr=False)
    """A secret, from which the addresses of its seats and the names of its rooms are derived."""


async def kept_identity(database: Database) -> Identity:
    """Return the identity in an open database, made if it has none yet; raises StoreFailed."""
    fresh = {
        "seed": secrets.token_hex(_SEED_BYTES),
        "instance": secrets.token_hex(_INSTANCE_BYTES),
    }
    async with database.writing() as connection:
        await connection.execute(
            insert(identity).on_conflict_do_nothing(),
            [{"name": name, "value": value} for name, value in fresh.items()],
        )
        rows = (await connection.execute(select(identity))).all()
    values = {row.name: row.value for row in rows}
    return Identity(values["seed"], values["instance"])
