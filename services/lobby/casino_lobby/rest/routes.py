"""Routes of the REST API, built from its operations."""

from collections import defaultdict

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from casino_lobby import __version__
from casino_lobby.access.operator import Operator
from casino_lobby.rest.budget import RestBudget
from casino_lobby.rest.handlers.games import GameHandlers
from casino_lobby.rest.handlers.hands import HandHandlers
from casino_lobby.rest.handlers.lobby import LobbyHandlers
from casino_lobby.rest.handlers.rooms import RoomHandlers
from casino_lobby.rest.openapi.document import openapi_document
from casino_lobby.rest.operations import OPERATIONS
from casino_lobby.rest.resource import BoundOperation, Endpoint, NotFound, Resource
from casino_lobby.rest.stream_operations import STREAMS
from casino_lobby.streaming.endpoint import Streams


def rest_routes(
    rooms: RoomHandlers,
    hands: HandHandlers,
    lobby: LobbyHandlers,
    games: GameHandlers,
    streams: Streams,
    *,
    operator: Operator,
    budget: RestBudget,
) -> list[BaseRoute]:
    """Return the routes of all operations and of the OpenAPI document."""
    endpoints = _endpoints(rooms, hands, lobby, games, streams)
    resources: defaultdict[str, dict[str, BoundOperation]] = defaultdict(dict)
    for operation in (*OPERATIONS, *STREAMS):
        bound = BoundOperation(operation, endpoints[operation.operation_id])
        resources[operation.path][operation.method] = bound
    document = orjson.dumps(openapi_document(__version__))

    async def openapi(_request: Request) -> Response:
        return Response(document, media_type="application/json")

    return [
        Route("/openapi.json", openapi, methods=["GET"]),
        *(Resource(path, operations, operator, budget) for path, operations in resources.items()),
        NotFound("/v1/"),
        NotFound("/api/"),
        NotFound("/problems/"),
    ]


def _endpoints(
    rooms: RoomHandlers,
    hands: HandHandlers,
    lobby: LobbyHandlers,
    games: GameHandlers,
    streams: Streams,
) -> dict[str, Endpoint]:
    return {
        "listRooms": rooms.list_rooms,
        "createRoom": rooms.create_room,
        "readRoom": rooms.read_room,
        "deleteRoom": rooms.delete_room,
        "closeRoom": rooms.close_room,
        "registerPlayer": rooms.register_player,
        "leaveRoom": rooms.leave_room,
        "startRoom": rooms.start_room,
        "readEvents": rooms.read_events,
        "listHands": hands.list_hands,
        "readHand": hands.read_hand,
        "readHandRecord": hands.read_hand_record,
        "listTables": lobby.list_tables,
        "readConfig": lobby.read_config,
        "readProblem": lobby.read_problem,
        "listGames": games.list_games,
        "readGameSpecification": games.read_specification,
        "streamRoom": streams.room,
        "streamLobby": streams.lobby,
    }
