"""A lobby that stands by is away for a moment: it refuses nobody."""

import json
from collections.abc import Mapping
from datetime import timedelta

import httpx
import pytest
from casino_seats.errors import LobbyUnavailable, SeatRefused
from casino_seats.lobby_client import LobbyClient

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


def client(problem: Mapping[str, str | int]) -> LobbyClient:
    """Return the client of a lobby that answers every request with a problem."""
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
