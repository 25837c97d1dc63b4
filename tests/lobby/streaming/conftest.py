"""What the tests of streams share."""

from collections.abc import AsyncIterator

import pytest
from support.casino.store_side import new_room
from support.casino.streams import LiveLobby, lobby_of


@pytest.fixture
async def lobby() -> AsyncIterator[LiveLobby]:
    async with lobby_of(new_room()) as lobby:
        yield lobby
