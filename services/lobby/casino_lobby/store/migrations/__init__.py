"""Schema migrations; a database is upgraded when it is opened."""

from pathlib import Path
from typing import Final

from sqlalchemy import Connection, inspect, text
from sqlalchemy.ext.asyncio import AsyncConnection

from casino_lobby.errors import StoreFailed

_ONE_AT_A_TIME = text("SELECT pg_advisory_xact_lock(hashtext('a2a-casino lobby schema'))")
_VERSIONS: Final = Path(__file__).parent / "versions"

NEWEST: Final = max(version.name for version in _VERSIONS.glob("v*.py"))[1:].partition("_")[0]


async def upgrade(connection: AsyncConnection) -> None:
    """Upgrade a database to this release's schema, in one transaction.

    Raises StoreFailed for a database of another release.
    """
    async with connection.begin():
        if connection.dialect.name == "sqlite":
            # Its driver begins transactions implicitly only for DML, not for DDL.
            await connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:  # the members of a group may start at the same time
            await connection.execute(_ONE_AT_A_TIME)
        if await connection.run_sync(_revision) != NEWEST:
            await connection.run_sync(_upgrade)


def _revision(connection: Connection) -> str | None:
    """Return the revision of a database, None if it has no tables."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return revision


def _upgrade(connection: Connection) -> None:
    # Imported only where something is to be done: it takes 14 MB.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415
    from alembic.util import CommandError  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(_VERSIONS.parent))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, NEWEST)
    except CommandError as error:
        raise StoreFailed(f"the database is of another release: {error}") from error
