"""A lobby and two tables of its fleet."""

from collections.abc import AsyncIterator

import pytest
from support.casino.fleet_side import FleetHarness, FleetOperator, fleet_harness


@pytest.fixture
async def network() -> AsyncIterator[FleetHarness]:
    """Run a lobby, and two tables, `t1` and `t2`, that have announced themselves."""
    async with fleet_harness("t1", "t2") as network:
        yield network


@pytest.fixture
def operator(network: FleetHarness) -> FleetOperator:
    return FleetOperator(network)
