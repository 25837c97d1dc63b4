"""A casino in one process, and its operator."""

from collections.abc import AsyncIterator

import pytest
from support.casino.casino_side import CasinoHarness, Operator


@pytest.fixture
async def network() -> AsyncIterator[CasinoHarness]:
    network = CasinoHarness()
    async with network.tables.running(), network.lobby.running():
        yield network


@pytest.fixture
def operator(network: CasinoHarness) -> Operator:
    return Operator(network)
