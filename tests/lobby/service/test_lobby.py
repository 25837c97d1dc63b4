"""A lobby that is shutting down takes no more commands."""

from typing import Any

from support.casino.casino_side import CasinoHarness, Operator
from support.table.table_side import CONFIG


async def test_commands_are_refused_while_draining(
    network: CasinoHarness, operator: Operator
) -> None:
    await operator.open()
    await network.lobby.drain()
    for path in ("/v1/rooms", "/v1/rooms/r1/players", "/v1/rooms/r1/start"):
        body: dict[str, Any] = {"config": CONFIG} if path == "/v1/rooms" else {}
        body |= {"agentCardUrl": "http://x"} if path.endswith("players") else {}
        reply = await operator.post(path, body)
        assert (reply.status_code, reply.json()["reason"]) == (503, "DRAINING")
    assert (await operator.http.get("/v1/rooms/r1")).status_code == 200
