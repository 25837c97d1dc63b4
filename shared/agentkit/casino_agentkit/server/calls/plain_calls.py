"""Plain typed calls in JSON-RPC bodies: recognised, and answered; the SDK handles all other bodies.

Everything that stands in the envelope is known and has one form. What has not, is no plain call:
protobuf's JSON accepts `task_id` for `taskId` and so on, so a list of what is refused would miss a
follow-up to a task.
"""

from typing import Annotated, Final, Literal, NamedTuple

import msgspec
import orjson

from casino_agentkit.accepted_json import is_deeper
from casino_agentkit.agent import Agent
from casino_agentkit.call_metrics import CallMetrics
from casino_agentkit.entrypoint import Entrypoint, ReadInput
from casino_agentkit.protocol import EXTENSION, MessageIds
from casino_agentkit.server.calls.dispatch import CallFailure, compute, run

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
