"""A typed call in all encodings that an attack tries, and the judgement of the reply."""

import secrets
from collections.abc import Callable
from enum import Enum
from typing import Any, NamedTuple
from urllib.parse import quote

import orjson
from casino_agentkit import KitReason
from casino_contracts import Reason

from casino.attack.attack_traffic import TrafficAnswer

EXTENSION = "urn:a2a-casino:typed-entrypoints:v1"
HEADERS = {"content-type": "application/json", "A2A-Version": "1.0", "A2A-Extensions": EXTENSION}
RPC_PATH, _REST = "/a2a/jsonrpc", "/a2a/rest"
_INVOKE = "/entrypoints/{skill}/invoke"
CAPABILITY = "capability"
FILL = "@fill@"
"""Placeholder in data for raw JSON that a JSON library would not write."""

Json = dict[str, Any]


class TriedBinding(NamedTuple):
    """An encoding of a call: the path below the agent's base URL, and the body."""

    name: str
    path: str
    body: Callable[[str, Any], Json]
    takes_every_token: bool = False
    """Whether all tokens are tried over it, not only the first."""

    def path_of(self, skill: str) -> str:
        return self.path.replace("{skill}", quote(skill, safe=""))


def _message(skill: str, data: Any) -> Json:
    return {
        "messageId": secrets.token_hex(8),
        "role": "ROLE_USER",
        "extensions": [EXTENSION],
        "metadata": {EXTENSION: {"skill": skill}},
        "parts": [{"data": data, "mediaType": "application/json"}],
    }


def _rpc(method: str, message: Json, **params: Any) -> Json:
    params = {**params, "message": message}
    return {"jsonrpc": "2.0", "id": "1", "method": method, "params": params}


def _plain(skill: str, data: Any) -> Json:
    return _rpc("SendMessage", _message(skill, data))


def _text(skill: str, data: Any) -> Json:
    text = orjson.dumps({"skill": skill, "input": data}).decode()
    message = {"messageId": secrets.token_hex(8), "role": "ROLE_USER", "parts": [{"text": text}]}
    return _rpc("SendMessage", message)


def _skill_id(skill: str, data: Any) -> Json:
    message = {**_message(skill, data), "metadata": {"skillId": skill}}
    del message["extensions"]
    return _rpc("SendMessage", message)


def _whole(skill: str, data: Any) -> Json:
    return {"message": _message(skill, data)}


def _input(_skill: str, data: Any) -> Json:
    return {"input": data}


BINDINGS = (
    TriedBinding("fast JSON-RPC", RPC_PATH, _plain, takes_every_token=True),
    TriedBinding("JSON-RPC with a slash", RPC_PATH + "/", _plain),
    TriedBinding(
        "the SDK's JSON-RPC",
        RPC_PATH,
        lambda skill, data: _rpc(
            "SendMessage", _message(skill, data), configuration={"historyLength": 0}
        ),
    ),
    TriedBinding(
        "JSON-RPC of a tenant",
        RPC_PATH,
        lambda skill, data: _rpc("SendMessage", _message(skill, data), tenant="mallory"),
    ),
    TriedBinding(
        "streaming JSON-RPC",
        RPC_PATH,
        lambda skill, data: _rpc("SendStreamingMessage", _message(skill, data)),
    ),
    TriedBinding("JSON-RPC with a text", RPC_PATH, _text),
    TriedBinding("JSON-RPC with a skillId", RPC_PATH, _skill_id),
    TriedBinding("HTTP+JSON", _REST + "/message:send", _whole, takes_every_token=True),
    TriedBinding("streaming HTTP+JSON", _REST + "/message:stream", _whole),
    TriedBinding("HTTP+JSON of a tenant", _REST + "/mallory/message:send", _whole),
    TriedBinding(CAPABILITY, RPC_PATH, _plain, takes_every_token=True),
    TriedBinding(CAPABILITY + " over HTTP+JSON", _REST + "/message:send", _whole),
    TriedBinding("invoke", _INVOKE, _input),
    TriedBinding(CAPABILITY + " over invoke", _REST + _INVOKE, _input),
)


