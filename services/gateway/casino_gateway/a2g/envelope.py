"""Envelope of the server's messages: one JSON object a frame."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

Json = dict[str, Any]

PROTOCOL_VERSION = "1.0"


@dataclass(frozen=True, slots=True)
class Draft:
    """A message before it has its id, its time and its place in the receiver's order."""

    kind: str
    payload: Mapping[str, Any] = field(default_factory=dict, repr=False)
    table_id: str | None = None
    game_type: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Further fields of the envelope, such as `timeoutSeconds`; clients ignore unknown ones."""


def new_message_id() -> str:
    """Return a random UUID of version 4."""
    return str(uuid.uuid4())


def frame(draft: Draft, message_id: str, at_ms: int, sequence: int | None = None) -> bytes:
    """Return a message as it is sent.

    `sequence` is absent before the client is authenticated: a receiver has no order yet.

    >>> frame(Draft("ack", {"relatedMessageId": "7"}), "m1", 5)
    b'{"type":"ack","messageId":"m1","protocolVersion":"1.0","timestamp":5,"payload":{"relatedMessageId":"7"}}'
    """
    envelope: Json = {"type": draft.kind, "messageId": message_id}
    if sequence is not None:
        envelope["sequence"] = sequence
    envelope["protocolVersion"] = PROTOCOL_VERSION
    envelope["timestamp"] = at_ms
    if draft.game_type is not None:
        envelope["gameType"] = draft.game_type
    if draft.table_id is not None:
        envelope["tableId"] = draft.table_id
    return orjson.dumps({**envelope, **draft.extra, "payload": draft.payload})
