"""The SDK's routes of an agent, behind one reading of the body that is the same for all of them.

The SDK answers a body that it cannot read with an internal error, or in Python's own words: bytes
that are no UTF-8, half of a surrogate pair, NaN, an integer of 5,000 digits, a number where an
object belongs. Here such a body is refused first, in plain words that name the field.
And its bindings read some bodies differently, an object with a name that comes twice for one. So
they are handed what was read here, written anew.
"""

import re
from collections.abc import Awaitable, Callable
from typing import Any, Final

import orjson
from a2a.server.request_handlers import RequestHandler
from a2a.server.request_handlers.response_helpers import build_error_response
from a2a.server.routes import create_jsonrpc_routes, create_rest_routes
from a2a.server.routes.jsonrpc_dispatcher import JsonRpcDispatcher
from a2a.types import SendMessageRequest, TaskPushNotificationConfig
from a2a.utils.error_handlers import build_rest_error_payload
from a2a.utils.errors import A2AError, InvalidParamsError
from google.protobuf.json_format import ParseDict
from google.protobuf.message import Message
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import Message as ASGIMessage
from starlette.types import Receive

from casino_agentkit.agent import DATA_LEVELS
from casino_agentkit.bounds import is_deeper
from casino_agentkit.errors import Violation
from casino_agentkit.protocol import REST_PATH, RPC_PATH
from casino_agentkit.server.handler import invalid
from casino_agentkit.server.typed_call import too_deep

Endpoint = Callable[[Request], Awaitable[Response]]
Reader = Callable[[bytes], Response | bytes]
"""Returns a body as it was read, or the refusal of one that cannot be read."""

_NO_JSON: Final = "The body cannot be read: send one JSON object, in UTF-8."
_PARSE_ERROR: Final = -32700
_AROUND: Final = len(("envelope", "params", "message", "parts", "part", "input"))
"""Levels around the data, where its skill stands beside it.

protobuf, the SDK's own reader and orjson's writer take more than all.
"""
_FIELD = re.compile(r"Failed to parse (\w+) field")
_REST_MESSAGES: Final = {
    "/message:send": SendMessageRequest,
    "/message:stream": SendMessageRequest,
    "/tasks/{id}/pushNotificationConfigs": TaskPushNotificationConfig,
}


def sdk_routes(
    handler: RequestHandler, base_path: str, data_levels: int = DATA_LEVELS
) -> list[BaseRoute]:
    """Return JSON-RPC with and without a slash at the end, and HTTP+JSON, of one agent.

    Data may have so many levels of objects and lists.
    """
    rpc = base_path + RPC_PATH
    # Some clients append a slash; a redirect would lose them.
    jsonrpc = [
        _behind(_rpc_reader(data_levels), route)
        for path in (rpc, rpc + "/")
        for route in create_jsonrpc_routes(handler, path)
    ]
    rest: list[BaseRoute] = [
        _behind(_rest_reader(route, data_levels), route)
        for route in create_rest_routes(handler)
        if isinstance(route, Route)
    ]
    # Mounted, because the SDK's own prefix would leave its tenants' paths at the root, where they
    # catch every address of two parts.
    return [*jsonrpc, Mount(base_path + REST_PATH, routes=[*rest, Mount("/{tenant}", routes=rest)])]


def _behind(read: Reader, route: Route) -> Route:
    endpoint: Endpoint = route.endpoint

    async def read_first(request: Request) -> Response:
        body = read(await request.body())
        if isinstance(body, Response):
            return body
        return await endpoint(Request(request.scope, _handing_on(body, request.receive)))

    return Route(route.path, read_first, methods=list(route.methods or ()))


def _handing_on(body: bytes, receive: Receive) -> Receive:
    """Return the body, then what follows it: the disconnect that a stream waits for."""
    first: list[ASGIMessage] = [{"type": "http.request", "body": body, "more_body": False}]

    async def received() -> ASGIMessage:
        return first.pop() if first else await receive()

    return received


def _rpc_reader(levels: int) -> Reader:
    def read(body: bytes) -> Response | bytes:
        try:
            envelope = orjson.loads(body)
        except orjson.JSONDecodeError:
            error = {"code": _PARSE_ERROR, "message": _NO_JSON}
            return JSONResponse({"jsonrpc": "2.0", "id": None, "error": error})
        if is_deeper(envelope, levels + _AROUND):
            return _rpc_error(envelope, invalid(too_deep(levels).violations))
        method = envelope.get("method") if isinstance(envelope, dict) else None
        model = JsonRpcDispatcher.METHOD_TO_MODEL.get(method) if isinstance(method, str) else None
        if model is None:
            return body  # a fault of the envelope, which the SDK names
        params = envelope.get("params", {})
        if not isinstance(params, dict):
            return _rpc_error(envelope, invalid((Violation("params", "must be an object"),)))
        if fault := _fault_in(params, model()):
            return _rpc_error(envelope, fault)
        return orjson.dumps(envelope)

    return read


def _rest_reader(route: Route, levels: int) -> Reader:
    model = _REST_MESSAGES.get(route.path) if "POST" in (route.methods or ()) else None

    def read(body: bytes) -> Response | bytes:
        if model is None:
            return body
        try:
            content = orjson.loads(body)
        except orjson.JSONDecodeError:
            content = None
        if not isinstance(content, dict):
            return _rest_error(InvalidParamsError(_NO_JSON))
        if is_deeper(content, levels + _AROUND):
            return _rest_error(invalid(too_deep(levels).violations))
        fault = _fault_in(content, model())
        return orjson.dumps(content) if fault is None else _rest_error(fault)

    return read


def _rpc_error(envelope: Any, fault: A2AError) -> Response:
    return JSONResponse(build_error_response(_id_of(envelope), fault))


def _rest_error(fault: A2AError) -> Response:
    return JSONResponse(build_rest_error_payload(fault), status_code=400)


def _fault_in(content: dict[str, Any], message: Message) -> InvalidParamsError | None:
    """Return which field of a message cannot be read, None if all can be."""
    try:
        ParseDict(content, message, ignore_unknown_fields=True)
    except Exception as error:  # noqa: BLE001  protobuf's own reader raises of all kinds
        field = ".".join(_FIELD.findall(str(error)))
        told = "cannot be read: A2A has another type here"
        return invalid((Violation(field, told),))
    return None


def _id_of(envelope: Any) -> str | int | None:
    request_id = envelope.get("id") if isinstance(envelope, dict) else None
    is_right = isinstance(request_id, str | int) and not isinstance(request_id, bool)
    return request_id if is_right else None
