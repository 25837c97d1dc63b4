"""Messages of agents: limits and error codes of the protocol; a reader that names all faults."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson
from casino_agentkit import KitReason
from casino_agentkit.accepted_json import DEEPEST, is_deeper, shown
from casino_agentkit.protocol import INPUT_LIMIT
from casino_contracts import Defaulted
from casino_lobby_client.errors import CallRefused
from casino_seats.offered_action import default_said

from casino_gateway.errors import GatewayError, ProtocolCode

VERSION = "1.0.0"
"""The protocol's version, as it is written; any 1.x.y is read."""
MESSAGE_BYTES = INPUT_LIMIT
"""Maximum size of a message, in bytes."""
"""Maximum nesting of objects and arrays in a message, the message included."""
Json = dict[str, Any]
GET_STATE = "get_state"
PERFORM_ACTION = "perform_action"
CORE_FIELDS = ("version", "type", "game", "match_id", "agent_id")
_SEMVER = re.compile(r"([0-9]{1,9})\.[0-9]{1,9}\.[0-9]{1,9}([-+][0-9A-Za-z.+-]{1,64})?")
MAJOR = "1"
"""The protocol's major version."""
_TALK_LIMIT = 500
_RESERVED = ("turn", "message", "defaulted")
"""Keys of `action.data` that are no fields of the action."""


class ErrorCode(ProtocolCode):
    """`data.code` of an `error`, and its HTTP status; without any token 401 instead of 403."""

    INVALID_JSON = "INVALID_JSON", 400
    INVALID_MESSAGE = "INVALID_MESSAGE", 400
    UNKNOWN_TYPE = "UNKNOWN_TYPE", 400
    UNSUPPORTED_VERSION = "UNSUPPORTED_VERSION", 400
    TOO_LARGE = "TOO_LARGE", 413
    UNAUTHORIZED = KitReason.UNAUTHORIZED.value, 403
    """No token, or one of another seat."""
    NOT_ALLOWED = "NOT_ALLOWED", 403
    """This gateway opens no rooms for guests."""
    UNKNOWN_MATCH = "UNKNOWN_MATCH", 404
    GAME_MISMATCH = "GAME_MISMATCH", 400
    RATE_LIMITED = "RATE_LIMITED", 429
    LAGGED = "LAGGED", 503
    LOBBY_UNAVAILABLE = "LOBBY_UNAVAILABLE", 503
    INTERNAL_ERROR = "INTERNAL_ERROR", 500


@dataclass(frozen=True, slots=True)
class Core:
    """Core fields that say what a message is about; "" where a request's could not be read."""

    game: str = ""
    match_id: str = ""
    agent_id: str = ""


class MessageRefused(GatewayError):
    """A message that cannot be taken; `data` is the error's beside the code, `status` HTTP's."""

    def __init__(
        self,
        code: ErrorCode | str,
        message: str,
        core: Core | None = None,
        data: Json | None = None,
        *,
        status: int | None = None,
    ) -> None:
        super().__init__(message)
        self.code = str(code)
        self.message = message
        self.core = core or Core()
        self.data = data or {}
        self.status = status or (code.status if isinstance(code, ErrorCode) else 409)


def refused_by_lobby(refusal: CallRefused, core: Core) -> MessageRefused:
    """Return the refusal of a seat or a match, with the lobby's reason as its code."""
    return MessageRefused(refusal.reason, refusal.message, core, status=refusal.status)


@dataclass(frozen=True, slots=True)
class GetState:
    """`get_state`: what the agent may know of its match."""

    core: Core
    state_version: str | None = None
    """The version of the game's specification that the agent expects."""


@dataclass(frozen=True, slots=True)
class PerformAction:
    """`perform_action`: the agent's decision."""

    core: Core
    action_type: str
    action_version: str | None = None
    data: Json = field(default_factory=dict)
    turn: int | None = None
    """The turn that the agent means, if it says so."""
    message: str | None = None
    defaulted: Defaulted | None = None

    @property
    def action(self) -> Json:
        fields = {key: value for key, value in self.data.items() if key not in _RESERVED}
        return {**fields, "action_type": self.action_type}


AgentRequest = GetState | PerformAction


def parsed(content: bytes) -> Json:
    """Return its JSON object. Raises MessageRefused: TOO_LARGE, INVALID_JSON, INVALID_MESSAGE."""
    if len(content) > MESSAGE_BYTES:
        raise too_large()
    try:
        message = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise MessageRefused(ErrorCode.INVALID_JSON, f"This is not JSON: {error}.") from error
    if is_deeper(message, DEEPEST):
        raise MessageRefused(
            ErrorCode.INVALID_JSON, f"The message must be nested at most {DEEPEST} levels deep."
        )
    if not isinstance(message, dict):
        raise invalid(Core(), [fault("", "a message must be a JSON object")])
    return message


