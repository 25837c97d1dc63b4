"""Routes of the SDK for an agent, with a common validation of the body, and amended replies.

The SDK responds to some invalid bodies with an internal error or a Python message: invalid UTF-8,
half a surrogate pair, NaN, an integer of 5,000 digits, a number instead of an object, some requests
of A2A 0.3. Here such a body is refused first, with a message that names the field. The SDK's
bindings also parse some bodies differently, such as an object with a duplicate key. So they get the
body serialised again.
It writes the doubles of protobuf's `Value`: 200 as `200.0`, which typed readers refuse. And it
answers a wrong media type with status 400; A2A 1.0, section 5.4, requires 415.
"""

import re
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from http import HTTPStatus
from typing import Any, Final, cast

import orjson
from a2a.compat.v0_3 import conversions, jsonrpc_adapter
from a2a.compat.v0_3.jsonrpc_adapter import JSONRPC03Adapter
from a2a.server.request_handlers import RequestHandler
from a2a.server.request_handlers.response_helpers import build_error_response
from a2a.server.routes import create_jsonrpc_routes, create_rest_routes
from a2a.server.routes.jsonrpc_dispatcher import JsonRpcDispatcher
from a2a.types import SendMessageRequest, TaskPushNotificationConfig
from a2a.utils.error_handlers import build_rest_error_payload
from a2a.utils.errors import (
    JSON_RPC_ERROR_CODE_MAP,
    A2AError,
    ContentTypeNotSupportedError,
    InvalidParamsError,
    InvalidRequestError,
    VersionNotSupportedError,
)
from google.protobuf.json_format import ParseDict
from google.protobuf.message import Message
from pydantic import ValidationError
from sse_starlette.event import ServerSentEvent
from sse_starlette.sse import EventSourceResponse
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import Message as ASGIMessage
from starlette.types import Receive

from casino_agentkit.accepted_json import is_deeper, shown, whole_numbers
from casino_agentkit.agent import DATA_LEVELS
from casino_agentkit.errors import Violation
from casino_agentkit.protocol import OLDER_VERSION, REST_PATH, RPC_PATH, VERSION, VERSION_HEADER
from casino_agentkit.server.call_execution import too_deep
from casino_agentkit.server.sdk.handler import invalid
from casino_agentkit.server.sdk.message_reading import check_body_type
from casino_agentkit.server.sdk.sdk_callers import CallContextBuilder
from casino_agentkit.violations import violations_of

_OLDER: Final = re.compile(r"0(\.\d{1,3}){1,2}")
_CURRENT: Final = re.compile(r"1(\.\d{1,3}){0,2}")
_VERSION_SHOWN: Final = 16
_METHOD_NOT_FOUND: Final = -32601
_INVALID_PARAMS: Final = -32602
_CONVERSIONS: Final[Mapping[str, Callable[[Any], object]]] = {
    "message/send": conversions.to_core_send_message_request,
    "message/stream": conversions.to_core_send_message_request,
    "tasks/pushNotificationConfig/set": (
        conversions.to_core_create_task_push_notification_config_request
    ),
}


# The SDK answers the errors that 0.3 does not have, such as a required extension that is not
# activated, as internal ones. Both versions have the same codes here.
jsonrpc_adapter._V03_ERROR_CODES = frozenset(JSON_RPC_ERROR_CODE_MAP.values())  # noqa: SLF001


def is_older_method(method: str) -> bool:
    return method in JSONRPC03Adapter.METHOD_TO_MODEL


def older_refusal(envelope: dict[str, Any], method: str, version: str) -> Response | None:
    """Return the refusal of what the SDK cannot convert; `version` is the header's, or ""."""
    if version and not _OLDER.fullmatch(version):
        if not _CURRENT.fullmatch(version):
            return _rpc_error(envelope, VersionNotSupportedError(_no_version(version)))
        message = f"{method} is a method of A2A {OLDER_VERSION}, which {VERSION_HEADER} must state"
        return _error(envelope, {"code": _METHOD_NOT_FOUND, "message": message})
    model: Any = JSONRPC03Adapter.METHOD_TO_MODEL[method]
    try:
        request = model.model_validate(envelope)
    except ValidationError as error:
        violations = violations_of(error, data=envelope)
        if any(not fault.field.startswith("params") for fault in violations):
            return _rpc_error(envelope, InvalidRequestError(invalid(violations).message))
        return _refusal(envelope, violations)
    try:
        if method in _CONVERSIONS:
            _CONVERSIONS[method](request)
    except Exception:  # noqa: BLE001  protobuf's parser and base64 raise any exception
        fault = Violation("params", "cannot be read: A2A 0.3 requires another type")
        return _refusal(envelope, (fault,))
    return None


