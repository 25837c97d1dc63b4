"""All encodings of a typed call; attacks are tried over each of them."""

import secrets
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import quote

import orjson

EXTENSION = "urn:a2a-casino:typed-entrypoints:v1"
HEADERS = {
    "content-type": "application/json",
    "A2A-Version": "1.0",
    "A2A-Extensions": EXTENSION,
}
RPC_PATH, _REST = "/a2a/jsonrpc", "/a2a/rest"
_INVOKE = "/entrypoints/{skill}/invoke"
CAPABILITY = "capability"
FILL = "@fill@"
"""Placeholder in data for raw JSON that a JSON library would not write."""

Json = dict[str, Any]


class Binding(NamedTuple):
    """An encoding of a call: the path below the agent's base URL, and the body."""

    name: str
    path: str
    body: Callable[[str, Any], Json]
    takes_every_token: bool = False
    """Whether all tokens are tried over it, not only the first."""

    def path_of(self, skill: str) -> str:
        """Return the path of a call of a skill."""
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
    Binding("fast JSON-RPC", RPC_PATH, _plain, takes_every_token=True),
    Binding("JSON-RPC with a slash", RPC_PATH + "/", _plain),
    Binding(
        "the SDK's JSON-RPC",
        RPC_PATH,
        lambda skill, data: _rpc(
            "SendMessage", _message(skill, data), configuration={"historyLength": 0}
        ),
    ),
    Binding(
        "JSON-RPC of a tenant",
        RPC_PATH,
        lambda skill, data: _rpc("SendMessage", _message(skill, data), tenant="mallory"),
    ),
    Binding(
        "streaming JSON-RPC",
        RPC_PATH,
        lambda skill, data: _rpc("SendStreamingMessage", _message(skill, data)),
    ),
    Binding("JSON-RPC with a text", RPC_PATH, _text),
    Binding("JSON-RPC with a skillId", RPC_PATH, _skill_id),
    Binding("HTTP+JSON", _REST + "/message:send", _whole, takes_every_token=True),
    Binding("streaming HTTP+JSON", _REST + "/message:stream", _whole),
    Binding("HTTP+JSON of a tenant", _REST + "/mallory/message:send", _whole),
    Binding(CAPABILITY, RPC_PATH, _plain, takes_every_token=True),
    Binding(CAPABILITY + " over HTTP+JSON", _REST + "/message:send", _whole),
    Binding("invoke", _INVOKE, _input),
    Binding(CAPABILITY + " over invoke", _REST + _INVOKE, _input),
)


def filled(body: bytes, fill: bytes) -> bytes:
    """Return a body with `fill` in place of the quoted FILL, also within a JSON string."""
    if not fill:
        return body
    quoted = b'\\"' + FILL.encode() + b'\\"'
    body = body.replace(quoted, fill.replace(b'"', b'\\"'))
    return body.replace(b'"' + FILL.encode() + b'"', fill)
