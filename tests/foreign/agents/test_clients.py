"""Clients of other SDKs call the lobby."""

import json
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from support.casino.casino import ProcessCasino, process_casino
from support.players.foreign import output_of, program, some_are_prepared

pytestmark = [
    pytest.mark.foreign,
    pytest.mark.full,
    pytest.mark.asyncio(loop_scope="module"),
]

CLIENTS = {
    "JavaScript SDK, JSON-RPC": ("javascript", "JSONRPC"),
    "JavaScript SDK, HTTP+JSON": ("javascript", "HTTP+JSON"),
    "a2a-sdk 0.3": ("sdk_0_3",),
    "a2a-sdk 1.3, gRPC": ("grpc_only",),
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def casino() -> AsyncIterator[ProcessCasino]:
    """Run a casino with two rooms, served over gRPC too."""
    some_are_prepared()
    async with process_casino(CASINO_LOBBY_GRPC_PORT="0") as casino:
        await casino.open("first")
        await casino.open("second")
        yield casino


@pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)
async def test_a_foreign_client_lists_the_rooms(
    casino: ProcessCasino, client: tuple[str, ...]
) -> None:
    """It reads the card, calls the skill and reads the output."""
    agent, *arguments = client
    printed = await output_of(program(agent, "client"), casino.lobby.url, *arguments)
    rooms = json.loads(printed)["rooms"]
    assert {room["roomId"] for room in rooms} == {"first", "second"}