def read(content: bytes) -> AgentRequest:
    """Read a request. Raises as `parsed`, and MessageRefused: UNSUPPORTED_VERSION, UNKNOWN_TYPE."""
    message = parsed(content)
    core = check_core(message)
    kind = message["type"]
    if kind == GET_STATE:
        return GetState(core, message.get("state", {}).get("version"))
    if kind == PERFORM_ACTION:
        return _perform_action(message["action"], core)
    raise unknown_type(kind, core, (GET_STATE, PERFORM_ACTION))


def unknown_type(kind: str, core: Core, known_types: tuple[str, ...]) -> MessageRefused:
    names = ", ".join(known_types[:-1]) + " and " + known_types[-1]
    return MessageRefused(
        ErrorCode.UNKNOWN_TYPE,
        f'The type "{shown(kind, 64)}" is unknown here; agents send {names}.',
        core,
    )


def check_core(message: Json, fields: tuple[str, ...] = CORE_FIELDS) -> Core:
    """Check core fields; MessageRefused: UNSUPPORTED_VERSION, INVALID_MESSAGE, UNKNOWN_TYPE."""
    core = core_of(message)
    version = message.get("version")
    if isinstance(version, str) and not is_served(version, MAJOR):
        raise MessageRefused(
            ErrorCode.UNSUPPORTED_VERSION,
            f'version "{shown(version, 64)}" is not served; send "1.0.0".',
            core,
        )
    faults = [
        fault(
            name, "is missing; it must be a string" if name not in message else "must be a string"
        )
        for name in fields
        if not isinstance(message.get(name), str)
    ]
    kind = message.get("type")
    if isinstance(kind, str) and kind in _BODY_FAULTS:
        faults += _BODY_FAULTS[kind](message)
    if faults:
        raise invalid(core, faults)
    return core


def core_of(message: Json) -> Core:
    values = (message.get(name) for name in ("game", "match_id", "agent_id"))
    return Core(*(value if isinstance(value, str) else "" for value in values))


def is_served(version: str, major: str) -> bool:
    match = _SEMVER.fullmatch(version)
    return match is not None and match[1].lstrip("0") == major.lstrip("0")


def invalid(core: Core, faults: list[Json]) -> MessageRefused:
    text = "; ".join(f"{each['field'] or 'message'}: {each['message']}" for each in faults)
    return MessageRefused(
        ErrorCode.INVALID_MESSAGE, f"The message is not valid. {text}.", core, {"errors": faults}
    )


def too_large() -> MessageRefused:
    return MessageRefused(
        ErrorCode.TOO_LARGE, f"A message must have at most {MESSAGE_BYTES} bytes."
    )


def fault(name: str, message: str) -> Json:
    return {"field": name, "message": message}


def _state_faults(message: Json) -> list[Json]:
    state = message.get("state")
    if "state" not in message:
        return []
    if not isinstance(state, dict):
        return [fault("state", 'must be an object such as {"version": "1.0.0"}, or be left out')]
    return _version_faults("state.version", state)


def _action_faults(message: Json) -> list[Json]:
    action = message.get("action")
    if not isinstance(action, dict):
        return [fault("action", 'must be an object such as {"type": "fold"}')]
    faults = _version_faults("action.version", action)
    if not isinstance(action.get("type"), str) or not action["type"]:
        faults.append(fault("action.type", "must be the type of an available action, a string"))
    data = action.get("data", {})
    if not isinstance(data, dict):
        return [*faults, fault("action.data", "must be an object, or be left out")]
    turn = data.get("turn")
    if turn is not None and (type(turn) is not int or turn < 0):
        faults.append(fault("action.data.turn", "must be the turn of the state, a whole number"))
    talk = data.get("message")
    if talk is not None and (not isinstance(talk, str) or len(talk) > _TALK_LIMIT):
        faults.append(
            fault("action.data.message", f"must be a text of at most {_TALK_LIMIT} characters")
        )
    try:
        default_said(data.get("defaulted"))
    except ValueError as error:
        faults.append(fault("action.data.defaulted", str(error)))
    return faults


def _version_faults(name: str, holder: Json) -> list[Json]:
    version = holder.get("version")
    if version is None and "version" not in holder:
        return []
    if isinstance(version, str) and _SEMVER.fullmatch(version):
        return []
    return [fault(name, 'must be a semantic version such as "1.0.0", or be left out')]


def _perform_action(action: Json, core: Core) -> PerformAction:
    data = action.get("data", {})
    return PerformAction(
        core,
        action["type"],
        action.get("version"),
        data,
        data.get("turn"),
        data.get("message"),
        default_said(data.get("defaulted")),
    )


_BODY_FAULTS: dict[str, Callable[[Json], list[Json]]] = {
    GET_STATE: _state_faults,
    PERFORM_ACTION: _action_faults,
}
