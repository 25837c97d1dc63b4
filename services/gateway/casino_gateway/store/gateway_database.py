"""The gateway's database."""

from pathlib import Path

from casino_storage.sqlite_file import Database

from casino_gateway.errors import StoreFailed
from casino_gateway.store.schema import metadata


def gateway_database(path: Path) -> Database:
    """Return the database in a file; all its failures are StoreFailed."""
    return Database(path, metadata, StoreFailed)
