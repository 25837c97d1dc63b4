"""The OpenAPI 3.1 document of the operator's API, made from the operations and the contracts."""

import re
from collections import defaultdict
from typing import Any

from casino_agentkit.protocol import BODY_LIMIT
from casino_contracts.base import Identifier, PlayerId, RequestId
from pydantic import TypeAdapter

from casino_lobby.access.operator import SCHEME
from casino_lobby.problems.problem import PROBLEM_JSON
from casino_lobby.problems.types import ProblemType
from casino_lobby.rest.openapi import examples
from casino_lobby.rest.openapi.schemas import PROBLEM_SCHEMA, answered, reference, taken
from casino_lobby.rest.openapi.streams import STREAMED, stream_answer
from casino_lobby.rest.operation import Operation, Who
from casino_lobby.rest.operations import OPERATIONS, STREAMS

_TAGS = {
    "rooms": "Open, start, close.",
    "players": "Invite player agents, and let them go.",
    "hands": "What was played.",
    "streams": "What is played now, as server-sent events.",
    "games": "What can be played, and how.",
    "lobby": "The lobby itself.",
}
_WHOLE = {"type": "integer", "minimum": 1, "maximum": 2**53 - 1}
_IN_PATH: dict[str, dict[str, Any]] = {
    "roomId": TypeAdapter(Identifier).json_schema(),
    "playerId": TypeAdapter(PlayerId).json_schema(),
    "handNumber": _WHOLE,
    "gameType": {"type": "string", "minLength": 1},
    "slug": {"type": "string", "enum": [kind.slug for kind in ProblemType]},
}
_IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "Names the command: sent again with the same key, it is not done again.",
    "schema": TypeAdapter(RequestId).json_schema(),
}
_IF_NONE_MATCH = {
    "name": "If-None-Match",
    "in": "header",
    "description": "The `ETag` of what you have.",
    "schema": {"type": "string"},
}
_LAST_EVENT_ID = {
    "name": "Last-Event-ID",
    "in": "header",
    "description": "The `id` of the last event that was received: events after it follow.",
    "schema": {"type": "string"},
}
_HEADERS: dict[str, Any] = {
    "ETag": {
        "description": "Names these bytes; send it as `If-None-Match`.",
        "schema": {"type": "string"},
    },
    "Location": {
        "description": "Where the new room is.",
        "required": True,
        "schema": {"type": "string", "format": "uri-reference"},
    },
    "RetryAfter": {
        "description": "In how many seconds to try again.",
        "required": False,
        "schema": {"type": "integer", "minimum": 0},
    },
    "WwwAuthenticate": {
        "description": "`Bearer`: send the operator's key.",
        "required": True,
        "schema": {"type": "string"},
    },
}
_OPERATOR = {
    "type": "http",
    "scheme": "bearer",
    "description": "The operator's key, `CASINO_LOBBY_OPERATOR_TOKEN`. A lobby without one listens"
    " on its own machine only, and takes commands from everybody there.",
}
_SECURITY: dict[Who, list[dict[str, list[str]]]] = {
    "public": [],
    "reader": [{}, {SCHEME: []}],
    "operator": [{SCHEME: []}],
}
"""What a caller has to show, by who may use an operation."""


def openapi_document(version: str) -> dict[str, Any]:
    """Return the document as JSON values."""
    paths: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    for operation in (*OPERATIONS, *STREAMS):
        paths[operation.path][operation.method.lower()] = _operation(operation)
    response_model = [
        operation.response_model for operation in OPERATIONS if operation.response_model
    ]
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "A2A Casino lobby",
            "version": version,
            "summary": "Rooms, players, hands and live streams of a casino of agents.",
            "description": "Every error is an RFC 9457 problem that says what to do."
            " Unknown fields and query parameters are refused."
            " A method that a path does not take is answered with 405 and `Allow`.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "tags": [{"name": name, "description": told} for name, told in _TAGS.items()],
        "paths": dict(paths),
        "components": {
            "schemas": {
                **answered([*response_model, *STREAMED.values()]),
                "Problem": PROBLEM_SCHEMA,
            },
            "examples": {
                kind.slug: {"summary": kind.title, "value": examples.problem_of(kind)}
                for kind in ProblemType
            },
            "headers": _HEADERS,
            "securitySchemes": {SCHEME: _OPERATOR},
        },
    }


