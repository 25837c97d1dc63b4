"""What an agent replied: the output in a message or a task, or its refusal.

The output is a data part, or JSON in a text part, also inside a Markdown code fence, split over the
text parts of a message or artifact, or as the value of `result`. In a task, it is in an artifact or
the status message.
"""

from collections.abc import Iterator
from itertools import chain, islice
from typing import Any, Final

import orjson
from pydantic import TypeAdapter, ValidationError

from casino_agentkit.accepted_json import ReplyBounds, nan_in, shown
from casino_agentkit.errors import KitReason, Malformed, RemoteRefused, Violation
from casino_agentkit.protocol import is_id, is_key, reason_of
from casino_agentkit.violations import violations_text

WORKING = {"TASK_STATE_SUBMITTED", "TASK_STATE_WORKING", "TASK_STATE_UNSPECIFIED"}
"""States of an unfinished task."""
AUTH_REQUIRED = "TASK_STATE_AUTH_REQUIRED"
_FAILED = {"TASK_STATE_FAILED", "TASK_STATE_REJECTED", "TASK_STATE_CANCELED"}
TASK_FAILED = -32006  # the JSON-RPC code of an answer without a result

_FENCE = "```"
_FAULTS_SHOWN = 3
_CONTENT_SHOWN = 500
_NO_OBJECT = {"model_type", "model_attributes_type", "dict_type", "dataclass_type"}
_KINDS = ((bool, "true or false"), (str, "a string"), (int | float, "a number"), (list, "an array"))
_RESULT = '{"message": {"role": "ROLE_AGENT", "messageId": "...", "parts": [{"data": {...}}]}}'
"""A result with an answer."""


def task_state(result: dict[str, Any]) -> str | None:
    """Return the state of the task in a result, None if the result is not a task."""
    task = result.get("task")
    if not isinstance(task, dict):
        return None
    status = task.get("status")
    state = status.get("state") if isinstance(status, dict) else None
    return state if isinstance(state, str) else "TASK_STATE_UNSPECIFIED"


def task_id_of(result: dict[str, Any]) -> str | None:
    """Return the id of the task in a result, None if it has no valid one."""
    task = result.get("task")
    task_id = task.get("id") if isinstance(task, dict) else None
    return str(task_id) if is_id(task_id) else None


def said_in(result: dict[str, Any]) -> str:
    """Return the text in a result as one bounded line."""
    return _text_of(_parts(result))


def read_output(
    agent: str, result: dict[str, Any], output: TypeAdapter[Any], bounds: ReplyBounds
) -> Any:
    """Raise RemoteRefused of a failed task, Malformed with the first candidate's faults."""
    if task_state(result) in _FAILED:
        message = said_in(result) or "no reason given"
        raise RemoteRefused(
            agent, f"the task failed: {message}", code=TASK_FAILED, reason=KitReason.TASK_FAILED
        )
    first_fault: Malformed | None = None
    for candidate in _with_inner(_candidates(result, bounds)):
        if bounds.is_too_deep(candidate):
            message = f"the answer is nested deeper than {bounds.deepest} levels"
            first_fault = first_fault or Malformed(agent, message)
            continue
        try:
            return output.validate_python(candidate)
        except ValidationError as error:
            if first_fault is None:
                faults = _faults_of(error, candidate)
                first_fault = Malformed(agent, faults, bounds.kept(candidate))
    if first_fault:
        try:
            raise first_fault
        finally:
            del first_fault  # else this frame and the error keep each other, and the whole reply
    content = _text_of(_parts(result), _CONTENT_SHOWN)
    raise Malformed(agent, _why_none(result, content), content)


def _faults_of(error: ValidationError, candidate: Any) -> str:
    """Return the first faults of a candidate, in words of JSON if it is no object at all."""
    first = error.errors(include_url=False, include_input=False)[0]
    if first["loc"] or first["type"] not in _NO_OBJECT or isinstance(candidate, dict):
        return violations_text(error, "answer", data=candidate, at_most=_FAULTS_SHOWN)
    kind = next((name for kind, name in _KINDS if isinstance(candidate, kind)), "null")
    return f"the answer is {kind}, not a JSON object"


def _why_none(result: dict[str, Any], content: str) -> str:
    if "message" not in result and "task" not in result:
        return f"the result is neither a message nor a task: send {_RESULT}"
    name = nan_in(content)
    why = f": {name} is no JSON number" if name else ""
    return f"the reply contains no JSON object{why}"


