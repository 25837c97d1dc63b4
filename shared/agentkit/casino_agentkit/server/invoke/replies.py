"""Replies of the invoke profile: the output of an entrypoint, and errors with a code."""

import re
from collections.abc import Iterator
from typing import Any, Final
from uuid import uuid4

import orjson
from starlette.responses import Response

from casino_agentkit.errors import KitReason
from casino_agentkit.server.calls.failure import CallFailure, FailureKind

_MEDIA_TYPE: Final = "application/json; charset=utf-8"
_BEARER: Final = {"www-authenticate": "Bearer"}
_REFUSED: Final = (409, "refused")
_REFUSALS: Final = {
    KitReason.UNAUTHORIZED.value: (401, "unauthorized"),
    KitReason.FORBIDDEN.value: (403, "forbidden"),
}
"""Status and code of a refusal by its reason; `_REFUSED` for all others."""
_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,6}")
"""A part of a fault's path that is the index of an item: a key of many digits is a name."""
_ISSUE: Final = "custom"
"""The code of a fault that the profile's own codes (those of Zod) do not describe."""


def succeeded(output: bytes) -> Response:
    """Return the reply with an output, which is JSON."""
    head = b'{"run_id":"%b","status":"succeeded","output":' % str(uuid4()).encode()
    return _response(200, head + output + b"}")


def listing(items: list[dict[str, Any]]) -> Response:
    """Return the reply with the entrypoints of an agent."""
    return _response(200, orjson.dumps({"items": items}))


def failed(status: int, code: str, **further: object) -> Response:
    """Return an error with its code; `further` are other members of the error."""
    return _response(status, orjson.dumps({"error": {"code": code, **further}}))


def refused(failure: CallFailure) -> Response:
    """Return the reply to a call that failed: invalid, refused, or an internal error.

    A refusal has the reason of the entrypoint, which the profile does not know, as `reason`.
    """
    metadata = failure.metadata or {}
    issues = list(_issues(metadata.get("errors") or []))
    if failure.kind is FailureKind.INVALID:
        return failed(400, "invalid_input", message=failure.message, issues=issues)
    if failure.kind is FailureKind.FAILED:
        return failed(500, "internal_error", message=failure.message)
    reason = metadata.get("reason")
    status, code = _REFUSALS.get(str(reason), _REFUSED)
    further: dict[str, object] = {"message": failure.message}
    if reason:
        further["reason"] = reason
    if details := {key: metadata[key] for key in metadata if key not in {"reason", "errors"}}:
        further["details"] = details
    if issues:
        further["issues"] = issues
    response = failed(status, code, **further)
    if code == "unauthorized":
        response.headers.update(_BEARER)
    return response


def _issues(faults: list[dict[str, str]]) -> Iterator[dict[str, object]]:
    """Yield faults in the form of the profile: the path as a list, with indexes as numbers."""
    for fault in faults:
        parts = fault["field"].split(".")
        path = [int(part) if _INDEX.fullmatch(part) else part for part in parts]
        yield {
            "code": _ISSUE,
            "path": path if fault["field"] else [],
            "message": fault["message"],
        }


def _response(status: int, body: bytes) -> Response:
    return Response(body, status_code=status, headers={"content-type": _MEDIA_TYPE})
