"""Rooms and their players over REST: one method per operation."""

from casino_contracts import (
    CreateRoomInput,
    EventPage,
    LeaveRoomInput,
    NoInput,
    RegisterPlayerInput,
    StartRoomInput,
)
from starlette.requests import Request
from starlette.responses import Response

from casino_lobby.domain.room import public
from casino_lobby.rest import queries
from casino_lobby.rest.requests import in_path, read_body, without_body
from casino_lobby.rest.responses import message
from casino_lobby.service.lobby import LobbyService
from casino_lobby.service.queries import LobbyQueries


class RoomHandlers:
    """Commands are the casino's; what is only read is `reading`'s."""

    def __init__(self, casino: LobbyService, reading: LobbyQueries) -> None:
        self._casino = casino
        self._reading = reading

    async def list_rooms(self, request: Request) -> Response:
        """Answer `listRooms`."""
        after = queries.ROOMS_AFTER.read(request)
        if after is not None:
            self._casino.room(after)
        return message(
            self._reading.rooms(
                status=queries.ROOMS_STATUS.read(request),
                game_type=queries.ROOMS_GAME.read(request),
                state=queries.ROOMS_STATE.read(request),
                after=after,
                limit=queries.ROOMS_LIMIT.read(request),
            )
        )

    async def create_room(self, request: Request) -> Response:
        """Answer `createRoom`."""
        given = await read_body(request, CreateRoomInput)
        snapshot = await self._casino.create_room(given)
        return message(snapshot, 201, {"Location": f"/v1/rooms/{snapshot.room_id}"})

    async def read_room(self, request: Request) -> Response:
        """Answer `readRoom`."""
        return message(self._casino.room(in_path(request, "roomId")).snapshot())

    async def delete_room(self, request: Request) -> Response:
        """Answer `deleteRoom`."""
        return message(await self._casino.close_room(in_path(request, "roomId")), 202)

    async def close_room(self, request: Request) -> Response:
        """Answer `closeRoom`."""
        await read_body(request, NoInput)
        return await self.delete_room(request)

    async def register_player(self, request: Request) -> Response:
        """Answer `registerPlayer`."""
        room_id = in_path(request, "roomId")
        given = await read_body(request, RegisterPlayerInput, roomId=room_id)
        return message(await self._casino.register_player(given), 201)

    async def leave_room(self, request: Request) -> Response:
        """Answer `leaveRoom`."""
        room_id, player_id = in_path(request, "roomId"), in_path(request, "playerId")
        given = without_body(request, LeaveRoomInput, roomId=room_id, playerId=player_id)
        return message(await self._casino.leave_room(given), 202)

    async def start_room(self, request: Request) -> Response:
        """Answer `startRoom`."""
        given = await read_body(request, StartRoomInput, roomId=in_path(request, "roomId"))
        return message(await self._casino.start_room(given), 202)

    async def read_events(self, request: Request) -> Response:
        """Answer `readEvents`."""
        room = self._casino.room(in_path(request, "roomId"))
        after = queries.EVENTS_AFTER.read(request)
        limit = queries.EVENTS_LIMIT.read(request)
        epoch = queries.EPOCH.find(request) or room.epoch
        events = await self._casino.events(room, after, limit, epoch)
        last = events[-1].sequence if events else None
        page = EventPage(
            events=tuple(map(public, events)),
            last_sequence=min(after, room.last_sequence) if last is None else last,
            epoch=epoch,
        )
        return message(page)