def _parts(result: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return chain.from_iterable(_contents(result))


def _contents(result: dict[str, Any]) -> Iterator[Iterator[dict[str, Any]]]:
    """Yield the parts of the message, or of each artifact and the status message of a task."""
    message = result.get("message")
    if isinstance(message, dict):
        yield _objects(message.get("parts"))
    task = result.get("task")
    if isinstance(task, dict):
        for artifact in _objects(task.get("artifacts")):
            yield _objects(artifact.get("parts"))
        status = task.get("status")
        update = status.get("message") if isinstance(status, dict) else None
        if isinstance(update, dict):
            yield _objects(update.get("parts"))


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


def _joined_texts(result: dict[str, Any], at_most: int) -> Iterator[str]:
    """Yield the text of each content that is split over several parts; `at_most` as in `_texts`."""
    left = at_most
    for parts in _contents(result):
        texts = list(_texts(parts, left)) if left > 0 else []
        left -= sum(map(len, texts))
        if len(texts) > 1:
            yield "".join(texts)


def _text_of(parts: Iterator[dict[str, Any]], limit: int = 200) -> str:
    return shown(" ".join(_texts(parts, 2 * limit)), limit)


def _with_inner(candidates: Iterator[Any]) -> Iterator[Any]:
    """Yield candidates, and after each the object that it has as `result`, one level deep."""
    for candidate in candidates:
        yield candidate
        inner = candidate.get("result") if isinstance(candidate, dict) else None
        if isinstance(inner, dict):
            yield inner


def _candidates(result: dict[str, Any], bounds: ReplyBounds) -> Iterator[Any]:
    """Yield candidates for the output: data parts, then JSON objects in the texts."""
    data = (part["data"] for part in _parts(result) if "data" in part)
    yield from islice(data, bounds.candidates)
    yield from _objects_in(_texts(_parts(result), bounds.text), bounds)
    yield from _objects_in(_joined_texts(result, bounds.text), bounds)


def _objects_in(texts: Iterator[str], bounds: ReplyBounds) -> Iterator[dict[str, Any]]:
    pieces = chain.from_iterable(map(_pieces, texts))
    for piece in islice(pieces, bounds.candidates):
        try:
            value = orjson.loads(piece)
        except orjson.JSONDecodeError:
            continue
        if isinstance(value, dict):
            yield value


def _pieces(text: str) -> Iterator[str]:
    """Yield, in linear time, what may be an object: all, fenced blocks, the outermost braces."""
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


_ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo"
_MAX_ENTRIES = 20  # maximum number of violations or details kept
_FIELD_SHOWN = 128


def refused(agent: str, error: Any) -> RemoteRefused:
    """Convert a JSON-RPC error object to a refusal; missing parts get defaults."""
    fields = error if isinstance(error, dict) else {}
    code = fields.get("code")
    reason = ""
    violations: list[Violation] = []
    further: dict[str, str] = {}
    details = fields.get("data")
    for detail in details[:_MAX_ENTRIES] if isinstance(details, list) else []:
        if not isinstance(detail, dict):
            continue
        if detail.get("@type") == _ERROR_INFO:
            metadata = detail.get("metadata")
            metadata = metadata if isinstance(metadata, dict) else {}
            reason = reason_of(metadata.get("reason")) or reason_of(detail.get("reason"))
            violations += violations_in(metadata.get("errors"), "message")
            further = details_in(metadata)
        elif not violations:
            violations += violations_in(detail.get("fieldViolations"), "description")
    return RemoteRefused(
        agent,
        text_of(fields.get("message")) or "refused without a reason",
        code=code if isinstance(code, int) else 0,
        reason=reason or KitReason.UNKNOWN,
        violations=tuple(violations[:_MAX_ENTRIES]),
        details=further,
    )


def text_of(value: Any) -> str:
    """Return an untrusted text, bounded, "" if it is not a string."""
    return shown(value) if isinstance(value, str) else ""


def details_in(metadata: Any) -> dict[str, str]:
    """Return the strings of a refusal's metadata, except its reason; {} if it is no object."""
    further: dict[str, str] = {}
    for key, value in metadata.items() if isinstance(metadata, dict) else ():
        if key != "reason" and is_key(key) and isinstance(value, str):
            further[key] = shown(value)
            if len(further) == _MAX_ENTRIES:
                break
    return further


def violations_in(entries: Any, described_as: str) -> list[Violation]:
    """Return the violations in a list; invalid entries are skipped."""
    return [
        Violation(
            shown(text_of(entry.get("field")), _FIELD_SHOWN), text_of(entry.get(described_as))
        )
        for entry in (entries[:_MAX_ENTRIES] if isinstance(entries, list) else [])
        if isinstance(entry, dict)
    ]


def issues_in(issues: Any) -> tuple[Violation, ...]:
    """Return the violations in the `issues` of the invoke profile; invalid ones are skipped."""
    return tuple(
        Violation(shown(_path_of(issue.get("path")), _FIELD_SHOWN), text_of(issue.get("message")))
        for issue in (issues[:_MAX_ENTRIES] if isinstance(issues, list) else [])
        if isinstance(issue, dict)
    )


def _path_of(path: Any) -> str:
    parts = path[:_MAX_ENTRIES] if isinstance(path, list) else []
    return ".".join(str(part)[:_FIELD_SHOWN] for part in parts if isinstance(part, str | int))


_LONGEST_S: Final = 86_400
_DIGITS: Final = len(str(_LONGEST_S))


def retry_after_s(header: str) -> float | None:
    """Return the seconds after which a call may be repeated; None for a date or anything else.

    >>> retry_after_s("5"), retry_after_s(""), retry_after_s("Fri, 31 Dec 1999 23:59:59 GMT")
    (5.0, None, None)
    """
    text = header.strip()
    if not text.isascii() or not text.isdecimal():
        return None
    return float(_LONGEST_S if len(text) > _DIGITS else min(int(text), _LONGEST_S))
