"""The routes of the original casino's dashboard, `/ui/…`, in the original's shapes.

They use the use cases of the REST API. A failure is one text, with the original's statuses. The
routes are not in the OpenAPI document: that describes the API for new clients, whose errors are
problem documents.
"""

from collections.abc import Iterable
from typing import Any

import orjson
from casino_agentkit import Violation
from casino_contracts import (
    HOLDEM,
    CreateRoomInput,
    RegisteredPlayer,
    RegisterPlayerInput,
    RoomSnapshot,
    RoomSummary,
    StartRoomInput,
    TableConfig,
    TableSummary,
    WireModel,
)
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from casino_lobby.access.operator import Operator
from casino_lobby.domain.room_views import room_snapshot
from casino_lobby.problem import Problem, ProblemType
from casino_lobby.rest.operation import Operation, operations_of
from casino_lobby.rest.request_reading import (
    message_of,
    names_of,
    parsed_body,
    path_parameter,
    read_command,
)
from casino_lobby.rest.resource import NotFound, RestBudget, resources_of
from casino_lobby.rest.room_routes import ROOMS_LIMIT, RoomHandlers
from casino_lobby.service.room_lifecycle import RoomCommands
from casino_lobby.service.use_cases import LobbyQueries, RoomUseCases, UseCases

Json = dict[str, Any]

POKER = "poker"

ORIGINAL_CONFIG = TableConfig(
    starting_stack=1,
    small_blind=0.1,
    big_blind=1,
    min_buy_in=0.1,
    max_buy_in=1,
    max_hands=1,
    max_seats=6,
)

_CONFIG = (
    "startingStack",
    "smallBlind",
    "bigBlind",
    "minBuyIn",
    "maxBuyIn",
    "maxHands",
    "maxSeats",
)
_SEAT = ("playerId", "seatNumber", "displayName", "stack")
_EVENT = ("tableId", "eventType", "message", "timestamp", "payload")
_SUMMARY = ("tableId", "status", "handCount", "players", "message")
_LISTED = (
    "roomId",
    "tableId",
    "gameType",
    "tableAgentCardUrl",
    "tableBaseUrl",
    "status",
    "handCount",
    "playerCount",
    "message",
)
_ROOM = ("roomId", "config", "summary", "tableAgentCardUrl", "tableBaseUrl", "events")

_OTHER_NAMES = {"roomAgentCardUrl": "tableAgentCardUrl", "roomAgentSkills": "tableAgentSkills"}
"""Names of the original's later version."""
_PORTS = ("tablePort", "roomPort")
"""The port of a launched table, as the dashboard names it."""
_DEFAULTS: dict[str, Any] = orjson.loads(ORIGINAL_CONFIG.wire())
_OF_ROOMS = operations_of(RoomHandlers)
_TAG = "dashboard"
PREFIX = "/ui/"
_KEPT_STATUSES = frozenset({401, 403, 404, 405, 429, 500, 503})
"""Statuses whose meaning a client needs; every other failure is 400, as in the original."""


def state_view(rooms: Iterable[RoomSummary]) -> Json:
    return {
        "rooms": [_listed(room) for room in rooms],
        "defaultConfig": _only(_document(ORIGINAL_CONFIG), _CONFIG),
    }


def room_view(snapshot: RoomSnapshot) -> Json:
    room = _only(_document(snapshot), _ROOM)
    room["config"] = _only(room["config"], _CONFIG)
    room["events"] = [_only(event, _EVENT) for event in room["events"]]
    if "summary" in room:
        room["summary"] = _summary(room["summary"])
    return room


def player_view(player: RegisteredPlayer) -> Json:
    return _only(_document(player), ("roomId", *_SEAT))


def summary_view(summary: TableSummary) -> Json:
    return _summary(_document(summary))


def _listed(room: RoomSummary) -> Json:
    listed = _only(_document(room), _LISTED)
    return {**listed, "gameType": POKER} if room.game_type == HOLDEM else listed


def _summary(document: Json) -> Json:
    players = [_only(seat, _SEAT) for seat in document.get("players", [])]
    return {**_only(document, _SUMMARY), "players": players}


def _document(message: WireModel) -> Json:
    document: Json = orjson.loads(message.wire())
    return document


def _only(document: Json, keys: Iterable[str]) -> Json:
    return {key: document[key] for key in keys if key in document}


