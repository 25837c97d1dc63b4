"""Routes of the REST API, built from its operations."""

from collections import defaultdict

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from casino_lobby import __version__
from casino_lobby.access.operator import Operator
from casino_lobby.rest.budget import RestBudget
from casino_lobby.rest.openapi.document import openapi_document
from casino_lobby.rest.operation import operations_of
from casino_lobby.rest.operations import Handlers
from casino_lobby.rest.resource import BoundOperation, NotFound, Resource


def rest_routes(handlers: Handlers, *, operator: Operator, budget: RestBudget) -> list[BaseRoute]:
    """Return the routes of all operations and of the OpenAPI document."""
    resources: defaultdict[str, dict[str, BoundOperation]] = defaultdict(dict)
    for handler in handlers:
        for name, operation in operations_of(type(handler)).items():
            admission = getattr(handler, "admission", None)
            bound = BoundOperation(operation, getattr(handler, name), admission)
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
