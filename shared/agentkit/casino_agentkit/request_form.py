"""Bodies of requests that the SDK cannot read in order: nested too deep, or no JSON and long. Pure.

The SDK answers them in Python's own words, or with an internal error.
"""

from typing import Final, Literal, NamedTuple

import orjson

from casino_agentkit.bounds import is_deeper

LEVELS: Final = 64
"""Levels of objects and lists in a body: an A2A envelope, and 32 levels of data with room."""
JSON_RPC: Final = "JSONRPC"
REST: Final = "HTTP+JSON"


class FormFault(NamedTuple):
    """Why a body is refused: a JSON-RPC code, and words for whoever wrote it."""

    code: int
    message: str

    def body(self, binding: Literal["JSONRPC", "HTTP+JSON"]) -> bytes:
        """Return the error as a binding writes it; over HTTP+JSON its status is 400."""
        if binding == JSON_RPC:
            error = {"code": self.code, "message": self.message}
            return orjson.dumps({"jsonrpc": "2.0", "id": None, "error": error})
        error = {"code": 400, "status": "INVALID_ARGUMENT", "message": self.message}
        return orjson.dumps({"error": error})


_NO_JSON: Final = FormFault(
    -32700, f"The body is no JSON, or nested deeper than {LEVELS} levels: send a JSON object."
)
_TOO_DEEP: Final = FormFault(
    -32600, f"The body is nested deeper than {LEVELS} levels: nest it less."
)


def form_fault(body: bytes) -> FormFault | None:
    """Return why a body is refused unread; None: it may be handed on.

    >>> form_fault(b"[" * 100 + b"]" * 100).code
    -32600
    """
    if body.count(b"{") + body.count(b"[") <= LEVELS:  # it cannot be deeper
        return None
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        return _NO_JSON
    return _TOO_DEEP if is_deeper(value, LEVELS) else None
