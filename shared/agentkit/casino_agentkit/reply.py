"""Reading the output out of whatever an agent replies: strict agents, chatty ones, Task-based ones.

A reply is a Message, or a Task whose artifact or status message holds the output; in a data part,
or as JSON in a text part, also inside a Markdown code fence.
"""

import re
from collections.abc import Iterator
from typing import Any

import orjson
from pydantic import TypeAdapter, ValidationError

from casino_agentkit.entrypoint import violations_of
from casino_agentkit.errors import Malformed, Refused

WORKING = {"TASK_STATE_SUBMITTED", "TASK_STATE_WORKING", "TASK_STATE_UNSPECIFIED"}
"""States of a task that is worth waiting for."""
_FAILED = {"TASK_STATE_FAILED", "TASK_STATE_REJECTED", "TASK_STATE_CANCELED"}
_TASK_FAILED = -32006

_FENCE = re.compile(r"```[A-Za-z0-9_-]*\s*\n(.*?)```", re.DOTALL)
_CONTENT_SHOWN = 500


def task_state(result: dict[str, Any]) -> str | None:
    """Return the state of the task in a result; None if the result is no task."""
    task = result.get("task")
    if not isinstance(task, dict):
        return None
    status = task.get("status")
    state = status.get("state") if isinstance(status, dict) else None
    return state if isinstance(state, str) else "TASK_STATE_UNSPECIFIED"


def read_output(agent: str, result: dict[str, Any], output: TypeAdapter[Any]) -> Any:
    """Return the first content of a reply that is a valid output.

    Raises Refused when the task failed, Malformed when nothing in the reply is a valid output; it
    names the faults of the most likely candidate.
    """
    if task_state(result) in _FAILED:
        said = " ".join(_texts(list(_parts(result)))) or "without saying why"
        raise Refused(
            agent, f"the task failed: {said[:200]}", code=_TASK_FAILED, reason="TASK_FAILED"
        )
    parts = list(_parts(result))
    first_fault: Malformed | None = None
    for candidate in _candidates(parts):
        try:
            return output.validate_python(candidate)
        except ValidationError as error:
            faults = "; ".join(
                f"{fault.field or 'answer'}: {fault.message}" for fault in violations_of(error)[:3]
            )
            first_fault = first_fault or Malformed(agent, faults, candidate)
    if first_fault:
        raise first_fault
    said = " ".join(_texts(parts))[:_CONTENT_SHOWN]
    raise Malformed(agent, "the reply holds no JSON object", said)


def _parts(result: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the parts of a message, or of a task: artifacts first, then what its status says."""
    message = result.get("message")
    if isinstance(message, dict):
        yield from _objects(message.get("parts"))
    task = result.get("task")
    if isinstance(task, dict):
        for artifact in _objects(task.get("artifacts")):
            yield from _objects(artifact.get("parts"))
        status = task.get("status")
        said = status.get("message") if isinstance(status, dict) else None
        if isinstance(said, dict):
            yield from _objects(said.get("parts"))


def _objects(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _texts(parts: list[dict[str, Any]]) -> list[str]:
    return [part["text"] for part in parts if isinstance(part.get("text"), str)]


def _candidates(parts: list[dict[str, Any]]) -> Iterator[Any]:
    """Yield what may be the output: data parts, then JSON in the texts."""
    yield from (part["data"] for part in parts if "data" in part)
    for text in _texts(parts):
        yield from _json_in(text)


def _json_in(text: str) -> Iterator[Any]:
    """Yield the JSON values of a text: all of it, its code fences, its outermost braces."""
    start, end = text.find("{"), text.rfind("}")
    braces = [text[start : end + 1]] if 0 <= start < end else []
    for piece in [text, *_FENCE.findall(text), *braces]:
        try:
            value = orjson.loads(piece)
        except orjson.JSONDecodeError:
            continue
        if isinstance(value, dict):
            yield value