def _no_version(version: str) -> str:
    stated = shown(version, _VERSION_SHOWN)
    return f"A2A version '{stated}' is not supported: send {VERSION} or {OLDER_VERSION}"


def _refusal(envelope: dict[str, Any], violations: tuple[Violation, ...]) -> Response:
    fault = invalid(violations)
    error = {"code": _INVALID_PARAMS, "message": fault.message, "data": fault.data}
    return _error(envelope, error)


def _error(envelope: dict[str, Any], error: dict[str, Any]) -> Response:
    request_id = envelope.get("id")
    is_right = isinstance(request_id, str | int) and not isinstance(request_id, bool)
    return JSONResponse({"jsonrpc": "2.0", "id": request_id if is_right else None, "error": error})


_WRONG_TYPE: Final = b"CONTENT_TYPE_NOT_SUPPORTED"


def amended(response: Response) -> Response:
    if isinstance(response, EventSourceResponse):
        response.body_iterator = _events(cast(AsyncGenerator[Any, None], response.body_iterator))
        return response
    body = bytes(response.body)
    if response.status_code == HTTPStatus.BAD_REQUEST and _WRONG_TYPE in body:
        body = _with_status(response, orjson.loads(body), body)
    _set_body(response, _restored(body))
    return response


def _with_status(response: Response, content: Any, body: bytes) -> bytes:
    """Set status 415 if it is the error of a wrong media type, and return the body."""
    reasons = [detail.get("reason") for detail in content["error"]["details"]]
    if _WRONG_TYPE.decode() not in reasons:
        return body
    response.status_code = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
    content["error"]["code"] = response.status_code
    return orjson.dumps(content)


def _set_body(response: Response, body: bytes) -> None:
    if body != response.body:
        response.body = body
        response.headers["content-length"] = str(len(body))


def _restored(text: bytes) -> bytes:
    """Return a JSON text with its whole numbers as integers; `.0` in a string changes nothing."""
    if b".0" not in text:
        return text
    return orjson.dumps(whole_numbers(orjson.loads(text)))


async def _events(events: AsyncGenerator[Any, None]) -> AsyncIterator[Any]:
    """Yield server-sent events of the SDK's three kinds, their data amended."""
    async with aclosing(events):
        async for event in events:
            if isinstance(event, ServerSentEvent):
                event.data = _text(event.data)
                yield event
            elif isinstance(event, dict):
                yield event | {"data": _text(event["data"])}
            else:
                yield _text(event)


def _text(data: Any) -> str:
    return _restored(str(data).encode()).decode()


Endpoint = Callable[[Request], Awaitable[Response]]
Reader = Callable[[bytes, Headers], Response | bytes]
"""Returns the body for the SDK, or the refusal of an invalid one; takes body and headers."""

_NO_JSON: Final = "The body cannot be read: send one JSON object, in UTF-8."
_PARSE_ERROR: Final = -32700
_ENVELOPE_LEVELS: Final = len(("envelope", "params", "message", "parts", "part", "input"))
"""Levels around the data if its skill is in the same part.

protobuf, the SDK's parser and orjson's writer support more levels than this and the data's.
"""
_FIELD = re.compile(r"Failed to parse (\w+) field")
_REST_MESSAGES: Final = {
    "/message:send": SendMessageRequest,
    "/message:stream": SendMessageRequest,
    "/tasks/{id}/pushNotificationConfigs": TaskPushNotificationConfig,
}


def sdk_routes(
    handler: RequestHandler, base_path: str, data_levels: int = DATA_LEVELS, *, a2a_03: bool = True
) -> list[BaseRoute]:
    """Return routes of JSON-RPC and HTTP+JSON; `a2a_03` adds the older methods of JSON-RPC."""
    rpc = base_path + RPC_PATH
    # Some clients append a slash and do not follow redirects.
    jsonrpc = [
        _validated(_rpc_reader(data_levels, a2a_03=a2a_03), route)
        for path in (rpc, rpc + "/")
        for route in create_jsonrpc_routes(
            handler, path, CallContextBuilder(), enable_v0_3_compat=a2a_03
        )
    ]
    rest: list[BaseRoute] = [
        _validated(_rest_reader(route, data_levels), route)
        for route in create_rest_routes(handler, CallContextBuilder())
        if isinstance(route, Route)
    ]
    # Mounted, because with the SDK's own prefix the tenants' paths would be at the root and match
    # every path of two segments.
    return [*jsonrpc, Mount(base_path + REST_PATH, routes=[*rest, Mount("/{tenant}", routes=rest)])]


