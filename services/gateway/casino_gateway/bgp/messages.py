"""Reads messages of agents: core fields, form, and every fault in one refusal."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson
from casino_agentkit.bounds import is_deeper, shown

from casino_gateway.bgp.codes import DEEPEST, MESSAGE_BYTES, ErrorCode
from casino_gateway.bgp.refusal import Core, MessageRefused

Json = dict[str, Any]

GET_STATE = "get_state"
PERFORM_ACTION = "perform_action"
CORE_FIELDS = ("version", "type", "game", "match_id", "agent_id")

_SEMVER = re.compile(r"([0-9]{1,9})\.[0-9]{1,9}\.[0-9]{1,9}([-+][0-9A-Za-z.+-]{1,64})?")
_MAJOR = "1"
_TALK_LIMIT = 500
_RESERVED = ("turn", "message")
"""Keys of `action.data` that are no fields of the action."""


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
    """Table talk."""

    @property
    def action(self) -> Json:
        """The action in the form of an offer."""
        fields = {key: value for key, value in self.data.items() if key not in _RESERVED}
        return {**fields, "action_type": self.action_type}


Request = GetState | PerformAction


def parsed(content: bytes) -> Json:
    """Return a message as a JSON object.

    Raises MessageRefused: TOO_LARGE, INVALID_JSON, INVALID_MESSAGE.
    """
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
        raise invalid(Core(), [_fault("", "a message must be a JSON object")])
    return message


def read(content: bytes) -> Request:
    """Return the request of a message.

    Raises MessageRefused: besides those of `parsed` UNSUPPORTED_VERSION, UNKNOWN_TYPE.
    """
    message = parsed(content)
    core = check_core(message)
    kind = message["type"]
    if kind == GET_STATE:
        return GetState(core, message.get("state", {}).get("version"))
    if kind == PERFORM_ACTION:
        return _perform_action(message["action"], core)
    raise unknown_type(kind, core, (GET_STATE, PERFORM_ACTION))


def unknown_type(kind: str, core: Core, known_types: tuple[str, ...]) -> MessageRefused:
    """Return the refusal of a message whose type agents do not send."""
    names = ", ".join(known_types[:-1]) + " and " + known_types[-1]
    return MessageRefused(
        ErrorCode.UNKNOWN_TYPE,
        f'The type "{shown(kind, 64)}" is unknown here; agents send {names}.',
        core,
    )


def check_core(message: Json, fields: tuple[str, ...] = CORE_FIELDS) -> Core:
    """Return what a message is about, after a check of its core fields.

    Raises MessageRefused: UNSUPPORTED_VERSION, INVALID_MESSAGE, UNKNOWN_TYPE.
    """
    core = core_of(message)
    version = message.get("version")
    if isinstance(version, str) and not is_served(version, _MAJOR):
        raise MessageRefused(
            ErrorCode.UNSUPPORTED_VERSION,
            f'version "{shown(version, 64)}" is not served; send "1.0.0".',
            core,
        )
    faults = [
        _fault(
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
    """Return the core fields that can be read."""
    values = (message.get(name) for name in ("game", "match_id", "agent_id"))
    return Core(*(value if isinstance(value, str) else "" for value in values))


def is_served(version: str, major: str) -> bool:
    """Return whether a text is a semantic version of a major version."""
    match = _SEMVER.fullmatch(version)
    return match is not None and match[1].lstrip("0") == major.lstrip("0")


def invalid(core: Core, faults: list[Json]) -> MessageRefused:
    """Return the refusal of a message with wrong fields."""
    text = "; ".join(f"{fault['field'] or 'message'}: {fault['message']}" for fault in faults)
    return MessageRefused(
        ErrorCode.INVALID_MESSAGE, f"The message is not valid. {text}.", core, {"errors": faults}
    )


def too_large() -> MessageRefused:
    """Return the refusal of a message that is too large."""
    return MessageRefused(
        ErrorCode.TOO_LARGE, f"A message must have at most {MESSAGE_BYTES} bytes."
    )


def _fault(name: str, message: str) -> Json:
    return {"field": name, "message": message}


def _state_faults(message: Json) -> list[Json]:
    state = message.get("state")
    if "state" not in message:
        return []
    if not isinstance(state, dict):
        return [_fault("state", 'must be an object such as {"version": "1.0.0"}, or be left out')]
    return _version_faults("state.version", state)


def _action_faults(message: Json) -> list[Json]:
    action = message.get("action")
    if not isinstance(action, dict):
        return [_fault("action", 'must be an object such as {"type": "fold"}')]
    faults = _version_faults("action.version", action)
    if not isinstance(action.get("type"), str) or not action["type"]:
        faults.append(_fault("action.type", "must be the type of an available action, a string"))
    data = action.get("data", {})
    if not isinstance(data, dict):
        return [*faults, _fault("action.data", "must be an object, or be left out")]
    turn = data.get("turn")
    if turn is not None and (type(turn) is not int or turn < 0):
        faults.append(_fault("action.data.turn", "must be the turn of the state, a whole number"))
    talk = data.get("message")
    if talk is not None and (not isinstance(talk, str) or len(talk) > _TALK_LIMIT):
        faults.append(
            _fault("action.data.message", f"must be a text of at most {_TALK_LIMIT} characters")
        )
    return faults


def _version_faults(name: str, holder: Json) -> list[Json]:
    version = holder.get("version")
    if version is None and "version" not in holder:
        return []
    if isinstance(version, str) and _SEMVER.fullmatch(version):
        return []
    return [_fault(name, 'must be a semantic version such as "1.0.0", or be left out')]


def _perform_action(action: Json, core: Core) -> PerformAction:
    data = action.get("data", {})
    return PerformAction(
        core,
        action["type"],
        action.get("version"),
        data,
        data.get("turn"),
        data.get("message"),
    )


_BODY_FAULTS: dict[str, Callable[[Json], list[Json]]] = {
    GET_STATE: _state_faults,
    PERFORM_ACTION: _action_faults,
}
