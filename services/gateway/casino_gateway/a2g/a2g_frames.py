"""Frames of the socket, one JSON object each: those of a client are read, the server's are written.

The server's wait, bounded and in order, until the socket takes them.
"""

import asyncio
import uuid
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson
from casino_agentkit.accepted_json import DEEPEST, is_deeper, shown
from casino_agentkit.protocol import INPUT_LIMIT
from casino_contracts.base import ID_LIMIT
from starlette.websockets import WebSocket

from casino_gateway.a2g.a2g_codes import A2gCode, A2gRefused

FRAME_LIMIT = INPUT_LIMIT
"""Maximum size of a frame, in bytes."""
Json = dict[str, Any]
PROTOCOL_VERSION = "1.0"
REPLACED = 4001
"""Close code: a newer socket of the same login took its place."""
REFUSED = 1008
"""Close code: not authenticated, the login is over, or too many messages."""
TOO_SLOW = 1013
"""Close code: the client reads too slowly; it may come again."""
_MESSAGES = 512
_SIZE = 2 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Incoming:
    """A message of a client. Fields that the protocol does not know are ignored."""

    kind: str
    message_id: str | None
    payload: Mapping[str, Any] = field(repr=False)
    fields: Mapping[str, Any] = field(repr=False)

    def text(self, name: str) -> str | None:
        """Return a text of the envelope, None if it is absent. Raises A2gRefused."""
        return text_of(self.fields, name, name)


def text_of(fields: Mapping[str, Any], name: str, path: str, limit: int = ID_LIMIT) -> str | None:
    """Return a text, None if it is absent. Raises A2gRefused."""
    value = fields.get(name)
    if value is not None and not (isinstance(value, str) and 0 < len(value) <= limit):
        raise invalid(f"{path}: must be a text of 1 to {limit} characters")
    return value


def invalid(message: str) -> A2gRefused:
    return A2gRefused(A2gCode.INVALID_MESSAGE, message)


def read(frame: str | bytes) -> Incoming:
    size = len(frame) if isinstance(frame, bytes) else len(frame.encode(errors="surrogatepass"))
    if size > FRAME_LIMIT:
        raise invalid(f"the frame: has {size} bytes; send at most {FRAME_LIMIT}")
    fields = read_object(frame, "the frame")
    kind = fields.get("type")
    if not isinstance(kind, str):
        raise invalid('type: must be a text such as "submit_action"')
    message_id = text_of(fields, "messageId", "messageId")
    payload = fields.get("payload")
    if payload is not None and not isinstance(payload, dict):
        raise invalid("payload: must be an object")
    return Incoming(kind, message_id, payload or {}, fields)


def read_object(content: str | bytes, what: str) -> dict[str, Any]:
    """Return the JSON object of a text. Raises A2gRefused: INVALID_MESSAGE."""
    try:
        fields = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise invalid(f"{what}: must be JSON ({shown(str(error), 100)})") from error
    if not isinstance(fields, dict):
        raise invalid(f"{what}: must be a JSON object")
    if is_deeper(fields, DEEPEST):
        raise invalid(f"{what}: must be nested at most {DEEPEST} levels deep")
    return fields


@dataclass(frozen=True, slots=True)
class MessageDraft:
    """A message before it has its id, its time and its place in the receiver's order."""

    kind: str
    payload: Mapping[str, Any] = field(default_factory=dict, repr=False)
    table_id: str | None = None
    game_type: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Further fields of the envelope, such as `timeoutSeconds`; clients ignore unknown ones."""


def new_message_id() -> str:
    return str(uuid.uuid4())


def frame(draft: MessageDraft, message_id: str, at_ms: int, sequence: int | None = None) -> bytes:
    """Return a message as it is sent.

    `sequence` is absent before the client is authenticated: a receiver has no order yet.

    >>> frame(MessageDraft("ack", {"relatedMessageId": "7"}), "m1", 5)
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


class SocketOutput:
    """Messages that wait until the socket takes them, and how it is closed after them."""

    def __init__(self) -> None:
        self._waiting: deque[bytes] = deque()
        self._size = 0
        self._wake = asyncio.Event()
        self._ending: tuple[int, str] | None = None
        self.is_full = asyncio.Event()
        """Set when the client reads too slowly; then nothing more can be sent."""

    def put(self, body: bytes) -> None:
        """Send a message after those that wait; nothing is sent after `close`."""
        if self._ending is not None:
            return
        if len(self._waiting) >= _MESSAGES or self._size + len(body) > _SIZE:
            self._waiting.clear()
            self.close(TOO_SLOW, "reads too slowly")
            self.is_full.set()
            return
        self._waiting.append(body)
        self._size += len(body)
        self._wake.set()

    def close(self, code: int, reason: str) -> None:
        if self._ending is None:
            self._ending = (code, reason)
            self._wake.set()

    async def send_all(self, websocket: WebSocket) -> None:
        """Send until `close`; then close the socket."""
        while True:
            while self._waiting:
                body = self._waiting.popleft()
                self._size -= len(body)
                await websocket.send_text(body.decode())
            if self._ending is not None:
                await websocket.close(*self._ending)
                return
            self._wake.clear()
            await self._wake.wait()
