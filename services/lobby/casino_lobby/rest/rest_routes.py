"""Routes and OpenAPI document of the operations that handler classes declare."""

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple, get_type_hints

import orjson
from casino_agentkit.protocol import BODY_LIMIT, INPUT_LIMIT
from casino_contracts import MAX_SAFE, WireModel
from casino_contracts.base import CareerId, Identifier, PlayerId, RequestId
from pydantic import TypeAdapter
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from casino_lobby import __version__
from casino_lobby.access.operator import SCHEME, Operator
from casino_lobby.problem import PROBLEM_JSON, ProblemType
from casino_lobby.rest.hand_file_routes import PHHS, HandFileHandlers
from casino_lobby.rest.hand_routes import HandHandlers
from casino_lobby.rest.lobby_routes import LobbyHandlers
from casino_lobby.rest.openapi_schemas import (
    PROBLEM_SCHEMA,
    body_schema,
    component_schemas,
    message_example,
    parts,
    problem_example,
    reference,
    stream_response,
)
from casino_lobby.rest.operation import Access, Operation, operations_of
from casino_lobby.rest.player_routes import PlayerHandlers
from casino_lobby.rest.published_routes import PUBLISHED, PublishedHandlers
from casino_lobby.rest.request_reading import WITH_BODY
from casino_lobby.rest.resource import NotFound, RestBudget, resources_of
from casino_lobby.rest.room_routes import RoomHandlers
from casino_lobby.rest.stream_routes import StreamHandlers

_POSITIVE_INTEGER = {"type": "integer", "minimum": 1, "maximum": MAX_SAFE}
_PATH_SCHEMAS: dict[str, dict[str, Any]] = {
    "roomId": TypeAdapter(Identifier).json_schema(),
    "playerId": TypeAdapter(PlayerId).json_schema(),
    "matchId": TypeAdapter(Identifier).json_schema(),
    "leagueId": TypeAdapter(Identifier).json_schema(),
    "careerId": TypeAdapter(CareerId).json_schema(),
    "handNumber": _POSITIVE_INTEGER,
    "gameType": {"type": "string", "minLength": 1},
    "slug": {"type": "string", "enum": [kind.slug for kind in ProblemType]},
}
_IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "Identifies the command. A retry with the same key is not executed again.",
    "schema": TypeAdapter(RequestId).json_schema(),
}
PLAYER_SCHEME = "player"
_SECURITY: dict[Access, list[dict[str, list[str]]]] = {
    "public": [],
    "reader": [{}, {SCHEME: []}],
    "player": [{SCHEME: []}, {PLAYER_SCHEME: []}],
    "operator": [{SCHEME: []}],
}


def openapi_document(version: str, operations: Iterable[Operation]) -> dict[str, Any]:
    paths: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    models: list[type[WireModel]] = []
    fixed = parts()
    for operation in operations:
        paths[operation.path][operation.method.lower()] = _operation(operation)
        models += operation.events.values()
        if operation.response_model is not None:
            models.append(operation.response_model)
    return {
        "openapi": "3.1.0",
        "info": {**fixed["info"], "version": version},
        "servers": [{"url": "/"}],
        "tags": fixed["tags"],
        "paths": dict(paths),
        "components": {
            "schemas": {**component_schemas(models), "Problem": PROBLEM_SCHEMA},
            "examples": {
                kind.slug: {"summary": kind.title, "value": problem_example(kind)}
                for kind in ProblemType
            },
            "headers": fixed["headers"],
            "securitySchemes": {SCHEME: fixed["operator"], PLAYER_SCHEME: fixed["player"]},
        },
    }