def _operation(operation: Operation) -> dict[str, Any]:
    names = path_names(operation)
    told: dict[str, Any] = {
        "operationId": operation.operation_id,
        "tags": [operation.tag],
        "summary": operation.summary,
        "description": operation.description,
        "parameters": [
            {"name": name, "in": "path", "required": True, "schema": _IN_PATH[name]}
            for name in names
        ],
        "responses": {str(operation.status): _answer(operation), **_problems(operation)},
    }
    if operation.may_be_unchanged:
        told["responses"]["304"] = {"description": "You have it already."}
        told["parameters"].append(_IF_NONE_MATCH)
    told["parameters"] += [
        {
            "name": parameter.name,
            "in": "query",
            "description": parameter.description,
            "schema": parameter.schema(),
        }
        for parameter in operation.parameters
    ]
    if operation.is_stream:
        told["parameters"].append(_LAST_EVENT_ID)
    if operation.request_model is not None and "request_id" in operation.request_model.model_fields:
        told["parameters"].append(_IDEMPOTENCY_KEY)
    if operation.method == "POST" and operation.request_model is not None:
        told["requestBody"] = {
            "required": operation.body_is_needed,
            "content": {
                "application/json": {
                    "schema": taken(operation.request_model, names),
                    "example": examples.BODIES[operation.operation_id],
                }
            },
        }
    told["security"] = _SECURITY[operation.who]
    return told


def path_names(operation: Operation) -> list[str]:
    """Return the names of what stands in an operation's path."""
    return re.findall(r"{(\w+)}", operation.path)


def _answer(operation: Operation) -> dict[str, Any]:
    if operation.is_stream:
        return stream_answer(operation.operation_id)
    answer: dict[str, Any] = {"description": operation.summary + "."}
    if operation.response_model is None:
        content: dict[str, Any] = {"schema": {"type": "string"}}
        if operation.may_be_unchanged:
            content["example"] = examples.SPECIFICATION
            answer["headers"] = {"ETag": {"$ref": "#/components/headers/ETag"}}
        answer["content"] = {operation.media_type: content}
        return answer
    answer["content"] = {
        "application/json": {
            "schema": reference(operation.response_model.__name__),
            "example": examples.answer_of(operation.response_model),
        }
    }
    if operation.operation_id == "createRoom":
        answer["headers"] = {"Location": {"$ref": "#/components/headers/Location"}}
    return answer


def _problems(operation: Operation) -> dict[str, Any]:
    """Return the answers that are problems, by status, each with an example of every problem."""
    by_status: defaultdict[int, list[ProblemType]] = defaultdict(list)
    for kind in sorted(operation.problems, key=lambda kind: (kind.status, kind.slug)):
        by_status[kind.status].append(kind)
    answers = {str(status): _problem_answer(kinds) for status, kinds in by_status.items()}
    for status, description in _of_the_plumbing(operation).items():
        content = {PROBLEM_JSON: {"schema": reference("Problem")}}
        answers[status] = {"description": description, "content": content}
    return dict(sorted(answers.items()))


def _of_the_plumbing(operation: Operation) -> dict[str, str]:
    """Return what is refused before the operation is looked for, by status."""
    refused = {"421": "The `Host` is no name of this lobby."}
    if operation.is_command:
        refused["403"] = "A web page of another origin must not command."
    if operation.method == "POST":
        refused["413"] = f"The body has more than {BODY_LIMIT} bytes."
    return refused


def _problem_answer(kinds: list[ProblemType]) -> dict[str, Any]:
    answer: dict[str, Any] = {
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
    return {**answer, "headers": headers} if headers else answer
