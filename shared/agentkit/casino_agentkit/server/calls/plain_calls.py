"""Replies to plain typed calls, as JSON-RPC responses."""

from typing import Final

import orjson

from casino_agentkit.metrics import CallMetrics
from casino_agentkit.protocol import EXTENSION, MessageIds
from casino_agentkit.server.calls.dispatch import compute, run
from casino_agentkit.server.calls.failure import CallFailure
from casino_agentkit.server.calls.recognition import PlainCall

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
