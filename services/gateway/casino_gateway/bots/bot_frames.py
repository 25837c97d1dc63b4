"""Frames of a bot's connection: `{id, skill, data}` is answered by `{id, data}` or `{id, error}`.

Both ends send both; a bot asks for `hello`, `join` and `leave`. Pure: text in, values out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Annotated, Any, Literal, TypeVar

import orjson
from casino_agentkit import CommandRefused
from casino_agentkit.accepted_json import is_deeper, shown
from casino_agentkit.protocol import reason_of
from casino_agentkit.violations import violations_of
from casino_contracts import WireModel
from pydantic import Field, ValidationError

from casino_gateway.errors import BadFrame

FrameId = str | int
_ID_LENGTH = 128
_MESSAGE_LENGTH = 300
OrderT = TypeVar("OrderT", bound=WireModel)
Secret = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{43,128}$")]
RoomId = Annotated[str, Field(min_length=1, max_length=128)]
RequestId = Annotated[str, Field(min_length=1, max_length=128)]


@unique
class BotReason(StrEnum):
    """Why a call of a bot failed, or a request of it."""

    BAD_FRAME = "BAD_FRAME"
    BOT_AWAY = "BOT_AWAY"
    BOT_BUSY = "BOT_BUSY"
    BOT_FAILED = "BOT_FAILED"
    BOT_SILENT = "BOT_SILENT"
    BUSY = "BUSY"
    FAILED = "FAILED"
    INVALID_INPUT = "INVALID_INPUT"
    LOBBY_UNAVAILABLE = "LOBBY_UNAVAILABLE"
    RATE_LIMITED = "RATE_LIMITED"
    TOO_MANY_BOTS = "TOO_MANY_BOTS"
    TOO_MANY_SEATS = "TOO_MANY_SEATS"
    UNKNOWN_ROOM = "UNKNOWN_ROOM"
    UNKNOWN_SKILL = "UNKNOWN_SKILL"


_FAILED = BotReason.BOT_FAILED


@dataclass(frozen=True, slots=True)
class RequestFrame:
    """A request of the other end."""

    id: FrameId
    skill: str
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AnswerFrame:
    """An answer to a request of this end: its output, or why there is none."""

    id: FrameId
    data: Any = None
    reason: str | None = None
    message: str = ""


def frame_of(content: str | bytes, levels: int) -> RequestFrame | AnswerFrame:
    """Read a frame; raises BadFrame."""
    try:
        frame = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise BadFrame("a frame is a JSON object; NaN and Infinity are no JSON") from error
    if not isinstance(frame, dict):
        raise BadFrame("a frame is a JSON object, {id, skill, data} or {id, data}")
    if is_deeper(frame, levels):
        raise BadFrame(f"a frame has at most {levels} levels of objects and lists")
    frame_id = frame.get("id")
    if isinstance(frame_id, bool) or not isinstance(frame_id, str | int):
        raise BadFrame("id: a text or a whole number, the same in request and answer")
    if isinstance(frame_id, str) and len(frame_id) > _ID_LENGTH:
        raise BadFrame(f"id: at most {_ID_LENGTH} characters")
    if "skill" in frame:
        return _request(frame_id, frame)
    if "error" in frame:
        return _failure(frame_id, frame["error"])
    if "data" not in frame:
        raise BadFrame("an answer has data, or error; a request has skill and data")
    return AnswerFrame(frame_id, frame["data"])


def _request(frame_id: FrameId, frame: Mapping[str, Any]) -> RequestFrame:
    skill, data = frame["skill"], frame.get("data", {})
    if not isinstance(skill, str):
        raise BadFrame("skill: a text")
    if not isinstance(data, dict):
        raise BadFrame("data: a JSON object")
    return RequestFrame(frame_id, skill, data)


def _failure(frame_id: FrameId, error: object) -> AnswerFrame:
    """Return the failed answer of an error: a text, or `{reason, message}`."""
    if isinstance(error, dict):
        reason, message = reason_of(error.get("reason")), error.get("message")
    else:
        reason, message = "", error
    text = shown(message, _MESSAGE_LENGTH) if isinstance(message, str) else ""
    return AnswerFrame(frame_id, None, reason or _FAILED, text or "The bot says no reason.")


def request_frame(frame_id: FrameId, skill: str, data: object) -> str:
    """Return a request as it is sent.

    >>> request_frame(1, "act", {})
    '{"id":1,"skill":"act","data":{}}'
    """
    return orjson.dumps({"id": frame_id, "skill": skill, "data": data}).decode()


def answer_frame(frame_id: FrameId, data: object) -> str:
    """Return an answer as it is sent.

    >>> answer_frame("a", {"ok": True})
    '{"id":"a","data":{"ok":true}}'
    """
    return orjson.dumps({"id": frame_id, "data": data}).decode()


def error_frame(frame_id: FrameId | None, reason: str, message: str) -> str:
    """Return an answer that failed, as it is sent; without an id it answers no request."""
    return orjson.dumps({"id": frame_id, "error": {"reason": reason, "message": message}}).decode()


class Hello(WireModel):
    """The first request of a connection."""

    name: Annotated[str, Field(min_length=1, max_length=64)] = "Bot"
    token: Secret | None = Field(default=None, repr=False)
    skills: Annotated[
        tuple[Literal["signup", "act", "notify", "contribute"], ...], Field(max_length=4)
    ] = ("signup", "act")


class Join(WireModel):
    """Take a seat in a room; the same `requestId` again means the same seat."""

    room_id: RoomId
    request_id: RequestId
    preferred_seat: Annotated[int, Field(ge=0, le=63)] | None = None


class Leave(WireModel):
    """Give back the seat of a `join`."""

    room_id: RoomId
    request_id: RequestId


def order_of(kind: type[OrderT], data: Any) -> OrderT:
    """Read the data of a request; raises CommandRefused: INVALID_INPUT, with every field."""
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        text = "; ".join(f"{fault.field}: {fault.message}" for fault in violations_of(error))
        raise CommandRefused(BotReason.INVALID_INPUT, text) from error
