"""Reading the output out of whatever an agent replies: strict agents, chatty ones, Task-based ones.

A reply is a Message, or a Task whose artifact or status message holds the output; in a data part,
or as JSON in a text part, also inside a Markdown code fence.
"""

from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

import orjson
from pydantic import TypeAdapter, ValidationError

from casino_agentkit.bounds import ReplyBounds, shown
from casino_agentkit.entrypoint import violations_of
from casino_agentkit.errors import Malformed, RemoteRefused

WORKING = {"TASK_STATE_SUBMITTED", "TASK_STATE_WORKING", "TASK_STATE_UNSPECIFIED"}
"""States of a task that is worth waiting for."""
_FAILED = {"TASK_STATE_FAILED", "TASK_STATE_REJECTED", "TASK_STATE_CANCELED"}
_TASK_FAILED = -32006

_FENCE = "```"
_FAULTS_SHOWN = 3
_CONTENT_SHOWN = 500


def task_state(result: dict[str, Any]) -> str | None:
    """Return the state of the task in a result; None if the result is no task."""
    task = result.get("task")
    if not isinstance(task, dict):
        return None
    status = task.get("status")
    state = status.get("state") if isinstance(status, dict) else None
    return state if isinstance(state, str) else "TASK_STATE_UNSPECIFIED"


def read_output(
    agent: str, result: dict[str, Any], output: TypeAdapter[Any], bounds: ReplyBounds
) -> Any:
    """Return the first content of a reply that is a valid output.

    Raises Refused when the task failed, Malformed when nothing in the reply is a valid output; it
    names the faults of the most likely candidate.
    """
    if task_state(result) in _FAILED:
        said = _said(_parts(result)) or "without saying why"
        raise RemoteRefused(
            agent, f"the task failed: {said}", code=_TASK_FAILED, reason="TASK_FAILED"
        )
    first_fault: Malformed | None = None
    for candidate in _candidates(result, bounds):
        if bounds.is_too_deep(candidate):
            told = f"the answer is nested deeper than {bounds.deepest} levels"
            first_fault = first_fault or Malformed(agent, told)
            continue
        try:
            return output.validate_python(candidate)
        except ValidationError as error:
            if first_fault is None:
                first_fault = Malformed(agent, _faults(error), bounds.kept(candidate))
    if first_fault:
        raise first_fault
    raise Malformed(agent, "the reply holds no JSON object", _said(_parts(result), _CONTENT_SHOWN))


def _faults(error: ValidationError) -> str:
    return "; ".join(
        f"{fault.field or 'answer'}: {fault.message}"
        for fault in violations_of(error)[:_FAULTS_SHOWN]
    )


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


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, dict))


def _texts(parts: Iterator[dict[str, Any]], at_most: int) -> Iterator[str]:
    """Yield the texts of parts, until they come to so many characters."""
    left = at_most
    for part in parts:
        text = part.get("text")
        if isinstance(text, str) and text:
            yield text[:left]
            left -= len(text)
            if left <= 0:
                return


def _said(parts: Iterator[dict[str, Any]], limit: int = 200) -> str:
    return shown(" ".join(_texts(parts, 2 * limit)), limit)


def _candidates(result: dict[str, Any], bounds: ReplyBounds) -> Iterator[Any]:
    """Yield what may be the output: data parts, then JSON objects in the texts."""
    data = (part["data"] for part in _parts(result) if "data" in part)
    yield from islice(data, bounds.candidates)
    texts = _texts(_parts(result), bounds.text)
    pieces = chain.from_iterable(map(_pieces, texts))
    for piece in islice(pieces, bounds.candidates):
        try:
            value = orjson.loads(piece)
        except orjson.JSONDecodeError:
            continue
        if isinstance(value, dict):
            yield value


def _pieces(text: str) -> Iterator[str]:
    """Yield what may be an object: the text, the braces in its fences, its outermost braces.

    Each is looked for from where the last one ended: the time is linear.
    """
    start, end = text.find("{"), text.rfind("}") + 1
    if not 0 <= start < end:
        return
    yield text
    opening = text.find(_FENCE)
    while opening >= 0:
        inside = opening + len(_FENCE)
        closing = text.find(_FENCE, inside)
        if closing < 0:
            break
        brace = text.find("{", inside, closing)
        if brace >= 0:
            yield text[brace:closing]
        opening = text.find(_FENCE, closing + len(_FENCE))
    yield text[start:end]
