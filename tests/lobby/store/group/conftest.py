"""Fixtures of a group's tests: several lobbies' stores on one real PostgreSQL."""

from collections.abc import AsyncIterator

import pytest
from support.casino.postgres import Postgres
from support.group.members import Lobbies


@pytest.fixture
async def lobbies(postgres_server: Postgres) -> AsyncIterator[Lobbies]:
    """Return lobbies of a new database; all are closed at the end."""
    opened = Lobbies(postgres_server)
    yield opened
    await opened.close()
