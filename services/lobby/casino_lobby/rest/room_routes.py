"""REST handlers of rooms and their players."""

from typing import get_args
from urllib.parse import quote

from casino_agentkit import CommandRefused
from casino_contracts import (
    CreateRoomInput,
    LeaveRoomInput,
    NoInput,
    Reason,
    RegisteredPlayer,
    RegisterPlayerInput,
    RoomList,
    RoomSnapshot,
    StartRoomInput,
    TableStatus,
    TableSummary,
)
from starlette.requests import Request

from casino_lobby.domain.reported_event import RECENT_EVENTS
from casino_lobby.domain.room_views import room_snapshot
from casino_lobby.problem import ProblemType as P
from casino_lobby.rest.operation import (
    AGENT,
    BODY,
    ROOM,
    TABLE,
    Operation,
)
from casino_lobby.rest.request_reading import (
    ChoiceParameter,
    TextParameter,
    WholeParameter,
    invalid,
    path_parameter,
)
from casino_lobby.service.room_lifecycle import CloseRoomInput, RoomCommands
from casino_lobby.service.use_cases import LobbyQueries, RoomUseCases, UseCases

_STATUS = ChoiceParameter(
    "status", "Return only rooms whose table has this status.", choices=get_args(TableStatus)
)
_GAME = TextParameter("gameType", "Return only rooms of this game.")
_STATE = TextParameter(
    "state",
    "Return only rooms in this state: `opening`, `open`, `paused`, `table-away`,"
    " `waits-for-table`, `closing`, `closed` or `failed`. A room whose summary has no `state` is"
    " `open`.",
)
_AFTER = TextParameter(
    "after", "Return only rooms opened after this one: the `next` of the previous page."
)
_NEWEST = WholeParameter(
    "events",
    "Maximum number of events, the most recent ones.",
    at_least=0,
    at_most=RECENT_EVENTS,
    default=RECENT_EVENTS,
)
_ARCHIVED = ChoiceParameter(
    "archived",
    "With `true`, return archived rooms instead, the last archived first, at most 100"
    " on a page. Cannot be combined with `status`, `gameType` and `state`.",
    choices=("true", "false"),
    default="false",
)
_ARCHIVED_AT_MOST = 100
"""Each is read from the database."""
ROOMS_LIMIT = WholeParameter(
    "limit", "Maximum number of rooms.", at_least=1, at_most=5_000, default=500
)


