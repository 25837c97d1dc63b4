"""The schema's history: every database is brought up to date when it is opened."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.store.base import StoreFailed


async def upgrade(connection: AsyncConnection, revision: str = "head") -> None:
    """Bring a database up to a revision, in one transaction: entirely or not at all.

    Raises StoreFailed when a newer release has been here.
    """
    async with connection.begin():
        if connection.dialect.name == "sqlite":
            # Its driver begins a transaction for rows only, not for a change of the schema.
            await connection.exec_driver_sql("BEGIN IMMEDIATE")
        await connection.run_sync(_upgrade, revision)


def _upgrade(connection: Connection, revision: str) -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, revision)
    except CommandError as error:
        raise StoreFailed(f"the database is of another release: {error}") from error