async def created_room(request: Request) -> CreateRoomInput:
    """Name fields that the original ignored as faults; raises Problem. Its config has defaults."""
    body = await parsed_body(request)
    faults: list[Violation] = []
    for name, ours in _OTHER_NAMES.items():
        _move(body, name, body, ours, ours, faults)
    for name in _PORTS:
        if name in body:
            options = body.setdefault("launchOptions", {})
            _move(body, name, options, "port", "launchOptions.port", faults)
    config = body.setdefault("config", {})
    for name in names_of(TableConfig):
        _move(body, name, config, name, f"config.{name}", faults)
    if body.get("gameType") == POKER:
        body["gameType"] = HOLDEM
    if faults:
        detail = "; ".join(f"{fault.field}: {fault.message}" for fault in faults)
        raise Problem(ProblemType.INVALID_REQUEST, f"{detail}.", tuple(faults))
    if isinstance(config, dict):
        body["config"] = {**_DEFAULTS, **config}
    return message_of(CreateRoomInput, body, request)


def _move(
    source: dict[str, Any], name: str, target: Any, to: str, path: str, faults: list[Violation]
) -> None:
    if name not in source:
        return
    if not isinstance(target, dict) or to in target:
        faults.append(Violation(name, f"is given as {path} too; remove one"))
    else:
        target[to] = source.pop(name)


class DashboardHandlers:
    """Handles the dashboard's requests."""

    def __init__(
        self, commands: RoomUseCases, lobby: UseCases, lobby_queries: LobbyQueries
    ) -> None:
        self._commands = commands
        self._lobby = lobby
        self._queries = lobby_queries

    @Operation("dashboardRooms", "GET /ui/rooms", tag=_TAG, who="reader")
    async def rooms(self, _request: Request) -> Response:
        """List rooms, and the config of a room that is created without one."""
        return _reply(state_view(self._queries.rooms(limit=ROOMS_LIMIT.at_most).rooms))

    @Operation("dashboardState", "GET /ui/state", tag=_TAG, who="reader")
    async def state(self, request: Request) -> Response:
        """List rooms at another address."""
        return await self.rooms(request)

    @Operation(
        "dashboardCreateRoom",
        "POST /ui/rooms",
        tag=_TAG,
        who="operator",
        problems=_OF_ROOMS["create_room"].problems,
    )
    async def create_room(self, request: Request) -> Response:
        """Create a room."""
        snapshot = await self._commands.run(RoomCommands.create, await created_room(request))
        return _reply({"ok": True, "room": room_view(snapshot)})

    @Operation("dashboardRoom", "GET /ui/rooms/{roomId}", tag=_TAG, who="reader")
    async def room(self, request: Request) -> Response:
        """Get a room."""
        room = await self._lobby.find_room(path_parameter(request, "roomId"))
        return _reply({"ok": True, "room": room_view(room_snapshot(room))})

    @Operation(
        "dashboardRegister",
        "POST /ui/rooms/{roomId}/register",
        tag=_TAG,
        who="operator",
        problems=_OF_ROOMS["register_player"].problems,
    )
    async def register_player(self, request: Request) -> Response:
        """Register a player."""
        command = await read_command(request, RegisterPlayerInput)
        player = await self._commands.run(RoomCommands.register_player, command)
        return _reply({"ok": True, "player": player_view(player)})

    @Operation(
        "dashboardStart",
        "POST /ui/rooms/{roomId}/start",
        tag=_TAG,
        who="operator",
        problems=_OF_ROOMS["start_room"].problems,
    )
    async def start_room(self, request: Request) -> Response:
        """Start a session; returns at once, where the original waits for its end."""
        command = await read_command(request, StartRoomInput)
        summary = await self._commands.run(RoomCommands.start, command)
        return _reply({"ok": True, "summary": summary_view(summary)})


def _reply(content: dict[str, Any]) -> Response:
    return Response(orjson.dumps(content), media_type="application/json")


def failure(problem: Problem, is_read: bool) -> Response:  # noqa: FBT001
    """Return a failure: 404 of a read and 400 of a command, where no other status says more."""
    status = problem.kind.status
    if status not in _KEPT_STATUSES:
        status = 404 if is_read else 400
    elif problem.kind is ProblemType.ROOM_NOT_FOUND and not is_read:
        status = 400
    headers = problem.all_headers()
    content = orjson.dumps({"ok": False, "error": problem.detail})
    return Response(content, status, headers, media_type="application/json")


def dashboard_routes(
    handlers: DashboardHandlers, *, operator: Operator, budget: RestBudget
) -> list[BaseRoute]:
    return [*resources_of((handlers,), operator, budget, failure), NotFound(PREFIX, failure)]
