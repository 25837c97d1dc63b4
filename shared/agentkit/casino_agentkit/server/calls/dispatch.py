"""A typed call in any envelope: read leniently, run, counted, and every error a `CallFailure`.

`calls.plain_calls` has the plain form of the envelope.
"""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

import orjson

from casino_agentkit.accepted_json import is_deeper
from casino_agentkit.agent import Agent
from casino_agentkit.call_metrics import CallMetrics, CallOutcome
from casino_agentkit.entrypoint import Entrypoint
from casino_agentkit.errors import CommandRefused, InvalidInput, KitError, KitReason, Violation
from casino_agentkit.protocol import EXTENSION

_SHOWN_FAULTS: Final = 3
_DOMAIN: Final = "a2a-protocol.org"
_ERROR_INFO: Final = "type.googleapis.com/google.rpc.ErrorInfo"
_BAD_REQUEST: Final = "type.googleapis.com/google.rpc.BadRequest"


class FailureKind(Enum):
    """Why a call failed: JSON-RPC code and reason of A2A."""

    INVALID = (-32602, "INVALID_PARAMS")  # the input violates the schema
    REFUSED = (-32004, str(KitReason.UNSUPPORTED_OPERATION))
    """A valid command that is not possible now."""
    FAILED = (-32603, "INTERNAL_ERROR")  # a fault of the entrypoint


class CallFailure(KitError):
    """A typed call has no output.

    `message` and `metadata` are sent to the caller; `metadata["errors"]` lists faults of the input.
    """

    def __init__(
        self, kind: FailureKind, message: str, metadata: dict[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.metadata = metadata

    def rpc_reply(self, request_id: str | int) -> bytes:
        code, reason = self.kind.value
        metadata = self.metadata or {}
        details: list[dict[str, Any]] = [
            {"@type": _ERROR_INFO, "reason": reason, "domain": _DOMAIN, "metadata": metadata}
        ]
        if self.kind is FailureKind.INVALID and (faults := metadata.get("errors")):
            violations = [_violation(fault) for fault in faults]
            details.append({"@type": _BAD_REQUEST, "fieldViolations": violations})
        error = {"code": code, "message": self.message, "data": details}
        return orjson.dumps({"error": error, "id": request_id, "jsonrpc": "2.0"})


def invalid_input(violations: tuple[Violation, ...]) -> CallFailure:
    shown = violations[:_SHOWN_FAULTS]
    listed = "; ".join(f"{fault.field or 'input'}: {fault.message}" for fault in shown)
    left = len(violations) - len(shown)
    more = f"; and {left} more" if left else ""
    metadata = {"errors": _entries(violations)}
    return CallFailure(FailureKind.INVALID, f"invalid input: {listed}{more}", metadata)


def refused_command(refusal: CommandRefused) -> CallFailure:
    metadata: dict[str, Any] = {**refusal.details, "reason": refusal.reason}
    if refusal.violations:
        metadata["errors"] = _entries(refusal.violations)
    return CallFailure(FailureKind.REFUSED, refusal.message, metadata)


def failed_entrypoint() -> CallFailure:
    """Return the failure of an entrypoint that has a fault, without its details."""
    message = "the entrypoint failed; the fault is not in the call"
    return CallFailure(FailureKind.FAILED, message)


def _entries(violations: tuple[Violation, ...]) -> list[dict[str, str]]:
    return [{"field": fault.field, "message": fault.message} for fault in violations]


def _violation(fault: dict[str, str]) -> dict[str, str]:
    named = {"field": fault["field"], "description": fault["message"]}
    return {name: text for name, text in named.items() if text}


logger = logging.getLogger(__name__)


async def run(skill: str, answer: Awaitable[bytes], calls: CallMetrics) -> bytes:
    """Return the output's JSON. Raises only CallFailure, without internal details."""
    began_at = calls.clock()
    outcome: CallOutcome = "failed"
    try:
        output = await answer
        outcome = "ok"
    except Exception as error:
        outcome = _outcome(error)
        # No variable may keep the failure, whose traceback keeps this frame, and so the input.
        raise _failure(skill, error) from error
    else:
        return output
    finally:
        calls.count(skill, outcome, calls.clock() - began_at)


def compute(skill: str, answer: Callable[[], bytes], calls: CallMetrics) -> bytes:
    """Do as `run` with an entrypoint that answers at once."""
    began_at = calls.clock()
    outcome: CallOutcome = "ok"
    try:
        return answer()
    except Exception as error:
        outcome = _outcome(error)
        raise _failure(skill, error) from error
    finally:
        calls.count(skill, outcome, calls.clock() - began_at)


def _outcome(error: Exception) -> CallOutcome:
    if isinstance(error, InvalidInput):
        return "invalid"
    return "refused" if isinstance(error, CommandRefused) else "failed"


def _failure(skill: str, error: Exception) -> CallFailure:
    if isinstance(error, InvalidInput):
        return invalid_input(error.violations)
    if isinstance(error, CommandRefused):
        return refused_command(error)
    # An internal error: the details go to the log only.
    logger.error("the entrypoint %s failed", skill, exc_info=error)
    return failed_entrypoint()


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


def too_deep(levels: int) -> InvalidInput:
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
