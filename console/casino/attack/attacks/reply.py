"""Classify a response by how far its request got: authorization, validation, use case."""

from enum import Enum
from typing import Any, NamedTuple

import orjson
from casino_agentkit import KitReason
from casino_contracts import Reason

from casino.attack.attacks.traffic import Answer

_NO_RIGHT = {KitReason.UNAUTHORIZED, KitReason.FORBIDDEN, Reason.OPERATOR_ONLY}
_NOT_HERE = {KitReason.UNSUPPORTED_OPERATION}
_INVALID_REQUEST, _NO_METHOD, _INVALID_PARAMS = -32600, -32601, -32602
_INTERNAL = -32603
_INVOKE_INVALID = {"invalid_input", "invalid_request"}
_INVOKE_ABSENT = {"entrypoint_not_found", "stream_not_supported"}
_DENIED = {401, 403, 415, 421}
_LIMITED = {408, 413, 414, 429, 431}
_ABSENT = {404, 405}
_BAD_REQUEST, _INVALID, _SERVER_FAULT = 400, 422, 500


class Depth(Enum):
    """How far a request got."""

    ANSWERED = "answered"
    DECLINED = "declined"
    """Refused by the use case, after authorization."""
    DENIED = "denied"
    """Refused by authorization."""
    LIMITED = "limited"
    """Refused because of its rate or size."""
    UNREAD = "unread"
    """The message does not match the schema."""
    ABSENT = "absent"
    """The address or method does not exist."""
    FAILED = "failed"
    """No answer, or a server error."""


class Reply(NamedTuple):
    """How far a request got, the reason code, and the data of an answer."""

    depth: Depth
    reason: str = ""
    data: Any = None

    @property
    def was_let_in(self) -> bool:
        """Whether the caller passed authorization."""
        return self.depth in {Depth.ANSWERED, Depth.DECLINED}


def read_a2a(answer: Answer) -> Reply:
    """Classify the answer of any A2A binding, or of the invoke profile."""
    content = _json(answer.body)
    error = content.get("error")
    if isinstance(error, dict) and answer.status not in _LIMITED:
        return _invoke_error(error) if isinstance(error.get("code"), str) else _error(error)
    if answer.status >= _BAD_REQUEST:
        return Reply(_depth_of_status(answer.status), f"HTTP {answer.status}")
    if "run_id" in content:
        return Reply(Depth.ANSWERED, data=content.get("output"))
    result = content.get("result", content)
    message = result.get("message") if isinstance(result, dict) else None
    parts = message.get("parts") if isinstance(message, dict) else None
    if not isinstance(parts, list):
        return Reply(Depth.FAILED, "no A2A answer")
    data = [part["data"] for part in parts if isinstance(part, dict) and "data" in part]
    return Reply(Depth.ANSWERED, data=data[0] if data else None)


def _depth_of_status(status: int) -> Depth:
    """Return how far a request got whose answer has only an HTTP status."""
    if status in _LIMITED:
        return Depth.LIMITED
    if status in _ABSENT:
        return Depth.ABSENT
    return Depth.FAILED if status >= _SERVER_FAULT else Depth.DENIED


def read_rest(answer: Answer) -> Reply:
    """Classify an answer of the lobby's REST API."""
    content = _json(answer.body)
    reason = _word(content.get("reason")) or f"HTTP {answer.status}"
    if answer.status < _BAD_REQUEST:
        return Reply(Depth.ANSWERED, reason, content)
    if answer.status in _DENIED or reason in _NO_RIGHT:
        return Reply(Depth.DENIED, reason)
    if answer.status == _INVALID and not content.get("reason"):
        return Reply(Depth.UNREAD, reason)
    if answer.status in _LIMITED:
        return Reply(Depth.LIMITED, reason)
    if answer.status >= _SERVER_FAULT and not content.get("reason"):
        return Reply(Depth.FAILED, reason)
    return Reply(Depth.DECLINED, reason, content)


def _error(error: dict[str, Any]) -> Reply:
    """Classify an error of JSON-RPC or of HTTP+JSON, which have the same details."""
    code = error.get("code")
    details = error.get("data") or error.get("details") or []
    reasons = [_reason(detail) for detail in details if isinstance(detail, dict)]
    reason = next(filter(None, reasons), "")
    if reason in _NO_RIGHT:
        return Reply(Depth.DENIED, reason)
    if code == _INTERNAL:
        return Reply(Depth.FAILED, "an internal error")
    if code in {_INVALID_REQUEST, _NO_METHOD} or reason in _NOT_HERE:
        return Reply(Depth.ABSENT, reason)
    is_unread = code == _INVALID_PARAMS or error.get("status") == "INVALID_ARGUMENT"
    if is_unread or not reason:
        return Reply(Depth.UNREAD, reason)
    return Reply(Depth.DECLINED, reason)


def _invoke_error(error: dict[str, Any]) -> Reply:
    """Classify an error of the invoke profile."""
    code, reason = error["code"], _word(error.get("reason"))
    if reason in _NO_RIGHT:
        return Reply(Depth.DENIED, reason)
    if code in _INVOKE_INVALID:
        return Reply(Depth.UNREAD, reason)
    if code in _INVOKE_ABSENT:
        return Reply(Depth.ABSENT, reason)
    return Reply(Depth.DECLINED if reason else Depth.FAILED, reason or "an internal error")


def _reason(detail: dict[str, Any]) -> str:
    metadata = detail.get("metadata")
    reason = metadata.get("reason") if isinstance(metadata, dict) else None
    return _word(reason) or _word(detail.get("reason"))


def _word(reason: Any) -> str:
    """Return a reason code if it consists of upper-case letters and underscores, else ""."""
    is_word = isinstance(reason, str) and len(reason) <= 40 and reason.replace("_", "").isalpha()  # noqa: PLR2004
    return reason if is_word and reason.isascii() and reason.isupper() else ""


def _json(body: bytes) -> dict[str, Any]:
    try:
        content = orjson.loads(body)
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}
