"""Client binding through the SDK's client, for HTTP+JSON and for A2A 0.3."""

from typing import Any

import httpx
import orjson
from a2a.client import ClientConfig, ClientFactory
from a2a.client.client import Client, ClientCallContext
from a2a.client.errors import A2AClientTimeoutError
from a2a.types import (
    AgentCard,
    AgentInterface,
    GetTaskRequest,
    Message,
    Part,
    Role,
    SendMessageRequest,
)
from a2a.utils.errors import JSON_RPC_ERROR_CODE_MAP, A2AError
from google.protobuf.json_format import MessageToDict

from casino_agentkit.bounds import reason_of
from casino_agentkit.client.refusals import details_in, text_of, violations_in
from casino_agentkit.errors import AgentError, ProtocolFault, RemoteRefused, TimedOut
from casino_agentkit.protobuf_values import to_value
from casino_agentkit.protocol import EXTENSION, EXTENSIONS_HEADER, JSON, MessageIds

BINDINGS = ["HTTP+JSON", "JSONRPC"]
_PATH_DELIMITERS = frozenset("/?#%\\")


class SdkBinding:
    """Calls one agent through one interface of its card, with the SDK's client over `http`."""

    def __init__(
        self,
        card: AgentCard,
        interface: AgentInterface,
        url: str,
        http: httpx.AsyncClient,
        ids: MessageIds,
    ) -> None:
        self._url = url
        self._ids = ids
        config = ClientConfig(
            streaming=False, httpx_client=http, supported_protocol_bindings=BINDINGS
        )
        single = AgentCard()
        single.CopyFrom(card)
        del single.supported_interfaces[:]
        single.supported_interfaces.append(interface)  # only this one was checked
        try:
            self._client: Client = ClientFactory(config).create(single)
        except ValueError as error:
            raise ProtocolFault(url, "its card has no interface that can be called") from error

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
        context = _context(timeout_s, token)
        result: dict[str, Any] = {}
        try:
            async for reply in self._client.send_message(request, context=context):
                result = MessageToDict(reply)
        except Exception as error:
            raise self._as_agent_error(error) from error
        return result

    async def get_task(
        self, task_id: str, timeout_s: float, token: str | None = None
    ) -> dict[str, Any]:
        """Return the current state of a task, as a result."""
        if not _PATH_DELIMITERS.isdisjoint(task_id) or task_id.startswith("."):
            raise ProtocolFault(self._url, "the task's id has characters that would change the URL")
        try:
            task = await self._client.get_task(
                GetTaskRequest(id=task_id), context=_context(timeout_s, token)
            )
        except Exception as error:
            raise self._as_agent_error(error) from error
        return {"task": MessageToDict(task)}

    def _as_agent_error(self, error: Exception) -> Exception:
        """Convert an error of the SDK, httpx or a parser to an AgentError."""
        if isinstance(error, AgentError):
            return error
        if isinstance(error, A2AClientTimeoutError):
            return TimedOut(self._url, "no reply within the deadline")
        if isinstance(error, A2AError) and type(error) in JSON_RPC_ERROR_CODE_MAP:
            return self._refused(error)
        if isinstance(error.__cause__, httpx.HTTPStatusError):
            return ProtocolFault(self._url, f"HTTP status {error.__cause__.response.status_code}")
        # The error's text is not included: the URL may be of an unrelated internal service.
        return ProtocolFault(self._url, f"not an A2A reply ({type(error).__name__})")

    def _refused(self, error: A2AError) -> RemoteRefused:
        data = error.data if isinstance(error.data, dict) else {}
        return RemoteRefused(
            self._url,
            text_of(error.message) or "refused without a reason",
            code=JSON_RPC_ERROR_CODE_MAP[type(error)],
            reason=reason_of(data.get("reason")) or "UNKNOWN",
            violations=tuple(violations_in(data.get("errors"), "message")),
            details=details_in(data),
        )


def _context(timeout_s: float, token: str | None) -> ClientCallContext:
    parameters = {EXTENSIONS_HEADER: EXTENSION}
    if token:
        parameters["Authorization"] = f"Bearer {token}"
    return ClientCallContext(timeout=timeout_s, service_parameters=parameters)
