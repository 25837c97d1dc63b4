"""Read a client's messages: one JSON object a frame."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson
from casino_agentkit.bounds import is_deeper, shown
from casino_agentkit.protocol import INPUT_LIMIT

from casino_gateway.a2g.codes import A2gRefused, Code

FRAME_LIMIT = INPUT_LIMIT
"""Maximum size of a frame, in bytes."""
DEEPEST = 32
ID_LIMIT = 128


@dataclass(frozen=True, slots=True)
class Incoming:
    """A message of a client. Fields that the protocol does not know are ignored."""

    kind: str
    message_id: str | None
    payload: Mapping[str, Any] = field(repr=False)
    fields: Mapping[str, Any] = field(repr=False)
    """The whole envelope."""

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
    """Return the refusal of something that cannot be read."""
    return A2gRefused(Code.INVALID_MESSAGE, message)


def read(frame: str | bytes) -> Incoming:
    """Read one frame. Raises A2gRefused: INVALID_MESSAGE."""
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
