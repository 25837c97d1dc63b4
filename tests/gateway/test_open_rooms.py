"""Third parties see, and take seats in, rooms with open seats only."""

from datetime import timedelta

import httpx
import pytest
from casino_agentkit.authority import Caller
from casino_agentkit.server.sdk.sdk_callers import CallingUser
from casino_contracts import RegisterPlayerInput
from casino_gateway.seats.open_rooms import OpenRooms
from casino_lobby_client.errors import CallRefused, UnknownRoom
from casino_lobby_client.lobby_client import LobbyClient

_SUMMARY = {
    "roomId": "eval-1",
    "tableId": "eval-1",
    "gameType": "kuhn_poker",
    "tableAgentCardUrl": "http://table/card",
    "status": "waiting",
    "handCount": 0,
    "playerCount": 0,
}


def _lobby(request: httpx.Request) -> httpx.Response:
    if request.method == "POST" and request.url.path == "/v1/rooms":
        return httpx.Response(201, json={**_ROOM, "roomId": "mine"})
    if request.method == "POST":
        return httpx.Response(201, json={"playerId": "p1", "seatNumber": 0})
    if request.url.path == "/v1/rooms":
        rooms = [{**_SUMMARY, "seats": "invited"}, {**_SUMMARY, "roomId": "mine"}]
        return httpx.Response(200, json={"rooms": rooms})
    return httpx.Response(200, json={**_ROOM, "seats": "invited"})


_CONFIG = {
    "startingStack": 100,
    "smallBlind": 1,
    "bigBlind": 2,
    "minBuyIn": 100,
    "maxBuyIn": 100,
    "maxHands": 1,
    "maxSeats": 2,
    "actionTimeoutMs": 1000,
}
_ROOM = {
    "roomId": "eval-1",
    "config": _CONFIG,
    "tableAgentCardUrl": "http://table/card",
    "events": [],
}
_SEATING = timedelta(seconds=1)


@pytest.mark.parametrize("is_defended", [True, False])
async def test_nobody_finds_an_invited_room(*, is_defended: bool) -> None:
    """Neither in the list nor by its id, and takes no seat in it; the plain client would."""
    async with httpx.AsyncClient(
        transport=httpx.MockTransport(_lobby), base_url="http://lobby"
    ) as http:
        lobby: LobbyClient = LobbyClient(http, seating=_SEATING)
        if is_defended:
            lobby = OpenRooms(http, seating=_SEATING, rooms_each=1)
        ids = [room.room_id for room in await lobby.open_rooms()]
        if is_defended:
            assert ids == ["mine"]
            with pytest.raises(UnknownRoom, match="eval-1"):
                await lobby.register(
                    RegisterPlayerInput(room_id="eval-1", agent_card_url="http://bot/card"), key="k"
                )
        else:
            assert ids == ["eval-1", "mine"]
            assert (await lobby.room("eval-1")).room_id == "eval-1"


async def test_an_address_opens_its_share_of_rooms() -> None:
    """The refusal names the share and its setting."""
    async with httpx.AsyncClient(
        transport=httpx.MockTransport(_lobby), base_url="http://lobby"
    ) as http:
        lobby = OpenRooms(http, seating=_SEATING, rooms_each=1)
        await lobby.create_room({})
        with pytest.raises(CallRefused, match="CASINO_GATEWAY_ROOMS_PER_ADDRESS"):
            await lobby.create_room({})


def test_tasks_belong_to_a_token_or_else_to_a_network() -> None:
    """No token and no address is another's, nor does a token equal an address."""
    senders = [
        Caller(),
        Caller("a", "192.0.2.1"),
        Caller("b", "192.0.2.1"),
        Caller("", "192.0.2.1"),
        Caller("", "192.0.2.2"),
        Caller("192.0.2.1", ""),
    ]
    assert len({CallingUser(sender).user_name for sender in senders}) == len(senders)
    assert CallingUser(Caller("a", "x")).user_name == CallingUser(Caller("a", "y")).user_name
