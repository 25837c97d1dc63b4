"""The evaluator's database."""

from pathlib import Path

from casino_sqlite.database import Database

from casino_evaluator.errors import StoreFailed
from casino_evaluator.store.schema import metadata


def evaluator_database(path: Path) -> Database:
    """Return the database in a file; all its failures are StoreFailed."""
    return Database(path, metadata, StoreFailed)
