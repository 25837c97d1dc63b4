"""Collects the operations of the handler classes that declare them, and builds their routes."""

from typing import NamedTuple, get_type_hints

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from casino_lobby import __version__
from casino_lobby.access.operator import Operator
from casino_lobby.rest.hand_file_routes import HandFileHandlers
from casino_lobby.rest.hand_routes import HandHandlers
from casino_lobby.rest.lobby_routes import LobbyHandlers
from casino_lobby.rest.openapi_document import openapi_document
from casino_lobby.rest.operation import operations_of
from casino_lobby.rest.player_routes import PlayerHandlers
from casino_lobby.rest.published_routes import PublishedHandlers
from casino_lobby.rest.resource import NotFound, RestBudget, resources_of
from casino_lobby.rest.room_routes import RoomHandlers
from casino_lobby.rest.stream_routes import StreamHandlers


class Handlers(NamedTuple):
    """The handlers of all operations, in the order of the OpenAPI document."""

    rooms: RoomHandlers
    players: PlayerHandlers
    hands: HandHandlers
    hand_files: HandFileHandlers
    lobby: LobbyHandlers
    published: PublishedHandlers
    streams: StreamHandlers


OPERATIONS = tuple(
    operation
    for handlers in get_type_hints(Handlers).values()
    for operation in operations_of(handlers).values()
)


def rest_routes(handlers: Handlers, *, operator: Operator, budget: RestBudget) -> list[BaseRoute]:
    """Return the routes of all operations and of the OpenAPI document."""
    document = orjson.dumps(openapi_document(__version__, OPERATIONS))

    async def openapi(_request: Request) -> Response:
        return Response(document, media_type="application/json")

    return [
        Route("/openapi.json", openapi, methods=["GET"]),
        *resources_of(handlers, operator, budget),
        NotFound("/v1/"),
        NotFound("/api/"),
        NotFound("/problems/"),
    ]
