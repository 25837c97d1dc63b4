"""Rooms in which no seat of the gateway is left."""

import gc
import json

import websockets
from casino_gateway.seats.room_feed import RoomFeed
from support.gateway.live_gateway import loop_gateway
from support.processes import eventually


def feeds() -> list[RoomFeed]:
    """Return the rooms that anything in this process still has."""
    return [feed for feed in gc.get_objects() if isinstance(feed, RoomFeed)]


async def test_seats_that_are_over_keep_no_events_and_read_them_from_the_lobby() -> None:
    async with loop_gateway() as live:
        await live.open("main", "kuhn_poker")
        for name in ("Ada", "Bob", "Cleo"):
            seat = await live.sit("main", name)
            await live.http.delete("/bgp/seats", headers=seat.headers)

        async def are_empty() -> bool:
            backlogs = [feed.backlog(0)[0] for feed in feeds()]
            return len(backlogs) >= 3 and not any(backlogs)

        await eventually(are_empty)
        url = f"{live.socket_url}/bgp/ws?after=0"
        async with websockets.connect(url, additional_headers=seat.headers) as socket:
            pushed = json.loads(await socket.recv())
        assert pushed["message_response"]["data"]["sequence"] == 1