def _operation(operation: Operation) -> dict[str, Any]:
    names = path_names(operation)
    document: dict[str, Any] = {
        "operationId": operation.operation_id,
        "tags": [operation.tag],
        "summary": operation.summary,
        "description": operation.description,
        "parameters": [
            {"name": name, "in": "path", "required": True, "schema": _PATH_SCHEMAS[name]}
            for name in names
        ],
        "responses": {
            str(operation.status): _success_response(operation),
            **_problem_responses(operation),
        },
    }
    if operation.may_be_unchanged:
        document["responses"]["304"] = {"description": "Not modified."}
        document["parameters"].append(parts()["ifNoneMatch"])
    document["parameters"] += [
        {
            "name": parameter.name,
            "in": "query",
            "description": parameter.description,
            "schema": parameter.schema(),
        }
        for parameter in operation.parameters
    ]
    if operation.is_stream:
        document["parameters"].append(parts()["lastEventId"])
    if operation.request_model is not None and "request_id" in operation.request_model.model_fields:
        document["parameters"].append(_IDEMPOTENCY_KEY)
    if ProblemType.MATCH_EXISTS in operation.problems:
        document["parameters"].append(parts()["ifMatch"])
    if operation.method in WITH_BODY and operation.request_model is not None:
        schema = body_schema(operation.request_model, names)
        example = message_example(operation.request_model, names)
        document["requestBody"] = {
            "required": bool(schema["required"]),
            "content": {"application/json": {"schema": schema, "example": example}},
        }
    document["security"] = _SECURITY[operation.who]
    return document


def path_names(operation: Operation) -> list[str]:
    return re.findall(r"{(\w+)}", operation.path)


def _success_response(operation: Operation) -> dict[str, Any]:
    if operation.is_stream:
        return stream_response(operation)
    response: dict[str, Any] = {"description": operation.summary + "."}
    if operation.response_model is None:
        is_image = operation.media_type.startswith("image/")
        content: dict[str, Any] = {} if is_image else {"schema": {"type": "string"}}
        if operation.may_be_unchanged:
            if not is_image:
                content["example"] = parts()["specification"]
            response["headers"] = {"ETag": {"$ref": "#/components/headers/ETag"}}
        if operation.media_type == PHHS:
            content["example"] = parts()["history"]
            response["headers"] = {"Link": {"$ref": "#/components/headers/Link"}}
        response["content"] = {operation.media_type: content}
        return response
    response["content"] = {
        "application/json": {
            "schema": reference(operation.response_model.__name__),
            "example": message_example(operation.response_model),
        }
    }
    if operation.location is not None:
        response["headers"] = {"Location": {"$ref": "#/components/headers/Location"}}
    return response


def _problem_responses(operation: Operation) -> dict[str, Any]:
    """Return the problem responses by status, with an example for each problem type."""
    by_status: defaultdict[int, list[ProblemType]] = defaultdict(list)
    for kind in sorted(operation.problems, key=lambda kind: (kind.status, kind.slug)):
        by_status[kind.status].append(kind)
    responses = {str(status): _problem_response(kinds) for status, kinds in by_status.items()}
    for status, description in _middleware_refusals(operation).items():
        response = responses.setdefault(
            status, {"description": "", "content": {PROBLEM_JSON: {"schema": reference("Problem")}}}
        )
        response["description"] = f"{response['description']} {description}".strip()
    return dict(sorted(responses.items()))


def _middleware_refusals(operation: Operation) -> dict[str, str]:
    refusals = {"421": "The `Host` is not a name of this lobby."}
    if operation.is_command:
        refusals["403"] = "Web pages of other origins may not send commands."
    if operation.method in WITH_BODY:
        at_most = BODY_LIMIT if operation.path.startswith(PUBLISHED) else INPUT_LIMIT
        refusals["413"] = f"The body exceeds {at_most} bytes."
    return refusals


def _problem_response(kinds: list[ProblemType]) -> dict[str, Any]:
    response: dict[str, Any] = {
        "description": " ".join(f"`{kind.slug}`: {kind.title}." for kind in kinds),
        "content": {
            PROBLEM_JSON: {
                "schema": reference("Problem"),
                "examples": {
                    kind.slug: {"$ref": f"#/components/examples/{kind.slug}"} for kind in kinds
                },
            }
        },
    }
    headers = {}
    if any(kind.retry_after is not None for kind in kinds):
        headers["Retry-After"] = {"$ref": "#/components/headers/RetryAfter"}
    if ProblemType.UNAUTHORIZED in kinds:
        headers["WWW-Authenticate"] = {"$ref": "#/components/headers/WwwAuthenticate"}
    return {**response, "headers": headers} if headers else response


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
