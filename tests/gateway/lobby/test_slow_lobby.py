"""A lobby that starts a process for a room's table takes longer than for anything else."""

import asyncio
from datetime import timedelta

import httpx
import pytest
from casino_contracts import RoomSnapshot, TableConfig
from casino_seats.errors import LobbyUnavailable
from casino_seats.lobby_client import LobbyClient
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from support.served import serving
from support.table.table_side import CONFIG

USUAL_S = 0.2
"""The client's timeout of other calls."""
ROOM = RoomSnapshot(
    room_id="r1",
    config=TableConfig.model_validate(CONFIG),
    table_agent_card_url="http://table",
    events=(),
)


async def answer_late(_request: Request) -> Response:
    """Answer after five times the usual timeout."""
    await asyncio.sleep(5 * USUAL_S)
    return Response(ROOM.wire(), media_type="application/json")


LOBBY = Starlette(
    routes=[
        Route("/v1/rooms", answer_late, methods=["POST"]),
        Route("/v1/rooms/r1", answer_late),
        Route("/v1/rooms/r1/start", answer_late, methods=["POST"]),
    ]
)


async def test_a_room_may_take_longer_to_open_and_to_start() -> None:
    """Reading it may not."""
    with serving(LOBBY) as url:
        async with httpx.AsyncClient(base_url=url, timeout=USUAL_S, trust_env=False) as http:
            lobby = LobbyClient(http, seating=timedelta(seconds=1))
            assert (await lobby.create_room({})).room_id == "r1"
            await lobby.start_room("r1")
            with pytest.raises(LobbyUnavailable, match="ReadTimeout"):
                await lobby.room("r1")
