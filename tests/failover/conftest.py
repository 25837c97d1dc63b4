"""Fixtures of the failover tests: a real PostgreSQL."""

from collections.abc import Iterator

import pytest
from support.casino.postgres import NoPostgres, Postgres, postgres
from support.requirements import unavailable


@pytest.fixture(scope="session")
def server() -> Iterator[Postgres]:
    """Run a PostgreSQL server; without its program tests are skipped, in CI they fail."""
    try:
        with postgres() as running:
            yield running
    except NoPostgres as missing:
        unavailable(str(missing))