def filled(body: bytes, fill: bytes) -> bytes:
    """Return a body with `fill` in place of the quoted FILL, also within a JSON string."""
    if not fill:
        return body
    quoted = b'\\"' + FILL.encode() + b'\\"'
    body = body.replace(quoted, fill.replace(b'"', b'\\"'))
    return body.replace(b'"' + FILL.encode() + b'"', fill)


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


class TriedReply(NamedTuple):
    """How far a request got, the reason code, and the data of an answer."""

    depth: Depth
    reason: str = ""
    data: Any = None

    @property
    def was_let_in(self) -> bool:
        return self.depth in {Depth.ANSWERED, Depth.DECLINED}


def read_a2a(answer: TrafficAnswer) -> TriedReply:
    """Classify the answer of any A2A binding, or of the invoke profile."""
    content = _json(answer.body)
    error = content.get("error")
    if isinstance(error, dict) and answer.status not in _LIMITED:
        return _invoke_error(error) if isinstance(error.get("code"), str) else _error(error)
    if answer.status >= _BAD_REQUEST:
        return TriedReply(_depth_of_status(answer.status), f"HTTP {answer.status}")
    if "run_id" in content:
        return TriedReply(Depth.ANSWERED, data=content.get("output"))
    result = content.get("result", content)
    message = result.get("message") if isinstance(result, dict) else None
    parts = message.get("parts") if isinstance(message, dict) else None
    if not isinstance(parts, list):
        return TriedReply(Depth.FAILED, "no A2A answer")
    data = [part["data"] for part in parts if isinstance(part, dict) and "data" in part]
    return TriedReply(Depth.ANSWERED, data=data[0] if data else None)


def _depth_of_status(status: int) -> Depth:
    if status in _LIMITED:
        return Depth.LIMITED
    if status in _ABSENT:
        return Depth.ABSENT
    return Depth.FAILED if status >= _SERVER_FAULT else Depth.DENIED


def read_rest(answer: TrafficAnswer) -> TriedReply:
    content = _json(answer.body)
    reason = _word(content.get("reason")) or f"HTTP {answer.status}"
    if answer.status < _BAD_REQUEST:
        return TriedReply(Depth.ANSWERED, reason, content)
    if answer.status in _DENIED or reason in _NO_RIGHT:
        return TriedReply(Depth.DENIED, reason)
    if answer.status == _INVALID and not content.get("reason"):
        return TriedReply(Depth.UNREAD, reason)
    if answer.status in _LIMITED:
        return TriedReply(Depth.LIMITED, reason)
    if answer.status >= _SERVER_FAULT and not content.get("reason"):
        return TriedReply(Depth.FAILED, reason)
    return TriedReply(Depth.DECLINED, reason, content)


def _error(error: dict[str, Any]) -> TriedReply:
    code = error.get("code")
    details = error.get("data") or error.get("details") or []
    reasons = [_reason(detail) for detail in details if isinstance(detail, dict)]
    reason = next(filter(None, reasons), "")
    if reason in _NO_RIGHT:
        return TriedReply(Depth.DENIED, reason)
    if code == _INTERNAL:
        return TriedReply(Depth.FAILED, "an internal error")
    if code in {_INVALID_REQUEST, _NO_METHOD} or reason in _NOT_HERE:
        return TriedReply(Depth.ABSENT, reason)
    is_unread = code == _INVALID_PARAMS or error.get("status") == "INVALID_ARGUMENT"
    if is_unread or not reason:
        return TriedReply(Depth.UNREAD, reason)
    return TriedReply(Depth.DECLINED, reason)


def _invoke_error(error: dict[str, Any]) -> TriedReply:
    code, reason = error["code"], _word(error.get("reason"))
    if reason in _NO_RIGHT:
        return TriedReply(Depth.DENIED, reason)
    if code in _INVOKE_INVALID:
        return TriedReply(Depth.UNREAD, reason)
    if code in _INVOKE_ABSENT:
        return TriedReply(Depth.ABSENT, reason)
    return TriedReply(Depth.DECLINED if reason else Depth.FAILED, reason or "an internal error")


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
