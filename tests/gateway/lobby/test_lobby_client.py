"""The client of the lobby: one that starts tables takes its time, one that stands by is away."""

import asyncio
import json
from collections.abc import Mapping
from datetime import timedelta

import httpx
import pytest
from casino_agentkit import Service
from casino_contracts import RoomSnapshot, TableConfig
from casino_seats.errors import LobbyUnavailable, SeatRefused
from casino_seats.lobby_client import LobbyClient
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from support.listening import listening
from support.table.table_side import CONFIG

USUAL_S = 10
"""The client's timeout of other calls."""
ROOM = RoomSnapshot(
    room_id="r1",
    config=TableConfig.model_validate(CONFIG),
    table_agent_card_url="http://table",
    events=(),
)
REFUSED: Mapping[str, str | int] = {
    "type": "/problems/room-full",
    "status": 409,
    "reason": "ROOM_FULL",
    "detail": "All seats are taken.",
}
STANDBY: Mapping[str, str | int] = {
    "type": "/problems/standby",
    "status": 503,
    "reason": "STANDBY",
    "detail": "This lobby stands by: another lobby is active on its database.",
}


async def answer_late(_request: Request) -> Response:
    await asyncio.sleep(2 * USUAL_S)
    return Response(ROOM.wire(), media_type="application/json")


LOBBY = Service(
    {},
    routes=[
        Route("/v1/rooms", answer_late, methods=["POST"]),
        Route("/v1/rooms/r1", answer_late),
        Route("/v1/rooms/r1/start", answer_late, methods=["POST"]),
    ],
)


async def test_a_room_may_take_longer_to_open_and_to_start() -> None:
    """Reading it may not."""
    async with listening(LOBBY, None) as port:
        url = f"http://127.0.0.1:{port}"
        async with httpx.AsyncClient(base_url=url, timeout=USUAL_S, trust_env=False) as http:
            lobby = LobbyClient(http, seating=timedelta(seconds=1))
            assert (await lobby.create_room({})).room_id == "r1"
            await lobby.start_room("r1")
            with pytest.raises(LobbyUnavailable, match="ReadTimeout"):
                await lobby.room("r1")


def client(problem: Mapping[str, str | int]) -> LobbyClient:
    response = httpx.Response(
        int(problem["status"]),
        content=json.dumps(problem),
        headers={"content-type": "application/problem+json"},
    )
    http = httpx.AsyncClient(
        transport=httpx.MockTransport(lambda _request: response), base_url="http://lobby"
    )
    return LobbyClient(http, seating=timedelta(seconds=1))


async def test_a_standby_is_no_refusal_of_the_request() -> None:
    """Callers try again, as they do while the lobby cannot be reached."""
    with pytest.raises(LobbyUnavailable, match="another lobby is active"):
        await client(STANDBY).register("r1", "http://bot", key="k")
    with pytest.raises(SeatRefused):
        await client(REFUSED).register("r1", "http://bot", key="k")
