"""Requests without a seat: list the matches and, where the gateway may, open one."""

from asyncio import gather
from typing import Any

from casino_contracts import RoomSnapshot, RoomSummary
from casino_lobby_client.errors import CallRefused, UnknownRoom

from casino_gateway.bgp import strict
from casino_gateway.bgp.codes import ErrorCode
from casino_gateway.bgp.messages import check_core
from casino_gateway.bgp.refusal import MessageRefused, refused_by_lobby
from casino_gateway.seats.seat_service import SeatService

Json = dict[str, Any]

_LISTED = 25
"""At most so many matches are listed: each costs a request to the lobby."""
_STATUS = {"waiting": "waiting", "running": "started"}
_DEFAULTS: Json = {
    "startingStack": 200,
    "smallBlind": 1,
    "bigBlind": 2,
    "minBuyIn": 40,
    "maxBuyIn": 400,
    "maxHands": 100,
    "maxSeats": 6,
}
"""Config of a match whose settings do not say otherwise."""


class MatchDesk:
    """Rooms of the lobby, as matches."""

    def __init__(self, seats: SeatService, *, may_create_rooms: bool) -> None:
        self._seats = seats
        self._may_create_rooms = may_create_rooms

    async def answer(self, message: Json) -> Json | None:
        """Return the reply to a message, None if it is not one of these requests.

        Raises MessageRefused, LobbyAway.
        """
        match message.get("type"):
            case strict.GET_MATCHES:
                return await self._matches(message)
            case strict.CREATE_MATCH:
                return await self._create(message)
            case _:
                return None

    async def _matches(self, message: Json) -> Json:
        core = check_core(message, ("version", "type", "agent_id"))
        rooms = [room for room in await self._seats.rooms() if room.player_count][-_LISTED:]
        snapshots = await gather(*(self._snapshot(room) for room in rooms))
        return strict.matches(
            core,
            {
                snapshot.room_id: (_STATUS.get(room.status, "ended"), _agents(snapshot))
                for room, snapshot in zip(rooms, snapshots, strict=True)
                if snapshot is not None
            },
        )

    async def _snapshot(self, room: RoomSummary) -> RoomSnapshot | None:
        try:
            return await self._seats.room(room.room_id)
        except UnknownRoom:  # closed meanwhile
            return None

    async def _create(self, message: Json) -> Json:
        core, order = strict.room_of(message)
        if not self._may_create_rooms:
            raise MessageRefused(
                ErrorCode.NOT_ALLOWED, "This gateway opens no matches; the operator does.", core
            )
        order["config"] = {**_DEFAULTS, **order["config"]}
        try:
            room = await self._seats.create_room(order)
        except CallRefused as refusal:
            raise refused_by_lobby(refusal, core) from refusal
        return strict.match_created(core, room.room_id)


def _agents(room: RoomSnapshot) -> list[Json]:
    players = room.summary.players if room.summary else ()
    return [{"id": player.player_id, "name": player.display_name} for player in players]
