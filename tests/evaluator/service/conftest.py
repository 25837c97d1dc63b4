"""A database of the evaluator for each test, and the scorecards in it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from casino_evaluator.store.evaluator_schema import evaluator_database
from casino_storage.sqlite_file import SqliteFile
from support.evaluator.card_side import Evaluator


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[SqliteFile]:
    opened = evaluator_database(tmp_path / "evaluator.db")
    await opened.open()
    yield opened
    await opened.close()


@pytest.fixture
def evaluator(database: SqliteFile) -> Evaluator:
    """Return an evaluator without a card."""
    return Evaluator(database)
