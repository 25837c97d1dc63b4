"""What an agent replied: the output in a message or a task, or its refusal.

The output is a data part, also as its `result`, or the answer in the text of a message or artifact
(`answer_in_text.py`), which may be split over parts. In a task, it is in an artifact or the status
message. Two outputs that differ are a fault.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, islice
from typing import Any, Final, NamedTuple

from pydantic import TypeAdapter, ValidationError

from casino_agentkit.accepted_json import ReplyBounds, shown
from casino_agentkit.answer_in_text import Json, Sought, TextAnswer, read_answer
from casino_agentkit.errors import KitReason, Malformed, RemoteRefused, Violation
from casino_agentkit.protocol import is_id, is_key, reason_of
from casino_agentkit.violations import violations_text

WORKING = {"TASK_STATE_SUBMITTED", "TASK_STATE_WORKING", "TASK_STATE_UNSPECIFIED"}
"""States of an unfinished task."""
AUTH_REQUIRED = "TASK_STATE_AUTH_REQUIRED"
_FAILED = {"TASK_STATE_FAILED", "TASK_STATE_REJECTED", "TASK_STATE_CANCELED"}
TASK_FAILED = -32006  # the JSON-RPC code of an answer without a result

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
    agent: str,
    result: dict[str, Any],
    output: TypeAdapter[Any],
    bounds: ReplyBounds,
    *,
    reads_words: bool = False,
) -> Any:
    """Raise RemoteRefused of a failed task, Malformed with what is wrong and where.

    With `reads_words` an action that a text says in words counts.
    """
    if task_state(result) in _FAILED:
        message = said_in(result) or "no reason given"
        raise RemoteRefused(
            agent, f"the task failed: {message}", code=TASK_FAILED, reason=KitReason.TASK_FAILED
        )
    reader = _OutputReader(agent, output, bounds)
    reader.read_data(result)
    if not reader.answers:
        reader.read_texts(result, reads_words=reads_words)
    return reader.only_answer(result)


_Answer = tuple[Any, Any]
"""A valid output, and the JSON value that it is of."""


class _OutputReader:
    """Collects the outputs in a result, and what is wrong with others."""

    def __init__(self, agent: str, output: TypeAdapter[Any], bounds: ReplyBounds) -> None:
        self.answers: list[_Answer] = []
        self._faults: list[Malformed] = []
        self._passed_over: list[Malformed] = []  # of objects that have no field of the output
        self._without = "the reply contains no JSON object"
        self._agent = agent
        self._output = output
        self._bounds = bounds

    def read_data(self, result: dict[str, Any]) -> None:
        data = (part["data"] for part in _parts(result) if "data" in part)
        for candidate in _with_inner(islice(data, self._bounds.candidates)):
            try:
                self.answers.append(self._fit(candidate))
            except ValueError as error:
                fault = self._malformed(str(error), candidate)
                is_meant = isinstance(candidate, dict) and not _shape(
                    self._output
                ).required.isdisjoint(candidate)
                (self._faults if is_meant else self._passed_over).append(fault)
        if self.answers:
            self._faults.clear()

    def read_texts(self, result: dict[str, Any], *, reads_words: bool) -> None:
        shape = _shape(self._output)
        sought = Sought(
            self._fit, shape.decision, shape.required, shape.words, reads_words=reads_words
        )
        for text in _joined_texts(result, self._bounds.text):
            read = read_answer(text, sought, self._bounds.text)
            if isinstance(read, TextAnswer):
                self.answers.append(read.value)
            elif read.is_attempt:
                self._faults.append(self._malformed(read.message, read.document))
            else:
                self._without = read.message.replace("the text", "the reply", 1)

    def only_answer(self, result: dict[str, Any]) -> Any:
        """Return the output; raises Malformed if there is none, or there are different ones."""
        if self.answers[1:]:
            decisions = list(map(_shape(self._output).decision, self.answers))
            if decisions.count(decisions[0]) < len(decisions):
                self._faults.append(self._malformed("the reply has different answers: send one"))
        if self._faults:
            raise self._faults[0]
        if self.answers:
            return self.answers[0][0]
        if self._passed_over:
            raise self._passed_over[0]
        if "message" not in result and "task" not in result:
            self._without = f"the result is neither a message nor a task: send {_RESULT}"
        raise Malformed(self._agent, self._without, _text_of(_parts(result), _CONTENT_SHOWN))

    def _fit(self, candidate: Any) -> _Answer:
        if self._bounds.is_too_deep(candidate):
            raise ValueError(f"the answer is nested deeper than {self._bounds.deepest} levels")
        try:
            return self._output.validate_python(candidate), candidate
        except ValidationError as error:
            raise ValueError(_faults_of(error, candidate)) from None

    def _malformed(self, message: str, content: Any = None) -> Malformed:
        return Malformed(self._agent, message, self._bounds.kept(content))


class _Shape(NamedTuple):
    """What the schema of an output says."""

    required: frozenset[str]
    known: frozenset[str]  # the names of all its fields
    words: tuple[str, ...]  # the values of required fields that have a list of them

    def decision(self, answer: _Answer) -> Json:
        """Return the JSON in which answers must not differ: all but texts beside it."""
        return {
            name: item
            for name, item in answer[1].items()
            if name in self.required or (name in self.known and not isinstance(item, str | None))
        }


@lru_cache(256)
def schema_of(output: TypeAdapter[Any]) -> Json:
    """Return the schema of an output; it takes 500 us to build."""
    return output.json_schema(by_alias=True)


@lru_cache(256)
def _shape(output: TypeAdapter[Any]) -> _Shape:
    schema = schema_of(output)
    fields = schema.get("properties", {})
    required = frozenset(schema.get("required", ()))
    words = (word for name in sorted(required) for word in fields.get(name, {}).get("enum", ()))
    named = tuple(word for word in words if isinstance(word, str))
    return _Shape(required, frozenset(fields), named)


def _faults_of(error: ValidationError, candidate: Any) -> str:
    """Return the first faults of a candidate, in words of JSON if it is no object at all."""
    first = error.errors(include_url=False, include_input=False)[0]
    if first["loc"] or first["type"] not in _NO_OBJECT or isinstance(candidate, dict):
        return violations_text(error, "answer", data=candidate, at_most=_FAULTS_SHOWN)
    kind = next((name for kind, name in _KINDS if isinstance(candidate, kind)), "null")
    return f"the answer is {kind}, not a JSON object"


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
    """Yield the whole text of each content; the last one may exceed `at_most` in total."""
    left = at_most
    for parts in _contents(result):
        text = "".join(_texts(parts, left + 1))
        if text:
            yield text
        left -= len(text)
        if left < 0:
            return


def _text_of(parts: Iterator[dict[str, Any]], limit: int = 200) -> str:
    return shown(" ".join(_texts(parts, 2 * limit)), limit)


def _with_inner(candidates: Iterator[Any]) -> Iterator[Any]:
    """Yield candidates, and after each the object that it has as `result`, one level deep."""
    for candidate in candidates:
        yield candidate
        inner = candidate.get("result") if isinstance(candidate, dict) else None
        if isinstance(inner, dict):
            yield inner


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
