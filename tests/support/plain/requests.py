"""Requests with typed calls as bytes, and responses without what differs from one to the next."""

import json
import re
from collections.abc import Sequence
from typing import Any, Final

from casino_agentkit.protocol import EXTENSION, RPC_PATH

HEADERS: Final = (
    "Host: 127.0.0.1",
    "Content-Type: application/json",
    "A2A-Version: 1.0",
    f"A2A-Extensions: {EXTENSION}",
)
_DATE: Final = re.compile(rb"(?m)^date: [^\r]*")
_GENERATED: Final = re.compile(rb'"(?:message|context)Id": ?"([0-9a-f]{16}[0-9a-f]+)"')
_OF_TASKS: Final = re.compile(
    rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*Z"
)
"""Ids and times of the SDK."""
_LENGTH: Final = re.compile(rb"(?m)^content-length: \d+")


def envelope(skill: str, data: Any, call_id: Any = "a", **message: Any) -> dict[str, Any]:
    return {
        "jsonrpc": "2.0",
        "id": call_id,
        "method": "SendMessage",
        "params": {
            "message": {
                "messageId": "m",
                "role": "ROLE_USER",
                "extensions": [EXTENSION],
                "metadata": {EXTENSION: {"skill": skill}},
                "parts": [{"data": data, "mediaType": "application/json"}],
                **message,
            }
        },
    }


def head(
    *more: str, path: str = RPC_PATH, method: str = "POST", headers: Sequence[str] = HEADERS
) -> str:
    """Return the head of a call without the length of its body."""
    return "".join(f"{line}\r\n" for line in (f"{method} {path} HTTP/1.1", *headers, *more))


def with_body(begin: str, body: bytes, name: str = "Content-Length") -> bytes:
    """Return a whole request."""
    return begin.encode("latin-1") + b"%b: %d\r\n\r\n" % (name.encode(), len(body)) + body


def call(skill: str, data: Any = None, *headers: str, path: str = RPC_PATH) -> bytes:
    """Return a whole request with a plain call, with more headers."""
    body = json.dumps(envelope(skill, {} if data is None else data)).encode()
    return with_body(head(*headers, path=path), body)


def without_ids(responses: bytes) -> bytes:
    """Return responses without dates and generated ids, which may have any length."""
    responses = _OF_TASKS.sub(b"OF-TASK", responses)
    for found in set(_GENERATED.findall(responses)):
        responses = responses.replace(b'"%b"' % found, b'"ID"')
    return _LENGTH.sub(b"content-length: N", _DATE.sub(b"date: D", responses))


def data_of(response: bytes) -> Any:
    head, _, body = response.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 "), response
    return json.loads(body)["result"]["message"]["parts"][0]["data"]