def _validated(read: Reader, route: Route) -> Route:
    endpoint: Endpoint = route.endpoint

    async def read_first(request: Request) -> Response:
        body = read(await request.body(), request.headers)
        if isinstance(body, Response):
            return body
        return amended(await endpoint(Request(request.scope, _with_body(body, request.receive))))

    return Route(route.path, read_first, methods=list(route.methods or ()))


def _with_body(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that yields the body, then continues (for the disconnect)."""
    first: list[ASGIMessage] = [{"type": "http.request", "body": body, "more_body": False}]

    async def received() -> ASGIMessage:
        return first.pop() if first else await receive()

    return received


def _rpc_reader(levels: int, *, a2a_03: bool) -> Reader:
    def read(body: bytes, headers: Headers) -> Response | bytes:
        try:
            envelope = orjson.loads(body)
        except orjson.JSONDecodeError:
            return _unreadable(headers)
        if is_deeper(envelope, levels + _ENVELOPE_LEVELS):
            return _rpc_error(envelope, invalid(too_deep(levels).violations))
        method = envelope.get("method") if isinstance(envelope, dict) else None
        model = JsonRpcDispatcher.METHOD_TO_MODEL.get(method) if isinstance(method, str) else None
        if a2a_03 and isinstance(method, str) and is_older_method(method):
            return older_refusal(envelope, method, headers.get(VERSION_HEADER, "")) or orjson.dumps(
                envelope
            )
        if model is None:
            return body  # the SDK reports faults of the envelope
        if fault := _fault_in(envelope.get("params", {}), model()):
            return _rpc_error(envelope, fault)
        return orjson.dumps(envelope)

    return read


def _rest_reader(route: Route, levels: int) -> Reader:
    model = _REST_MESSAGES.get(route.path) if "POST" in (route.methods or ()) else None

    def read(body: bytes, headers: Headers) -> Response | bytes:
        if model is None:
            return body
        try:
            content = orjson.loads(body)
        except orjson.JSONDecodeError:
            content = None
        if not isinstance(content, dict):
            return _rest_error(_fault_of_type(headers) or InvalidParamsError(_NO_JSON))
        if is_deeper(content, levels + _ENVELOPE_LEVELS):
            return _rest_error(invalid(too_deep(levels).violations))
        fault = _fault_in(content, model())
        return orjson.dumps(content) if fault is None else _rest_error(fault)

    return read


def _unreadable(headers: Headers) -> Response:
    if fault := _fault_of_type(headers):
        return _rpc_error(None, fault)
    error = {"code": _PARSE_ERROR, "message": _NO_JSON}
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": error})


def _rpc_error(envelope: Any, fault: A2AError) -> Response:
    return JSONResponse(build_error_response(_id_of(envelope), fault))


def _rest_error(fault: A2AError) -> Response:
    return amended(JSONResponse(build_rest_error_payload(fault), status_code=400))


def _fault_of_type(headers: Headers) -> ContentTypeNotSupportedError | None:
    try:
        check_body_type(headers.get("content-type", ""))
    except ContentTypeNotSupportedError as fault:
        return fault
    return None


def _fault_in(content: Any, message: Message) -> InvalidParamsError | None:
    if not isinstance(content, dict):
        return invalid((Violation("params", "must be an object"),))
    try:
        ParseDict(content, message, ignore_unknown_fields=True)
    except Exception as error:  # noqa: BLE001  protobuf's parser raises any exception
        field = ".".join(_FIELD.findall(str(error)))
        return invalid((Violation(field, "cannot be read: A2A requires another type"),))
    return None


def _id_of(envelope: Any) -> str | int | None:
    request_id = envelope.get("id") if isinstance(envelope, dict) else None
    is_right = isinstance(request_id, str | int) and not isinstance(request_id, bool)
    return request_id if is_right else None
