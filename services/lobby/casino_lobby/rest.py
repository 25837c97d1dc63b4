"""The operator's face: REST under /v1, the same use cases as the entrypoints."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import orjson
import structlog
from casino_agentkit import Refusal, Violation
from casino_contracts import (
    CreateRoomInput,
    EventPage,
    LeaveRoomInput,
    RegisterPlayerInput,
    StartOverrides,
    StartRoomInput,
    WireModel,
)
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from casino_lobby.casino import Casino
from casino_lobby.openapi import openapi_document
from casino_lobby.problems import Problem, ProblemType
from casino_lobby.rooms import public

ModelT = TypeVar("ModelT", bound=WireModel)
Endpoint = Callable[[Request], Awaitable[Response]]

_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
EVENTS_PER_PAGE, MOST_EVENTS_PER_PAGE = 500, 5_000

logger = structlog.get_logger(__name__)


def rest_routes(casino: Casino, version: str) -> list[BaseRoute]:
    """Return the routes of the operator's API."""
    api = _Api(casino)
    document = orjson.dumps(openapi_document(version))

    async def openapi(_request: Request) -> Response:
        return Response(document, media_type="application/json")

    return [
        Route("/openapi.json", openapi, methods=["GET"]),
        _route("/v1/rooms", GET=api.list_rooms, POST=api.create_room),
        _route("/v1/rooms/{room_id}", GET=api.read_room, DELETE=api.close_room),
        _route("/v1/rooms/{room_id}/players", POST=api.register_player),
        _route("/v1/rooms/{room_id}/players/{player_id}", DELETE=api.leave_room),
        _route("/v1/rooms/{room_id}/start", POST=api.start_room),
        _route("/v1/rooms/{room_id}/events", GET=api.read_events),
        Route("/v1/{rest:path}", _nothing_there, methods=_METHODS),
    ]


def _route(path: str, **operations: Endpoint) -> Route:
    """Return a route that answers its operations, and every other method with a problem."""
    allowed = ", ".join(operations)

    async def endpoint(request: Request) -> Response:
        operation = operations.get("GET" if request.method == "HEAD" else request.method)
        if operation is None:
            detail = f"{request.url.path} takes {allowed}."
            kind = ProblemType.METHOD_NOT_ALLOWED
            return Problem(kind, detail, headers={"Allow": allowed}).response()
        return await _answered(operation, request)

    return Route(path, endpoint, methods=_METHODS)


class _Api:
    """One method per operation."""

    def __init__(self, casino: Casino) -> None:
        self._casino = casino

    async def list_rooms(self, _request: Request) -> Response:
        return _json(await self._casino.list_rooms())

    async def create_room(self, request: Request) -> Response:
        given = await _body(request, CreateRoomInput)
        snapshot = await self._casino.create_room(given)
        return _json(snapshot, 201, {"Location": f"/v1/rooms/{snapshot.room_id}"})

    async def read_room(self, request: Request) -> Response:
        return _json(self._casino.room(_room_id(request)).snapshot())

    async def close_room(self, request: Request) -> Response:
        return _json(await self._casino.close_room(_room_id(request)), 202)

    async def register_player(self, request: Request) -> Response:
        given = await _body(request, RegisterPlayerInput, roomId=_room_id(request))
        return _json(await self._casino.register_player(given), 201)

    async def leave_room(self, request: Request) -> Response:
        player_id = request.path_params["player_id"]
        given = await _body(request, LeaveRoomInput, roomId=_room_id(request), playerId=player_id)
        return _json(await self._casino.leave_room(given), 202)

    async def start_room(self, request: Request) -> Response:
        overrides = await _body(request, StartRoomInput, roomId=_room_id(request))
        return _json(await self._casino.start_room(overrides), 202)

    async def read_events(self, request: Request) -> Response:
        room = self._casino.room(_room_id(request))
        after = _whole(request, "after", 0, 2**53 - 1)
        limit = _whole(request, "limit", EVENTS_PER_PAGE, MOST_EVENTS_PER_PAGE)
        epoch = _whole(request, "epoch", room.epoch, 2**31 - 1)
        events = await self._casino.events(room, after, limit, epoch)
        last = events[-1].sequence if events else None
        page = EventPage(
            events=tuple(map(public, events)),
            last_sequence=min(after, room.last_sequence) if last is None else last,
            epoch=max(1, epoch),
        )
        return _json(page)


