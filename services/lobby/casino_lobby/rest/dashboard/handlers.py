"""Handles the requests of the original casino's dashboard with the use cases of the REST API."""

from typing import Any

import orjson
from casino_contracts import RegisterPlayerInput, StartRoomInput
from starlette.requests import Request
from starlette.responses import Response

from casino_lobby.domain.room_views import room_snapshot
from casino_lobby.rest.dashboard.created_room import created_room
from casino_lobby.rest.dashboard.views import player_view, room_view, state_view, summary_view
from casino_lobby.rest.handlers.rooms import ROOMS_LIMIT, RoomHandlers
from casino_lobby.rest.operation import ALWAYS, READS, ROOM, Operation, operations_of
from casino_lobby.rest.requests import path_parameter, read_command
from casino_lobby.service.queries import LobbyQueries
from casino_lobby.service.use_cases import RoomUseCases, UseCases

_OF_ROOMS = operations_of(RoomHandlers)
_TAG = "dashboard"


class DashboardHandlers:
    """Handles the dashboard's requests."""

    def __init__(
        self, commands: RoomUseCases, lobby: UseCases, lobby_queries: LobbyQueries
    ) -> None:
        self._commands = commands
        self._lobby = lobby
        self._queries = lobby_queries

    @Operation(
        operation_id="dashboardRooms",
        method="GET",
        path="/ui/rooms",
        tag=_TAG,
        who="reader",
        problems=ALWAYS,
    )
    async def rooms(self, _request: Request) -> Response:
        """List rooms, and the config of a room that is created without one."""
        return _reply(state_view(self._queries.rooms(limit=ROOMS_LIMIT.at_most).rooms))

    @Operation(
        operation_id="dashboardState",
        method="GET",
        path="/ui/state",
        tag=_TAG,
        who="reader",
        problems=ALWAYS,
    )
    async def state(self, request: Request) -> Response:
        """List rooms at another address."""
        return await self.rooms(request)

    @Operation(
        operation_id="dashboardCreateRoom",
        method="POST",
        path="/ui/rooms",
        tag=_TAG,
        who="operator",
        problems=_OF_ROOMS["create_room"].problems,
    )
    async def create_room(self, request: Request) -> Response:
        """Create a room."""
        snapshot = await self._commands.create_room(await created_room(request))
        return _reply({"ok": True, "room": room_view(snapshot)})

    @Operation(
        operation_id="dashboardRoom",
        method="GET",
        path="/ui/rooms/{roomId}",
        tag=_TAG,
        who="reader",
        problems=ALWAYS | ROOM | READS,
    )
    async def room(self, request: Request) -> Response:
        """Get a room."""
        room = await self._lobby.find_room(path_parameter(request, "roomId"))
        return _reply({"ok": True, "room": room_view(room_snapshot(room))})

    @Operation(
        operation_id="dashboardRegister",
        method="POST",
        path="/ui/rooms/{roomId}/register",
        tag=_TAG,
        who="operator",
        problems=_OF_ROOMS["register_player"].problems,
    )
    async def register_player(self, request: Request) -> Response:
        """Register a player."""
        command = await read_command(request, RegisterPlayerInput)
        player = await self._commands.register_player(command)
        return _reply({"ok": True, "player": player_view(player)})

    @Operation(
        operation_id="dashboardStart",
        method="POST",
        path="/ui/rooms/{roomId}/start",
        tag=_TAG,
        who="operator",
        problems=_OF_ROOMS["start_room"].problems,
    )
    async def start_room(self, request: Request) -> Response:
        """Start a session; returns at once, where the original waits for its end."""
        summary = await self._commands.start_room(await read_command(request, StartRoomInput))
        return _reply({"ok": True, "summary": summary_view(summary)})


def _reply(content: dict[str, Any]) -> Response:
    return Response(orjson.dumps(content), media_type="application/json")
