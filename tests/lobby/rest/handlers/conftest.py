"""A casino in which hands were played."""

from collections.abc import AsyncIterator

import pytest
from support.casino.casino_side import CasinoHarness, Operator, casino_harness

KEY = "open-sesame"


@pytest.fixture
async def played() -> AsyncIterator[CasinoHarness]:
    """Run a casino whose operator has a key; ada and bob have played four hands in room r1."""
    async with casino_harness(operator_token=KEY) as harness:
        operator = Operator(harness)
        await operator.open(maxHands=4, maxSeats=2, rebuy="auto")
        for name in ("ada", "bob"):
            harness.player(name)
            assert (await operator.seat(name)).status_code == 201
        await operator.idle_room()
        yield harness
