"""Messages of any binding of the SDK: the typed call in one, and the media types of its parts."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson
from a2a.types import Message, Part
from a2a.utils.errors import ContentTypeNotSupportedError

from casino_agentkit.accepted_json import is_deeper, shown
from casino_agentkit.agent import Agent
from casino_agentkit.entrypoint import Entrypoint
from casino_agentkit.errors import InvalidInput, Violation
from casino_agentkit.protocol import EXTENSION, JSON, TEXT
from casino_agentkit.server.call_execution import too_deep


@dataclass(frozen=True, slots=True)
class TypedCall:
    """A typed call: the entrypoint and its input."""

    entrypoint: Entrypoint
    data: Any


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


_SHOWN: Final = 100
_TYPED: Final = {"data": {JSON}, "text": {JSON, TEXT}}
"""What the input of a typed call may be, by kind of part: JSON, as data or written as text."""


def check_typed_call(message: Message) -> None:
    """Raise ContentTypeNotSupportedError for a part with another stated type than JSON."""
    for part in message.parts:
        if part.media_type:
            _check(part, _TYPED.get(part.WhichOneof("content") or "", ()), [JSON])


def check_input_modes(message: Message, agent: Agent) -> None:
    """Check the parts of a message to an executor, which takes the agent's input modes.

    A part without a stated type is not checked. `image/*` and `*/*` in the modes are families.
    Raises ContentTypeNotSupportedError, which names the accepted types.
    """
    modes = {_plain(mode) for mode in agent.input_modes}
    for part in message.parts:
        if part.media_type and "*/*" not in modes:
            family = _plain(part.media_type).partition("/")[0] + "/*"
            if family not in modes:
                _check(part, modes, agent.input_modes)


def is_json_data(part: Part) -> bool:
    return part.HasField("data") and (not part.media_type or _plain(part.media_type) == JSON)


def check_body_type(content_type: str) -> None:
    """Raise ContentTypeNotSupportedError if what is no JSON is declared as something else."""
    stated = _plain(content_type)
    if stated and stated != JSON and not stated.endswith("+json"):
        raise _not_supported(content_type, [JSON])


def _check(part: Part, accepted: Container[str], named: Sequence[str]) -> None:
    if _plain(part.media_type) not in accepted:
        raise _not_supported(part.media_type, named)


def _not_supported(stated: str, accepted: Sequence[str]) -> ContentTypeNotSupportedError:
    return ContentTypeNotSupportedError(
        f"the media type {shown(stated, _SHOWN)} is not supported; send {' or '.join(accepted)}"
    )


def _plain(media_type: str) -> str:
    return media_type.partition(";")[0].strip().lower()
