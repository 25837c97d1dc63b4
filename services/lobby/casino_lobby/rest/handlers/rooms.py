"""REST handlers of rooms, their players and events."""

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

from casino_lobby.domain.room_views import public, room_snapshot
from casino_lobby.rest import queries
from casino_lobby.rest.requests import path_parameter, read_body, without_body
from casino_lobby.rest.responses import json_response
from casino_lobby.service.lobby import LobbyService
from casino_lobby.service.queries import LobbyQueries


class RoomHandlers:
    """Handles the operations of rooms: commands by `casino`, lists by `lobby_queries`."""

    def __init__(self, casino: LobbyService, lobby_queries: LobbyQueries) -> None:
        self._casino = casino
        self._queries = lobby_queries

    async def list_rooms(self, request: Request) -> Response:
        """Respond to `listRooms`."""
        after = queries.ROOMS_AFTER.read(request)
        if after is not None:
            self._casino.room(after)
        return json_response(
            self._queries.rooms(
                status=queries.ROOMS_STATUS.read(request),
                game_type=queries.ROOMS_GAME.read(request),
                state=queries.ROOMS_STATE.read(request),
                after=after,
                limit=queries.ROOMS_LIMIT.read(request),
            )
        )

    async def create_room(self, request: Request) -> Response:
        """Respond to `createRoom`."""
        command = await read_body(request, CreateRoomInput)
        snapshot = await self._casino.create_room(command)
        return json_response(snapshot, 201, {"Location": f"/v1/rooms/{snapshot.room_id}"})

    async def read_room(self, request: Request) -> Response:
        """Respond to `readRoom`."""
        return json_response(room_snapshot(self._casino.room(path_parameter(request, "roomId"))))

    async def delete_room(self, request: Request) -> Response:
        """Respond to `deleteRoom`."""
        return json_response(await self._casino.close_room(path_parameter(request, "roomId")), 202)

    async def close_room(self, request: Request) -> Response:
        """Respond to `closeRoom`."""
        await read_body(request, NoInput)
        return await self.delete_room(request)

    async def register_player(self, request: Request) -> Response:
        """Respond to `registerPlayer`."""
        room_id = path_parameter(request, "roomId")
        command = await read_body(request, RegisterPlayerInput, roomId=room_id)
        return json_response(await self._casino.register_player(command), 201)

    async def leave_room(self, request: Request) -> Response:
        """Respond to `leaveRoom`."""
        room_id, player_id = path_parameter(request, "roomId"), path_parameter(request, "playerId")
        command = without_body(request, LeaveRoomInput, roomId=room_id, playerId=player_id)
        return json_response(await self._casino.leave_room(command), 202)

    async def start_room(self, request: Request) -> Response:
        """Respond to `startRoom`."""
        command = await read_body(request, StartRoomInput, roomId=path_parameter(request, "roomId"))
        return json_response(await self._casino.start_room(command), 202)

    async def read_events(self, request: Request) -> Response:
        """Respond to `readEvents`."""
        room = self._casino.room(path_parameter(request, "roomId"))
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
        return json_response(page)
