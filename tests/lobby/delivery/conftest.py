"""A casino in one process whose tables' events a test delivers."""

from collections.abc import AsyncIterator
from itertools import count

import pytest
from support.casino.casino_side import CasinoHarness, Operator


@pytest.fixture
async def network() -> AsyncIterator[CasinoHarness]:
    """Run a lobby and a process of tables; rooms r1, r2 and r3 are open and idle."""
    secrets = count(1)
    network = CasinoHarness(new_secret=lambda: f"secret {next(secrets)}")
    async with network.tables.running(), network.lobby.running():
        operator = Operator(network)
        for number in (1, 2, 3):
            await operator.open(f"r{number}", number)
        yield network
