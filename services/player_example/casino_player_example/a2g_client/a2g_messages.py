"""Read and write the messages of A2G's WebSocket, one JSON object each. Pure.

A server is not trusted: what a field holds is checked where it is read, and what cannot be read
counts as absent.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

Json = dict[str, Any]
PROTOCOL_VERSION = "1.0"


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a server; unknown fields are left out."""

    type: str
    message_id: str = ""
    payload: Json = field(default_factory=dict, repr=False)
    game_type: str = ""
    table_id: str = ""
    spec_version: str = ""
    timeout_s: float | None = None
    timestamp_ms: float | None = None
    request_id: str = ""
    """Of a question at a gateway of this project, which takes `defaulted` in an answer."""

    @property
    def code(self) -> str:
        """The code of an `error` or a `game_error`, else empty."""
        return _text(self.payload, "code")

    @property
    def related_id(self) -> str:
        """The `messageId` of the message that this one answers, empty if it names none."""
        return _text(self.payload, "relatedMessageId")

    @property
    def text(self) -> str:
        """The explanation of an error, printable and bounded."""
        return "".join(letter for letter in _text(self.payload, "message") if letter.isprintable())


def read_message(frame: str | bytes) -> Message | None:
    """Return the message of a frame, None if it is no A2G message.

    >>> read_message('{"type": "hello", "messageId": "m1", "later": 1}')
    Message(type='hello', message_id='m1', game_type='', table_id='', spec_version='',\
 timeout_s=None, timestamp_ms=None, request_id='')
    """
    try:
        document = json.loads(frame)
    except (ValueError, RecursionError):
        return None
    return message_of(document)


def message_of(document: object) -> Message | None:
    """Return the message in a JSON value, such as an entry of `missedMessages`."""
    if not isinstance(document, dict) or not _text(document, "type"):
        return None
    payload = document.get("payload")
    inner: Json = payload if isinstance(payload, dict) else {}
    return Message(
        type=_text(document, "type"),
        message_id=_text(document, "messageId"),
        payload=inner,
        game_type=_text(document, "gameType"),
        table_id=_text(document, "tableId"),
        spec_version=_text(document, "specVersion") or _text(inner, "specVersion"),
        timeout_s=_number(document, "timeoutSeconds"),
        timestamp_ms=_number(document, "timestamp"),
        request_id=_text(document, "requestId"),
    )


def written(
    kind: str,
    message_id: str,
    payload: Mapping[str, Any],
    *,
    timestamp_ms: int,
    game_type: str = "",
    table_id: str = "",
    extra: Mapping[str, Any] = MappingProxyType({}),
) -> str:
    """Return a message as it is sent; `extra` are further fields of the envelope."""
    place = {"gameType": game_type, "tableId": table_id}
    return json.dumps(
        {
            "type": kind,
            "messageId": message_id,
            "protocolVersion": PROTOCOL_VERSION,
            "timestamp": timestamp_ms,
            **{key: value for key, value in place.items() if value},
            **extra,
            "payload": dict(payload),
        }
    )


def _text(document: Mapping[str, Any], key: str) -> str:
    value = document.get(key)
    return value[:500] if isinstance(value, str) else ""


def _number(document: Mapping[str, Any], key: str) -> float | None:
    value = document.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < float(2**53) else None


class ServerCode(StrEnum):
    """A code of `error` or `game_error`; a client has no use for the others."""

    AUTH_EXPIRED = "AUTH_EXPIRED"
    AUTH_INVALID = "AUTH_INVALID"
    AUTH_REQUIRED = "AUTH_REQUIRED"
    BETTING_WINDOW_CLOSED = "BETTING_WINDOW_CLOSED"
    DUPLICATE_MESSAGE = "DUPLICATE_MESSAGE"
    GAME_NOT_FOUND = "GAME_NOT_FOUND"
    INTERNAL_ERROR = "INTERNAL_ERROR"
    INVALID_ACTION = "INVALID_ACTION"
    INVALID_AMOUNT = "INVALID_AMOUNT"
    NOT_YOUR_TURN = "NOT_YOUR_TURN"
    RATE_LIMITED = "RATE_LIMITED"
    ROUND_COMPLETE = "ROUND_COMPLETE"
    TABLE_NOT_FOUND = "TABLE_NOT_FOUND"
    TIMEOUT = "TIMEOUT"
    VERSION_UNSUPPORTED = "VERSION_UNSUPPORTED"
