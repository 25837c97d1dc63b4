"""A typed call runs: counted, with every error a `CallFailure`; a plain one without the SDK.

Plain is a call in a JSON-RPC body in whose envelope everything is known and has one form. What has
not, is no plain call: protobuf's JSON accepts `task_id` for `taskId` and so on, so a list of what
is refused would miss a follow-up to a task. The SDK handles all other bodies, and
`sdk/message_reading.py` finds the call in them.

Labels of the metrics are the skills of the process's agents and fixed outcomes, never text of a
caller, so that callers cannot create new time series.
"""

import logging
import time
from bisect import bisect_left
from collections.abc import Awaitable, Callable, Iterable
from enum import Enum
from itertools import accumulate
from typing import Annotated, Any, Final, Literal, NamedTuple, get_args

import msgspec
import orjson
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString
from typing_extensions import override

from casino_agentkit.accepted_json import is_deeper
from casino_agentkit.agent import Agent
from casino_agentkit.entrypoint import Entrypoint, ReadInput
from casino_agentkit.errors import CommandRefused, InvalidInput, KitError, KitReason, Violation
from casino_agentkit.protocol import EXTENSION, MessageIds

logger = logging.getLogger(__name__)

CallOutcome = Literal["ok", "refused", "invalid", "failed"]
"""`refused`: a command not possible now; `invalid`: an input that violates the schema; `failed`:
an internal error, or a caller that disconnected."""

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_BOUNDS = (*map(floatToGoString, _BUCKETS), "+Inf")


class _Skill:
    """The calls of one skill."""

    __slots__ = ("by_bucket", "by_outcome", "seconds")

    def __init__(self) -> None:
        self.by_outcome: dict[CallOutcome, int] = dict.fromkeys(get_args(CallOutcome), 0)
        self.by_bucket = [0] * len(_BOUNDS)
        """Calls by the first bound that their duration does not exceed."""
        self.seconds = 0.0


class CallMetrics(Collector):
    """Counts and times typed calls by skill; `clock` returns seconds.

    Plain numbers of the event loop's thread: counters of the library lock at every increment.

    >>> calls = CallMetrics(CollectorRegistry())
    >>> calls.know(["act"])
    >>> calls.count("act", "ok", 0.002)
    """

    def __init__(
        self, registry: CollectorRegistry, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self.clock = clock
        self._skills: dict[str, _Skill] = {}
        registry.register(self)

    def know(self, skills: Iterable[str]) -> None:
        """Create the metrics of these skills, starting at 0."""
        for skill in skills:
            self._skills.setdefault(skill, _Skill())

    def count(self, skill: str, outcome: CallOutcome, seconds: float) -> None:
        calls = self._skills[skill]
        calls.by_outcome[outcome] += 1
        calls.by_bucket[bisect_left(_BUCKETS, seconds)] += 1
        calls.seconds += seconds

    @override
    def collect(self) -> Iterable[CounterMetricFamily | HistogramMetricFamily]:
        counted = CounterMetricFamily(
            "agent_calls",
            "Typed calls by skill and outcome (ok, refused, invalid, failed).",
            labels=["skill", "outcome"],
        )
        durations = HistogramMetricFamily(
            "agent_call_seconds",
            "How long a typed call took, from its input to its output.",
            labels=["skill"],
        )
        for skill, calls in self._skills.items():
            for outcome, count in calls.by_outcome.items():
                counted.add_metric([skill, outcome], count)
            buckets = list(zip(_BOUNDS, accumulate(calls.by_bucket), strict=True))
            durations.add_metric([skill], buckets, calls.seconds)
        yield counted
        yield durations


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


def too_deep(levels: int) -> InvalidInput:
    return InvalidInput((Violation("", f"must be nested at most {levels} levels deep"),))


_TypedId = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
_Filled = Annotated[str, msgspec.Meta(min_length=1)]


class _Empty(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """An object without members."""


class _CalledSkill(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    skill: str


class _Metadata(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    typed: _CalledSkill = msgspec.field(name="urn:a2a-casino:typed-entrypoints:v1")


class _CallPart(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    data: msgspec.Raw
    mediaType: Literal["application/json"] = "application/json"  # noqa: N815  as it is sent


class _CallMessage(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    messageId: _Filled  # noqa: N815
    role: Literal["ROLE_USER"]
    parts: tuple[_CallPart]
    metadata: _Metadata
    extensions: tuple[Literal["urn:a2a-casino:typed-entrypoints:v1"]]
    contextId: str = ""  # noqa: N815


class _Params(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    message: _CallMessage
    configuration: _Empty = _Empty()


class _Envelope(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    jsonrpc: Literal["2.0"]
    id: str | _TypedId
    method: Literal["SendMessage"]
    params: _Params


_ENVELOPE: Final = msgspec.json.Decoder(_Envelope)


class PlainCall(NamedTuple):
    """A plain typed call: the entrypoint, its input as it was read, and what the reply repeats."""

    entrypoint: Entrypoint
    call_input: ReadInput
    context_id: str
    request_id: str | int


def recognise(body: bytes | memoryview, agent: Agent) -> PlainCall | None:
    """Return the plain typed call in a JSON-RPC body, None if it is none."""
    try:
        str(body, "utf-8")  # msgspec validates no text that it skips
        envelope = _ENVELOPE.decode(body)
        message = envelope.params.message
        entrypoint = agent.entrypoints[message.metadata.typed.skill]
        call_input = entrypoint.read_json(bytes(message.parts[0].data))
    except (KeyError, ValueError, RecursionError):
        # Errors of every decoder are a ValueError; one that is nested too deep ends in recursion.
        return None
    if not call_input.is_message and _is_too_deep(call_input, agent.data_levels):
        return None
    return PlainCall(entrypoint, call_input, message.contextId, envelope.id)


def _is_too_deep(call_input: ReadInput, levels: int) -> bool:
    # The number of brackets is an upper bound of the depth, and cheap to count.
    brackets = call_input.data.count(b"{") + call_input.data.count(b"[")
    return brackets > levels and is_deeper(call_input.content, levels)


_RESPONSE: Final = (
    b'{"jsonrpc":"2.0","id":%b,"result":{"message":{"contextId":%b,"messageId":"%b",'
    b'"role":"ROLE_AGENT","extensions":['
    + orjson.dumps(EXTENSION)
    + b'],"parts":[{"data":%b,"mediaType":"application/json"}]}}}'
)


class PlainCalls:
    """Answers plain typed calls; one for all agents of a process."""

    def __init__(self, calls: CallMetrics) -> None:
        self._calls = calls
        self._ids = MessageIds()

    async def reply(self, call: PlainCall) -> bytes:
        """Run a call; return its JSON-RPC response, an error included."""
        entrypoint, call_input, context_id, request_id = call
        try:
            output = await run(entrypoint.skill, entrypoint.answer(call_input), self._calls)
        except CallFailure as failed:
            return failed.rpc_reply(request_id)
        return self._response(request_id, context_id, output)

    def computed_reply(self, call: PlainCall) -> bytes:
        """Do as `reply` for an entrypoint that answers at once."""
        entrypoint, call_input, context_id, request_id = call
        try:
            output = compute(entrypoint.skill, lambda: entrypoint.computed(call_input), self._calls)
        except CallFailure as failed:
            return failed.rpc_reply(request_id)
        return self._response(request_id, context_id, output)

    def _response(self, request_id: str | int, context_id: str, output: bytes) -> bytes:
        message_id = self._ids.next()
        return _RESPONSE % (
            orjson.dumps(request_id),
            orjson.dumps(context_id or message_id),
            message_id.encode(),
            output,
        )
