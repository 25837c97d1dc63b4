"""Extract the output from an agent's reply, a message or a task.

The output is a data part, or JSON in a text part, also inside a Markdown code fence. In a task, it
is in an artifact or the status message.
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
"""States of an unfinished task."""
_FAILED = {"TASK_STATE_FAILED", "TASK_STATE_REJECTED", "TASK_STATE_CANCELED"}
_TASK_FAILED = -32006

_FENCE = "```"
_FAULTS_SHOWN = 3
_CONTENT_SHOWN = 500


def task_state(result: dict[str, Any]) -> str | None:
    """Return the state of the task in a result, None if the result is not a task."""
    task = result.get("task")
    if not isinstance(task, dict):
        return None
    status = task.get("status")
    state = status.get("state") if isinstance(status, dict) else None
    return state if isinstance(state, str) else "TASK_STATE_UNSPECIFIED"


def read_output(
    agent: str, result: dict[str, Any], output: TypeAdapter[Any], bounds: ReplyBounds
) -> Any:
    """Return the first valid output in a reply.

    Raises RemoteRefused if the task failed, Malformed if no content is a valid output, with the
    faults of the first candidate.
    """
    if task_state(result) in _FAILED:
        message = _text_of(_parts(result)) or "no reason given"
        raise RemoteRefused(
            agent, f"the task failed: {message}", code=_TASK_FAILED, reason="TASK_FAILED"
        )
    first_fault: Malformed | None = None
    for candidate in _candidates(result, bounds):
        if bounds.is_too_deep(candidate):
            message = f"the answer is nested deeper than {bounds.deepest} levels"
            first_fault = first_fault or Malformed(agent, message)
            continue
        try:
            return output.validate_python(candidate)
        except ValidationError as error:
            if first_fault is None:
                first_fault = Malformed(agent, _faults(error), bounds.kept(candidate))
    if first_fault:
        raise first_fault
    content = _text_of(_parts(result), _CONTENT_SHOWN)
    raise Malformed(agent, "the reply contains no JSON object", content)


def _faults(error: ValidationError) -> str:
    return "; ".join(
        f"{fault.field or 'answer'}: {fault.message}"
        for fault in violations_of(error)[:_FAULTS_SHOWN]
    )


def _parts(result: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the parts of a message, or of a task: artifacts first, then the status message."""
    message = result.get("message")
    if isinstance(message, dict):
        yield from _objects(message.get("parts"))
    task = result.get("task")
    if isinstance(task, dict):
        for artifact in _objects(task.get("artifacts")):
            yield from _objects(artifact.get("parts"))
        status = task.get("status")
        update = status.get("message") if isinstance(status, dict) else None
        if isinstance(update, dict):
            yield from _objects(update.get("parts"))


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, dict))


def _texts(parts: Iterator[dict[str, Any]], at_most: int) -> Iterator[str]:
    """Yield the texts of parts, at most `at_most` characters in total."""
    left = at_most
    for part in parts:
        text = part.get("text")
        if isinstance(text, str) and text:
            yield text[:left]
            left -= len(text)
            if left <= 0:
                return


def _text_of(parts: Iterator[dict[str, Any]], limit: int = 200) -> str:
    return shown(" ".join(_texts(parts, 2 * limit)), limit)


def _candidates(result: dict[str, Any], bounds: ReplyBounds) -> Iterator[Any]:
    """Yield candidates for the output: data parts, then JSON objects in the texts."""
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
    """Yield substrings that may be an object: the text, fenced blocks, the outermost braces.

    Takes linear time.
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
