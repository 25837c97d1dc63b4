"""Requests of A2A 0.3 over JSON-RPC, checked before the SDK converts them to 1.0.

The SDK answers some invalid ones with an internal error or with Python's words.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from a2a.compat.v0_3 import conversions
from a2a.compat.v0_3.jsonrpc_adapter import JSONRPC03Adapter
from pydantic import ValidationError
from starlette.responses import JSONResponse, Response

from casino_agentkit.errors import Violation
from casino_agentkit.protocol import OLDER_VERSION, VERSION_HEADER
from casino_agentkit.server.handler import invalid
from casino_agentkit.violations import violations_of

_OLDER: Final = re.compile(r"0(\.\d{1,3}){1,2}")
_METHOD_NOT_FOUND: Final = -32601
_INVALID_PARAMS: Final = -32602
_CONVERSIONS: Final[Mapping[str, Callable[[Any], object]]] = {
    "message/send": conversions.to_core_send_message_request,
    "message/stream": conversions.to_core_send_message_request,
    "tasks/pushNotificationConfig/set": (
        conversions.to_core_create_task_push_notification_config_request
    ),
}


def is_older_method(method: str) -> bool:
    """Return whether a JSON-RPC method is one of A2A 0.3."""
    return method in JSONRPC03Adapter.METHOD_TO_MODEL


def older_refusal(envelope: dict[str, Any], method: str, version: str) -> Response | None:
    """Return the refusal of a request that the SDK cannot convert, None if it can.

    `version` is that of the header, "" if it states none. Another one has no such method.
    """
    if version and not _OLDER.fullmatch(version):
        message = f"{method} is a method of A2A {OLDER_VERSION}, which {VERSION_HEADER} must state"
        return _error(envelope, {"code": _METHOD_NOT_FOUND, "message": message})
    model: Any = JSONRPC03Adapter.METHOD_TO_MODEL[method]
    try:
        request = model.model_validate(envelope)
    except ValidationError as error:
        return _refusal(envelope, violations_of(error))
    try:
        if method in _CONVERSIONS:
            _CONVERSIONS[method](request)
    except Exception:  # noqa: BLE001  protobuf's parser and base64 raise any exception
        fault = Violation("params", "cannot be read: A2A 0.3 requires another type")
        return _refusal(envelope, (fault,))
    return None


def _refusal(envelope: dict[str, Any], violations: tuple[Violation, ...]) -> Response:
    fault = invalid(violations)
    error = {"code": _INVALID_PARAMS, "message": fault.message, "data": fault.data}
    return _error(envelope, error)


def _error(envelope: dict[str, Any], error: dict[str, Any]) -> Response:
    request_id = envelope.get("id")
    is_right = isinstance(request_id, str | int) and not isinstance(request_id, bool)
    return JSONResponse({"jsonrpc": "2.0", "id": request_id if is_right else None, "error": error})
