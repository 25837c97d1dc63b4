"""Client bindings through the SDK's client, for HTTP+JSON, gRPC and A2A 0.3.

HTTP is sent through the client's `Transport`, so that the limits of size and time, and the address
policy, apply to the SDK's bindings as well.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

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

from casino_agentkit.accepted_json import ReplyBounds, is_deeper, values_in, whole_numbers
from casino_agentkit.client.agent_card import GRPC, Interface
from casino_agentkit.client.agent_reply import details_in, retry_after_s, text_of, violations_in
from casino_agentkit.client.grpc_channels import GrpcChannels, grpc_fault, values_in_message
from casino_agentkit.client.http.http_reply import HttpReply
from casino_agentkit.client.outgoing import with_query
from casino_agentkit.client.transport import Dialling, Transport, send_following
from casino_agentkit.errors import AgentError, KitReason, ProtocolFault, RemoteRefused, TimedOut
from casino_agentkit.protobuf_values import to_value
from casino_agentkit.protocol import (
    EXTENSION,
    EXTENSIONS_HEADER,
    JSON,
    VERSION,
    MessageIds,
    reason_of,
)

_PATH_DELIMITERS = frozenset("/?#%\\")


class SdkBinding:
    """Calls one interface by the SDK's client; HTTP over `http`, gRPC over `channel`."""

    def __init__(
        self,
        interface: Interface,
        url: str,
        http: httpx.AsyncClient,
        ids: MessageIds,
        bounds: ReplyBounds,
        channel: Any = None,
        carried: Callable[[Mapping[str, str]], Mapping[str, str]] = dict,
    ) -> None:
        """`carried` returns headers with what `http` adds to them itself."""
        self.url = interface.url
        self._url = url
        self._ids = ids
        self._bounds = bounds
        self._carried = carried
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
        context = self._context(timeout_s, token)
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
        self._check_task_id(task_id)
        try:
            task = await self._client.get_task(
                GetTaskRequest(id=task_id), context=self._context(timeout_s, token)
            )
        except Exception as error:
            raise self._as_agent_error(error) from error
        return {"task": self._as_json(task)}

    async def cancel_task(self, task_id: str, timeout_s: float, token: str | None = None) -> None:
        self._check_task_id(task_id)
        try:
            await self._client.cancel_task(
                CancelTaskRequest(id=task_id), context=self._context(timeout_s, token)
            )
        except Exception as error:
            raise self._as_agent_error(error) from error

    def _context(self, timeout_s: float, token: str | None) -> ClientCallContext:
        headers = {EXTENSIONS_HEADER: EXTENSION}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        return ClientCallContext(timeout=timeout_s, service_parameters={**self._carried(headers)})

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


_FORWARDED_HEADERS: Final = frozenset(
    {
        "accept",
        "a2a-extensions",
        "a2a-version",
        "authorization",
        "content-type",
        "x-a2a-extensions",  # its name in A2A 0.3
    }
)
_OK: Final = 200
_WHOLE: Final = b".0"  # in each body with a whole number, as protobuf's `Value` has only doubles
_ENVELOPE: Final = 16  # nesting levels that a protocol adds around an answer
_NO_LIMIT_S: Final = 3_600.0
"""Used if httpx has no timeout; the caller's deadline applies in any case."""


class HttpxBridge(httpx.AsyncBaseTransport):
    """Sends httpx's requests through a `Transport`, whose errors stay; only bounded replies.

    `query` is that of the agent's address: the SDK appends its paths to an address without one.
    """

    def __init__(self, transport: Transport, bounds: ReplyBounds, query: str = "") -> None:
        self._transport = transport
        self._bounds = bounds
        self._query = query

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Return the complete reply. Raises AgentError, ProtocolFault if it exceeds the bounds."""
        headers = {
            name: value
            for name, value in request.headers.items()
            if name.lower() in _FORWARDED_HEADERS
        }
        limit = request.extensions.get("timeout", {}).get("read")
        url = with_query(str(request.url), self._query)
        reply = await send_following(
            self._transport,
            request.method,
            url,
            headers,
            _whole_numbers(await request.aread()),
            _NO_LIMIT_S if limit is None else limit,
        )
        try:
            self._check(reply.body)
        except ValueError as error:
            if reply.status == _OK:
                raise ProtocolFault(url, f"the reply {error}") from error
            return httpx.Response(  # without a body
                reply.status, headers=_headers(reply), request=request
            )
        return httpx.Response(
            reply.status, headers=_headers(reply), content=bytes(reply.body), request=request
        )

    def _check(self, body: bytes | bytearray) -> None:
        """Raise ValueError if the SDK would take too long to convert the body."""
        if len(body) > self._bounds.converted_body:
            raise ValueError(f"is larger than {self._bounds.converted_body} bytes")
        value = self._bounds.parse(body)
        if is_deeper(value, self._bounds.deepest + _ENVELOPE):
            raise ValueError("is nested too deep")
        if values_in(value, self._bounds.converted) > self._bounds.converted:
            raise ValueError(f"contains more than {self._bounds.converted} values")


def _headers(reply: HttpReply) -> dict[str, str]:
    return {"retry-after": reply.retry_after} if reply.retry_after else {}


def _whole_numbers(body: bytes) -> bytes:
    return orjson.dumps(whole_numbers(orjson.loads(body))) if _WHOLE in body else body


def http_client(transport: Transport, bounds: ReplyBounds, query: str = "") -> httpx.AsyncClient:
    """Return a client without own connections, that ignores proxy settings and .netrc."""
    return httpx.AsyncClient(transport=HttpxBridge(transport, bounds, query), trust_env=False)


class SdkBindings:
    """Makes the bindings of one client: HTTP goes over its transport, gRPC over own channels."""

    def __init__(self, transport: Transport, ids: MessageIds, bounds: ReplyBounds) -> None:
        self._transport = transport
        self._ids = ids
        self._bounds = bounds
        self._http: httpx.AsyncClient = http_client(transport, bounds)
        self._channels = GrpcChannels(bounds)

    async def binding(self, interface: Interface, url: str) -> SdkBinding:
        """Raise ProtocolFault, or Unreachable if gRPC has no address to connect to."""
        further: list[Any] = []
        if interface.protocol_binding == GRPC and isinstance(self._transport, Dialling):
            endpoint = await self._transport.endpoint(interface.url)
            further = [await self._channels.channel(endpoint), endpoint.carried]
        address, _, query = interface.url.partition("?")
        http = http_client(self._transport, self._bounds, query) if query else self._http
        interface = interface._replace(url=address)
        return SdkBinding(interface, url, http, self._ids, self._bounds, *further)

    async def close(self) -> None:
        await self._channels.close()
        await self._http.aclose()
