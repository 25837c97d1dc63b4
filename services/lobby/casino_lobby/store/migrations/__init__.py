"""Schema migrations; a database is upgraded when it is opened."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.errors import StoreFailed

_ONE_AT_A_TIME = text("SELECT pg_advisory_xact_lock(hashtext('a2a-casino lobby schema'))")


async def upgrade(connection: AsyncConnection, revision: str = "head") -> None:
    """Upgrade a database to a revision, in one transaction.

    Raises StoreFailed if a newer release has upgraded the database.
    """
    async with connection.begin():
        if connection.dialect.name == "sqlite":
            # Its driver begins transactions implicitly only for DML, not for DDL.
            await connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:  # the members of a group may start at the same time
            await connection.execute(_ONE_AT_A_TIME)
        await connection.run_sync(_upgrade, revision)


def _upgrade(connection: Connection, revision: str) -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, revision)
    except CommandError as error:
        raise StoreFailed(f"the database is of another release: {error}") from error
