"""The slow, complete client side: the SDK's client, for HTTP+JSON and for cards of A2A 0.3."""

from collections.abc import Callable
from typing import Any

import httpx
import orjson
from a2a.client import ClientConfig, ClientFactory
from a2a.client.client import Client, ClientCallContext
from a2a.client.errors import A2AClientError, A2AClientTimeoutError
from a2a.types import AgentCard, GetTaskRequest, Message, Part, Role, SendMessageRequest
from a2a.utils.errors import JSON_RPC_ERROR_CODE_MAP, A2AError
from google.protobuf.json_format import MessageToDict

from casino_agentkit.errors import ProtocolFault, Refused, TimedOut, Unreachable
from casino_agentkit.jsonrpc import told_in, violations_in
from casino_agentkit.values import to_value
from casino_agentkit.wire import EXTENSION, EXTENSIONS_HEADER, JSON, MessageIds

HttpxFactory = Callable[[], httpx.AsyncClient]
BINDINGS = ["HTTP+JSON", "JSONRPC"]


class SdkBinding:
    """Calls one agent through whichever interface the SDK's client finds in its card."""

    def __init__(self, card: AgentCard, url: str, http: httpx.AsyncClient, ids: MessageIds) -> None:
        self._url = url
        self._ids = ids
        config = ClientConfig(
            streaming=False, httpx_client=http, supported_protocol_bindings=BINDINGS
        )
        try:
            self._client: Client = ClientFactory(config).create(card)
        except ValueError as error:
            raise ProtocolFault(url, "its card names no interface that can be called") from error

    async def send(
        self,
        skill: str,
        data: bytes,
        text: str | None,
        context_id: str | None,
        timeout_s: float,
        token: str | None = None,
    ) -> dict[str, Any]:
        """Send a typed call and return the result, a message or a task, as JSON."""
        parts = [Part(text=text)] if text else []
        parts.append(Part(data=to_value(orjson.loads(data)), media_type=JSON))
        message = Message(
            message_id=self._ids.next(),
            context_id=context_id or "",
            role=Role.ROLE_USER,
            extensions=[EXTENSION],
            parts=parts,
        )
        message.metadata.update({EXTENSION: {"skill": skill}})
        request = SendMessageRequest(message=message)
        result: dict[str, Any] = {}
        try:
            async for reply in self._client.send_message(
                request, context=_context(timeout_s, token)
            ):
                result = MessageToDict(reply)
        except Exception as error:
            raise self._translated(error) from error
        return result

    async def get_task(self, task_id: str, timeout_s: float) -> dict[str, Any]:
        """Return the task as it stands, as a result."""
        try:
            task = await self._client.get_task(
                GetTaskRequest(id=task_id), context=_context(timeout_s)
            )
        except Exception as error:
            raise self._translated(error) from error
        return {"task": MessageToDict(task)}

    def _translated(self, error: Exception) -> Exception:
        """Return our error for one of the SDK's, httpx's or the parsers'."""
        cause = error.__cause__
        if isinstance(error, A2AClientTimeoutError | httpx.TimeoutException):
            return TimedOut(self._url, "no reply within the deadline")
        if isinstance(error, httpx.TransportError) or isinstance(cause, httpx.TransportError):
            return Unreachable(self._url, str(error) or "no connection")
        if isinstance(error, A2AError) and type(error) in JSON_RPC_ERROR_CODE_MAP:
            return self._refused(error)
        if isinstance(error, A2AClientError | httpx.HTTPError):
            return ProtocolFault(self._url, str(error)[:200])
        return ProtocolFault(self._url, f"no A2A reply ({type(error).__name__})")

    def _refused(self, error: A2AError) -> Refused:
        data = error.data if isinstance(error.data, dict) else {}
        return Refused(
            self._url,
            error.message,
            code=JSON_RPC_ERROR_CODE_MAP[type(error)],
            reason=str(data.get("reason") or "UNKNOWN"),
            violations=tuple(violations_in(data.get("errors"), "message")),
            details=told_in(data),
        )


def _context(timeout_s: float, token: str | None = None) -> ClientCallContext:
    parameters = {EXTENSIONS_HEADER: EXTENSION}
    if token:
        parameters["Authorization"] = f"Bearer {token}"
    return ClientCallContext(timeout=timeout_s, service_parameters=parameters)
