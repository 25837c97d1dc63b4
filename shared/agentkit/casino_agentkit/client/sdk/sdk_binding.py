"""Client binding through the SDK's client, for HTTP+JSON, gRPC and A2A 0.3."""

from typing import Any

import httpx
import orjson
from a2a.client import ClientConfig, ClientFactory
from a2a.client.client import Client, ClientCallContext
from a2a.client.errors import A2AClientTimeoutError
from a2a.types import (
    AgentCard,
    AgentInterface,
    CancelTaskRequest,
    GetTaskRequest,
    Message,
    Part,
    Role,
    SendMessageRequest,
)
from a2a.utils.errors import JSON_RPC_ERROR_CODE_MAP, A2AError
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message as ProtobufMessage

from casino_agentkit.bounds import ReplyBounds, reason_of
from casino_agentkit.client.cards.card import GRPC, Interface
from casino_agentkit.client.refusals import details_in, text_of, violations_in
from casino_agentkit.client.retry_after import retry_after_s
from casino_agentkit.client.sdk.grpc_channels import grpc_fault, values_in_message
from casino_agentkit.errors import AgentError, KitReason, ProtocolFault, RemoteRefused, TimedOut
from casino_agentkit.json_numbers import whole_numbers
from casino_agentkit.protobuf_values import to_value
from casino_agentkit.protocol import EXTENSION, EXTENSIONS_HEADER, JSON, VERSION, MessageIds

_PATH_DELIMITERS = frozenset("/?#%\\")


class SdkBinding:
    """Calls one agent through one interface of its card at `url`, with the SDK's client.

    HTTP is sent over `http`, gRPC over `channel`.
    """

    def __init__(
        self,
        interface: Interface,
        url: str,
        http: httpx.AsyncClient,
        ids: MessageIds,
        bounds: ReplyBounds,
        channel: Any = None,
    ) -> None:
        self.url = interface.url
        self._url = url
        self._ids = ids
        self._bounds = bounds
        self._is_grpc = interface.protocol_binding == GRPC
        spoken = f"{interface.protocol_binding} of A2A {interface.protocol_version or VERSION}"
        self._no_reply = f"the reply is not one of {spoken}, which its card offers"
        if interface.protocol_version.startswith("0."):
            self._no_reply += "; for replies of A2A 1.0 add supportedInterfaces to the card"
        config = ClientConfig(
            streaming=False,
            httpx_client=http,
            grpc_channel_factory=lambda _url: channel,
            supported_protocol_bindings=[interface.protocol_binding],
        )
        checked = AgentInterface(
            url=interface.url,
            protocol_binding=interface.protocol_binding,
            protocol_version=interface.protocol_version,
            tenant=interface.tenant,
        )
        try:
            card = AgentCard(supported_interfaces=[checked])
            self._client: Client = ClientFactory(config).create(card)
        except ValueError as error:
            raise ProtocolFault(url, "its card has no interface that can be called") from error

    async def send(
        self,
        skill: str,
        data: bytes | None,
        text: str | None,
        context_id: str | None,
        timeout_s: float,
        token: str | None = None,
    ) -> dict[str, Any]:
        """Send a call with data, text or both; return the result, a message or task, as JSON."""
        parts = [Part(text=text)] if text else []
        if data:
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
                result = self._as_json(reply)
        except Exception as error:
            raise self._as_agent_error(error) from error
        return result

    async def get_task(
        self, task_id: str, timeout_s: float, token: str | None = None
    ) -> dict[str, Any]:
        """Return the current state of a task, as a result."""
        self._check_task_id(task_id)
        try:
            task = await self._client.get_task(
                GetTaskRequest(id=task_id), context=_context(timeout_s, token)
            )
        except Exception as error:
            raise self._as_agent_error(error) from error
        return {"task": self._as_json(task)}

    async def cancel_task(self, task_id: str, timeout_s: float, token: str | None = None) -> None:
        """Ask the agent to cancel a task."""
        self._check_task_id(task_id)
        try:
            await self._client.cancel_task(
                CancelTaskRequest(id=task_id), context=_context(timeout_s, token)
            )
        except Exception as error:
            raise self._as_agent_error(error) from error

    def _as_json(self, message: ProtobufMessage) -> dict[str, Any]:
        """Return a reply as JSON. Raises ProtocolFault if the conversion would take too long."""
        most = self._bounds.converted
        if self._is_grpc and values_in_message(message, most) > most:  # of HTTP the bridge counts
            raise ProtocolFault(self._url, f"the reply contains more than {most} values")
        content: dict[str, Any] = whole_numbers(MessageToDict(message))
        return content

    def _check_task_id(self, task_id: str) -> None:
        if not _PATH_DELIMITERS.isdisjoint(task_id) or task_id.startswith("."):
            raise ProtocolFault(self._url, "the task's id has characters that would change the URL")

    def _as_agent_error(self, error: Exception) -> Exception:
        """Convert an error of the SDK, httpx or a parser to an AgentError."""
        if isinstance(error, AgentError):
            return error
        if isinstance(error, A2AClientTimeoutError):
            return TimedOut(self._url, "no reply within the deadline")
        if isinstance(error, A2AError) and type(error) in JSON_RPC_ERROR_CODE_MAP:
            return self._refused(error)
        if isinstance(error.__cause__, httpx.HTTPStatusError):
            reply = error.__cause__.response
            return ProtocolFault(
                self._url,
                f"HTTP status {reply.status_code}",
                status=reply.status_code,
                retry_after_s=retry_after_s(reply.headers.get("retry-after", "")),
            )
        fault = grpc_fault(self._url, error)
        if fault is not None:
            return fault
        # The error's text is not included: the URL may be of an unrelated internal service.
        return ProtocolFault(self._url, self._no_reply)

    def _refused(self, error: A2AError) -> RemoteRefused:
        data = error.data if isinstance(error.data, dict) else {}
        return RemoteRefused(
            self._url,
            text_of(error.message) or "refused without a reason",
            code=JSON_RPC_ERROR_CODE_MAP[type(error)],
            reason=reason_of(data.get("reason")) or KitReason.UNKNOWN,
            violations=tuple(violations_in(data.get("errors"), "message")),
            details=details_in(data),
        )


def _context(timeout_s: float, token: str | None) -> ClientCallContext:
    parameters = {EXTENSIONS_HEADER: EXTENSION}
    if token:
        parameters["Authorization"] = f"Bearer {token}"
    return ClientCallContext(timeout=timeout_s, service_parameters=parameters)