class RoomHandlers:
    """Handles the operations of rooms."""

    def __init__(
        self, commands: RoomUseCases, lobby: UseCases, lobby_queries: LobbyQueries
    ) -> None:
        self._commands = commands
        self._lobby = lobby
        self._queries = lobby_queries

    @Operation(
        "listRooms",
        "GET /v1/rooms",
        tag="rooms",
        who="reader",
        problems=ROOM,
        parameters=(_STATUS, _GAME, _STATE, _ARCHIVED, _AFTER, ROOMS_LIMIT),
    )
    async def list_rooms(self, request: Request) -> RoomList:
        """List rooms.

        Returns the rooms of the lobby, oldest first, or with `archived` those that it has
        archived. If the response has `next`, pass it as `after` to get the next page.
        """
        after = _AFTER.read(request)
        is_archived = _ARCHIVED.read(request) == "true"
        if after is not None:
            room = await self._lobby.find_room(after)
            if (room.archived_at is not None) != is_archived:
                raise CommandRefused(
                    Reason.ROOM_NOT_FOUND,
                    f"Room {after} is {'not ' if is_archived else ''}archived: begin again without"
                    " `after`.",
                )
        if is_archived:
            for parameter in (_STATUS, _GAME, _STATE):
                if parameter.read(request) is not None:
                    raise invalid(parameter.name, "cannot be combined with archived=true")
            limit = min(ROOMS_LIMIT.read(request), _ARCHIVED_AT_MOST)
            return await self._queries.archived_rooms(after=after, limit=limit)
        return self._queries.rooms(
            status=_STATUS.read(request),
            game_type=_GAME.read(request),
            state=_STATE.read(request),
            after=after,
            limit=ROOMS_LIMIT.read(request),
        )

    @Operation(
        "createRoom",
        "POST /v1/rooms",
        tag="rooms",
        who="operator",
        problems=BODY
        | AGENT
        | {
            P.ROOM_EXISTS,
            P.TOO_MANY_ROOMS,
            P.TABLE_BUSY,
            P.PORT_TAKEN,
            P.NO_TABLE,
            P.DRAINING,
            P.INVALID_CONFIG,
        },
        status=201,
        location=lambda snapshot: f"/v1/rooms/{quote(snapshot.room_id, safe='')}",
    )
    async def create_room(self, _request: Request, command: CreateRoomInput) -> RoomSnapshot:
        """Create a room.

        Opens a room at the table of `tableAgentCardUrl`. Without that field, the lobby uses a
        free announced table or launches a new one.
        """
        return await self._commands.run(RoomCommands.create, command)

    @Operation(
        "readRoom", "GET /v1/rooms/{roomId}", tag="rooms", who="reader", parameters=(_NEWEST,)
    )
    async def read_room(self, request: Request) -> RoomSnapshot:
        """Get a room.

        Returns the room's configuration, its current state and its 200 most recent events, or as
        many as `events` says, but at most 512 KiB of them. Of an archived room, which has
        `archivedAt`, that is its final state.
        """
        newest = _NEWEST.read(request)
        return room_snapshot(await self._lobby.find_room(path_parameter(request, "roomId")), newest)

    @Operation(
        "deleteRoom",
        "DELETE /v1/rooms/{roomId}",
        tag="rooms",
        who="operator",
        problems={P.ROOM_CLOSED},
        status=202,
    )
    async def delete_room(self, request: Request) -> RoomSnapshot:
        """Close a room.

        Closes the room after the running hand. Each player leaves with their stack.
        """
        closing = CloseRoomInput(room_id=path_parameter(request, "roomId"))
        return await self._commands.run(RoomCommands.close, closing)

    @Operation(
        "closeRoom",
        "POST /v1/rooms/{roomId}/close",
        tag="rooms",
        who="operator",
        problems={P.ROOM_CLOSED, P.INVALID_JSON},
        status=202,
    )
    async def close_room(self, request: Request, _command: NoInput) -> RoomSnapshot:
        """Close a room with POST.

        Equivalent to `DELETE /v1/rooms/{roomId}`, for clients that cannot send `DELETE`.
        """
        return await self.delete_room(request)

    @Operation(
        "registerPlayer",
        "POST /v1/rooms/{roomId}/players",
        tag="players",
        who="operator",
        problems=BODY | TABLE | {P.ROOM_FULL, P.INVALID_CONFIG, P.DUPLICATE_SEAT, P.DRAINING},
        status=201,
    )
    async def register_player(
        self, _request: Request, command: RegisterPlayerInput
    ) -> RegisteredPlayer:
        """Register a player.

        Invites a player agent to sign up and seats it. The room starts automatically when its
        last seat is taken.
        """
        return await self._commands.run(RoomCommands.register_player, command)

    @Operation(
        "leaveRoom",
        "DELETE /v1/rooms/{roomId}/players/{playerId}",
        tag="players",
        who="operator",
        problems=TABLE | {P.PLAYER_NOT_FOUND, P.REQUEST_ID_REUSED},
        status=202,
    )
    async def leave_room(self, _request: Request, command: LeaveRoomInput) -> TableSummary:
        """Remove a player.

        Frees the player's seat, either immediately between hands or after the running hand.
        Returns the table.
        """
        return await self._commands.run(RoomCommands.leave, command)

    @Operation(
        "startRoom",
        "POST /v1/rooms/{roomId}/start",
        tag="rooms",
        who="operator",
        problems=BODY
        | TABLE
        | {P.ROOM_ALREADY_STARTED, P.NOT_ENOUGH_PLAYERS, P.INVALID_CONFIG, P.DRAINING},
        status=202,
    )
    async def start_room(self, _request: Request, command: StartRoomInput) -> TableSummary:
        """Start a session.

        Starts a session and returns immediately. `overrides` replaces the room's session length
        and blinds for this session.
        """
        return await self._commands.run(RoomCommands.start, command)
