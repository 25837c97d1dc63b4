"""Fixtures of the failover tests: a real PostgreSQL that listens on a port."""

from collections.abc import Iterator

import pytest
from support.casino.postgres import NoPostgres, Postgres, postgres
from support.free_port import free_port
from support.requirements import unavailable


@pytest.fixture(scope="session")
def server() -> Iterator[Postgres]:
    """Run a PostgreSQL server; without its program tests are skipped, in CI they fail."""
    try:
        with postgres(port=free_port()) as running:
            yield running
    except NoPostgres as missing:
        unavailable(str(missing))