def _room_id(request: Request) -> str:
    room_id: str = request.path_params["room_id"]
    return room_id


def _json(message: WireModel, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(
        message.model_dump_json(),
        status_code=status,
        media_type="application/json",
        headers=headers,
    )


async def _body(request: Request, model: type[ModelT], **known: str) -> ModelT:
    """Return the request's body as a message; `known` comes from the path.

    Raises Problem. An operator's typo is an error here, not an ignored field.
    """
    content = await request.body()
    try:
        data = orjson.loads(content) if content else {}
    except orjson.JSONDecodeError as error:
        raise Problem(ProblemType.INVALID_JSON, f"The body cannot be read: {error}.") from error
    if not isinstance(data, dict):
        raise Problem(ProblemType.INVALID_JSON, "Send one JSON object.")
    data = _nested(model, data)
    key = request.headers.get("idempotency-key")
    if key and "requestId" in _names(model):
        data.setdefault("requestId", key)
    faults = _unknown_fields(model, data)
    try:
        message = model.model_validate({**data, **known})
    except ValidationError as error:
        faults += [
            Violation(".".join(map(str, fault["loc"])), fault["msg"])
            for fault in error.errors(include_url=False, include_input=False)
        ]
    if faults:
        told = "; ".join(f"{fault.field}: {fault.message}" for fault in faults[:3])
        raise Problem(ProblemType.INVALID_REQUEST, f"{told}.", tuple(faults))
    return message


def _nested(model: type[WireModel], data: dict[str, object]) -> dict[str, object]:
    """Let a start say its overrides flat, as the table's startGame does."""
    flat = {name: data[name] for name in _names(StartOverrides) if name in data}
    if model is not StartRoomInput or not flat or "overrides" in data:
        return data
    return {**{name: data[name] for name in data if name not in flat}, "overrides": flat}


def _names(model: type[WireModel]) -> set[str]:
    return {field.alias or name for name, field in model.model_fields.items()}


def _unknown_fields(
    model: type[WireModel], data: dict[str, object], path: str = ""
) -> list[Violation]:
    """Return the fields that would be ignored, down into nested messages."""
    fields = {field.alias or name: field for name, field in model.model_fields.items()}
    faults = [
        Violation(f"{path}{name}", f"is unknown; known are {', '.join(fields)}")
        for name in data
        if name not in fields
    ]
    for name, value in data.items():
        annotation = fields[name].annotation if name in fields else None
        for part in (annotation, *getattr(annotation, "__args__", ())):
            if isinstance(part, type) and issubclass(part, WireModel) and isinstance(value, dict):
                faults += _unknown_fields(part, value, f"{path}{name}.")
    return faults


def _whole(request: Request, name: str, default: int, at_most: int) -> int:
    text = request.query_params.get(name)
    if text is None:
        return default
    if not text.isascii() or not text.isdigit() or int(text) > at_most:
        fault = Violation(name, f"must be a whole number from 0 to {at_most}")
        raise Problem(ProblemType.INVALID_REQUEST, f"{name} {fault.message}.", (fault,))
    return int(text)


async def _answered(endpoint: Endpoint, request: Request) -> Response:
    """Run an operation; whatever goes wrong is a problem document."""
    try:
        return await endpoint(request)
    except Problem as problem:
        return problem.response()
    except Refusal as refusal:
        return Problem.of(refusal).response()
    except Exception:
        # A fault of ours: the operator gets a plain sentence, the log gets the rest.
        logger.exception("request_failed", path=request.url.path)
        return Problem(ProblemType.INTERNAL, "See the lobby's log.").response()


async def _nothing_there(request: Request) -> Response:
    detail = f"There is no {request.method} {request.url.path}; see /openapi.json."
    return Problem(ProblemType.NOT_FOUND, detail).response()
