"""Rooms in which no seat of the gateway is left."""

from datetime import timedelta
from pathlib import Path

import httpx
from casino_gateway.domain.updates import RoomEvent
from casino_gateway.metrics import GatewayMetrics
from casino_gateway.seats.rooms import Rooms
from casino_gateway.store.gateway_schema import gateway_database
from casino_gateway.store.seat_rows import RoomRows
from casino_lobby_client.lobby_client import LobbyClient
from prometheus_client import CollectorRegistry
from support.casino.loop_casino import SeatsClock, loop_casino


async def test_a_room_without_seats_keeps_no_events_and_reads_them_from_the_lobby(
    tmp_path: Path,
) -> None:
    """A thousand seats that are over may each have a room of their own, with 512 events."""
    database = gateway_database(tmp_path / "gateway.db")
    await database.open()
    async with (
        loop_casino() as casino,
        httpx.AsyncClient(base_url=casino.url, trust_env=False) as http,
    ):
        await casino.open("main", "kuhn_poker")
        rooms = Rooms(
            LobbyClient(http, seating=timedelta(seconds=5)),
            RoomRows(database),
            SeatsClock(),
            GatewayMetrics(CollectorRegistry()),
        )
        room = await rooms.hold("main")
        followed, _ = room.backlog(0)
        rooms.release("main")
        kept, older = room.backlog(0)
        assert older is not None
        assert kept == []
        assert await older() == [RoomEvent(event) for event in followed] != []
        await rooms.close()
    await database.close()
