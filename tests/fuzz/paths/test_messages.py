"""Generated hot messages have the same verdict and values, read by msgspec or by the model."""

import random
from collections import Counter
from collections.abc import Callable
from typing import Any, Final

import orjson
import pytest
from casino_agentkit import HttpReply, ProtocolFault
from casino_agentkit.accepted_json import ReplyBounds
from casino_agentkit.client.agent_reply import read_output
from casino_agentkit.client.jsonrpc import JsonRpcBinding, ReadAnswer
from casino_agentkit.client.remote_agent import _context_id
from casino_agentkit.entrypoint import adapter_of
from casino_agentkit.errors import AgentError
from casino_agentkit.protocol import MessageIds
from casino_contracts import (
    ActionRequest,
    ActionResponse,
)
from casino_contracts.fast_struct import FastReader
from fuzz.paths.plan import CASE, INPUTS, Differences, numbers, tell
from fuzz.paths.questions import answer, question
from fuzz.paths.said import values_of
from fuzz.values import SPOILT, encoded, mutated
from pydantic import TypeAdapter, ValidationError

URL: Final = "http://player/"
LEAST_SHARE: Final = 0.05
"""The share of inputs that each verdict has at least: else the generator proves nothing."""
_VERDICTS: Final = ("hot", "model", "refused")


def written(rng: random.Random, value: Any) -> bytes:
    """Return the JSON of a value: as it is, or with changes to its values or its bytes."""
    draw = rng.random()
    if draw < 0.35:
        return encoded(value)
    if draw < 0.9:
        return encoded(mutated(rng, value))
    return rng.choice(SPOILT)(rng, encoded(value))


def by_model(adapter: TypeAdapter[Any], data: bytes) -> Any:
    """Return the values that the complete path reads, None if it refuses the input."""
    try:
        return values_of(adapter.validate_python(orjson.loads(data)))
    except (ValidationError, orjson.JSONDecodeError):
        return None


def by_msgspec(read: Callable[[bytes], Any], data: bytes) -> Any:
    """Return the values that the hot reader reads, None if it leaves the input to the model."""
    try:
        return values_of(read(data))
    except ValueError:
        return None


@pytest.mark.parametrize(
    ("what", "make", "read", "model"),
    [
        ("questions", question, FastReader(ActionRequest).read, ActionRequest),
        ("answers", answer, FastReader(ActionResponse).read, ActionResponse),
    ],
)
def test_messages(
    what: str, make: Callable[[random.Random], Any], read: Callable[[bytes], Any], model: Any
) -> None:
    """What msgspec takes, the model takes, with the same values in numbers of the same kind."""
    adapter, differences = TypeAdapter[Any](model), Differences()
    verdicts = Counter[str]()
    for name, rng in numbers(what, INPUTS):
        data = written(rng, make(rng))
        hot, complete = by_msgspec(read, data), by_model(adapter, data)
        verdicts["hot" if hot is not None else "model" if complete is not None else "refused"] += 1
        if hot is not None and repr(hot) != repr(complete):
            differences.add(name, data, hot, complete)
    tell(f"{what} {dict(verdicts)}, {len(differences)} differences")
    assert not len(differences), str(differences)
    _assert_each_has_its_share(verdicts)


def _assert_each_has_its_share(verdicts: Counter[str]) -> None:
    least = min(verdicts[one] for one in _VERDICTS)
    assert CASE or least > LEAST_SHARE * verdicts.total(), verdicts


class OneReply:
    """A transport whose every reply is the same, but for the id of the call."""

    def __init__(self) -> None:
        self.body: Callable[[bytes], bytes]

    async def send(self, *request: Any) -> HttpReply:
        return HttpReply(200, self.body(orjson.loads(request[3])["id"].encode()))

    async def check_link(self, source: str, target: str) -> None:
        """Allow every link."""

    async def close(self) -> None:
        """Do nothing."""


def reply_to(rng: random.Random) -> Callable[[bytes], bytes]:
    """Return the JSON-RPC reply to a call: right, or with changes anywhere in it."""
    message: dict[str, Any] = {
        "messageId": "m",
        "role": "ROLE_AGENT",
        "parts": [{"data": answer(rng), "mediaType": "application/json"}],
    }
    if rng.random() < 0.5:
        message["contextId"] = rng.choice(("c", "", "x" * 300, "a b", "\u00e9", 7, None))
    whole = {"jsonrpc": "2.0", "id": "THE-ID", "result": {"message": message}}
    data = written(rng, whole)
    return lambda call_id: data.replace(b"THE-ID", call_id)


async def test_replies_to_calls() -> None:
    """An answer read at once is the one that is read from its result, with the same context."""
    transport, bounds, differences = OneReply(), ReplyBounds(), Differences()
    binding = JsonRpcBinding(transport, URL, "", MessageIds(), bounds)
    verdicts, read_at_once = Counter[str](), FastReader(ActionResponse).read
    for name, rng in numbers("rpc", INPUTS):
        transport.body = reply_to(rng)
        ends = []
        for read in (read_at_once, None):
            kind, end = await _asked(binding, read, bounds)
            verdicts[kind] += read is not None
            ends.append(end)
        if repr(ends[0]) != repr(ends[1]):
            differences.add(name, transport.body(b"THE-ID"), *ends)
    tell(f"replies to calls {dict(verdicts)}, {len(differences)} differences")
    assert not len(differences), str(differences)
    _assert_each_has_its_share(verdicts)


async def _asked(
    binding: JsonRpcBinding, read: Callable[[bytes], Any] | None, bounds: ReplyBounds
) -> tuple[str, Any]:
    try:
        reply = await binding.ask("act", b"{}", None, 1, None, read)
        if isinstance(reply, ReadAnswer):
            return "hot", (values_of(reply.output), reply.context_id)
        output = read_output(URL, reply, adapter_of(ActionResponse), bounds)
    except (AgentError, ProtocolFault) as error:
        return "refused", (type(error).__name__, error.message)
    return "model", (values_of(output), _context_id(reply) or "")
