"""Recognise typed calls: strictly for the fast path, leniently for all other messages."""

from dataclasses import dataclass
from typing import Any

import orjson

from casino_agentkit.agent import Agent
from casino_agentkit.bounds import is_deeper
from casino_agentkit.entrypoint import Entrypoint
from casino_agentkit.errors import InvalidInput, Violation
from casino_agentkit.protocol import EXTENSION, JSON

_ENVELOPE_BRACKETS = 8
"""Number of opening brackets around the data."""
_ENVELOPE_KEYS = {"jsonrpc", "id", "method", "params"}
_PARAMS_KEYS = {"message", "configuration"}
# An allowlist: protobuf's JSON also accepts task_id for taskId and so on, so a denylist would miss
# a follow-up to a task.
_MESSAGE_KEYS = {"messageId", "contextId", "role", "parts", "metadata", "extensions"}
_PART_KEYS = {"data", "mediaType"}


@dataclass(frozen=True, slots=True)
class TypedCall:
    """A typed call: the entrypoint and its input."""

    entrypoint: Entrypoint
    data: Any
    context_id: str = ""
    request_id: str | int = ""


def recognise(  # noqa: C901, PLR0911  an allowlist is long, and easier to check if flat
    body: bytes, agent: Agent
) -> TypedCall | None:
    """Return the typed call in a JSON-RPC body, None if it is not a plain one.

    The SDK handles all other bodies, including invalid ones.
    """
    try:
        envelope = orjson.loads(body)
        if not envelope.keys() <= _ENVELOPE_KEYS:
            return None
        if envelope["jsonrpc"] != "2.0" or envelope["method"] != "SendMessage":
            return None
        request_id = envelope["id"]
        if type(request_id) is not str and type(request_id) is not int:  # refuses bool
            return None
        params = envelope["params"]
        if not params.keys() <= _PARAMS_KEYS or params.get("configuration", {}) != {}:
            return None
        message = params["message"]
        if not message.keys() <= _MESSAGE_KEYS or message["role"] != "ROLE_USER":
            return None
        message_id, context_id = message["messageId"], message.get("contextId", "")
        if type(message_id) is not str or not message_id or type(context_id) is not str:
            return None
        if message["extensions"] != [EXTENSION]:
            return None
        metadata = message["metadata"]
        if len(metadata) != 1 or metadata[EXTENSION].keys() != {"skill"}:
            return None
        (part,) = message["parts"]
        if not part.keys() <= _PART_KEYS or part.get("mediaType", JSON) != JSON:
            return None
        entrypoint = agent.entrypoints[metadata[EXTENSION]["skill"]]
        data = part["data"]
        # The number of brackets is an upper bound of the depth, and cheap to count.
        brackets = body.count(b"{") + body.count(b"[") - _ENVELOPE_BRACKETS
        if brackets > agent.data_levels and is_deeper(data, agent.data_levels):
            return None
        return TypedCall(entrypoint, data, context_id, request_id)
    except (AttributeError, KeyError, TypeError, ValueError):  # JSONDecodeError is a ValueError
        return None


@dataclass(frozen=True, slots=True)
class UntypedMessage:
    """An A2A message as plain JSON values, for the lenient reading."""

    metadata: dict[str, Any]
    data: list[Any]
    texts: list[str]
    others: int = 0


def read_call(message: UntypedMessage, agent: Agent) -> TypedCall | None:
    """Return the typed call in a message of any supported form, None if there is none.

    The skill may be in the extension's metadata, in `metadata.skillId` or `metadata.skill`, or next
    to the input in the data part; an agent that infers skills needs none. A text part of JSON is
    read as data.
    Raises InvalidInput if a message names a skill but is not a valid typed call.
    """
    skills_by_field = _named_skills(message.metadata)
    data, is_json = _data_of(message)
    if isinstance(data, dict) and data.keys() == {"skill", "input"}:
        skills_by_field["parts.data.skill"] = data["skill"]
        data = data["input"]
    if is_deeper(data, agent.data_levels):
        raise too_deep(agent.data_levels)
    if not skills_by_field:
        entrypoint = agent.inferred(data)
        return TypedCall(entrypoint, data) if entrypoint else None
    (field, skill), *others = skills_by_field.items()
    for other_field, other_skill in others:
        if other_skill != skill:
            raise InvalidInput((Violation(other_field, f"disagrees with {field}"),))
    if agent.executor is not None and any(skill == declared.id for declared in agent.skills):
        return None  # a skill of the executor
    if not isinstance(skill, str) or skill not in agent.entrypoints:
        available = ", ".join(agent.entrypoints)
        raise InvalidInput((Violation(field, f"unknown skill; this agent has {available}"),))
    if not is_json:
        raise InvalidInput(
            (Violation("parts", "one data part or one text part of JSON is needed"),)
        )
    return TypedCall(agent.entrypoints[skill], data)


def too_deep(levels: int) -> InvalidInput:
    """Return the error for data with more than `levels` levels."""
    return InvalidInput((Violation("", f"must be nested at most {levels} levels deep"),))


def _named_skills(metadata: dict[str, Any]) -> dict[str, Any]:
    skills_by_field = {}
    extension = metadata.get(EXTENSION)
    if isinstance(extension, dict) and "skill" in extension:
        skills_by_field[f"metadata.{EXTENSION}.skill"] = extension["skill"]
    elif extension is not None:
        skills_by_field[f"metadata.{EXTENSION}"] = None
    for field in ("skillId", "skill"):
        if field in metadata:
            skills_by_field[f"metadata.{field}"] = metadata[field]
    return skills_by_field


def _data_of(message: UntypedMessage) -> tuple[Any, bool]:
    """Return the input, and whether the message has exactly one that can be parsed."""
    if message.others:
        return None, False
    if len(message.data) == 1:
        return message.data[0], True
    if not message.data and len(message.texts) == 1:
        try:
            return orjson.loads(message.texts[0]), True
        except orjson.JSONDecodeError:
            return None, False
    return None, False
