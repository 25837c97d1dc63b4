"""The A2A service over gRPC for all agents of a process, with limits on all that a client sends.

Needs the extra `grpc`. Not served: reflection, compression, A2A 0.3. The tenant of a request is the
path of its agent, as on the agent's card.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final, NoReturn
from urllib.parse import unquote

import grpc
from a2a.auth.user import User
from a2a.server.request_handlers.grpc_handler import (
    DefaultGrpcServerCallContextBuilder,
    GrpcHandler,
)
from a2a.types import a2a_pb2
from a2a.utils.error_handlers import build_rest_error_payload
from a2a.utils.errors import (
    A2AError,
    PushNotificationNotSupportedError,
    UnsupportedOperationError,
    VersionNotSupportedError,
)
from a2a.utils.grpc_status import status_to_grpc
from google.protobuf import any_pb2
from google.protobuf.message_factory import GetMessageClass
from google.rpc import error_details_pb2, status_pb2

from casino_agentkit.accepted_json import shown
from casino_agentkit.authority import FORWARDED, Caller, bearer, caller, set_caller
from casino_agentkit.errors import PortTaken
from casino_agentkit.network import network_of
from casino_agentkit.protocol import (
    CAPABILITY_PATH,
    INPUT_LIMIT,
    TRACE_HEADER,
    VERSION,
    VERSION_HEADER,
)
from casino_agentkit.server.connections import Collection
from casino_agentkit.server.sdk.sdk_callers import CallingUser
from casino_agentkit.server.served_agents import ServedAgent
from casino_agentkit.server.server_limits import GrpcListener, ServerLimits


class RpcSlots:
    """Counts running calls, in total and by network, and refuses those above a maximum."""

    def __init__(self, at_most: int, of_one: int) -> None:
        self._at_most = at_most
        self._of_one = of_one
        self._running: Counter[str] = Counter()

    @contextmanager
    def taken(self, network: str) -> Iterator[bool]:
        if self._running[network] >= self._of_one or self._running.total() >= self._at_most:
            yield False
            return
        self._running[network] += 1
        try:
            yield True
        finally:
            self._running -= Counter((network,))


_SERVICE: Final = a2a_pb2.DESCRIPTOR.services_by_name["A2AService"]
_STATUS_BY_NAME: Final = {code.name: code for code in grpc.StatusCode}
_ENDINGS: Final = (grpc.aio.AbortError, asyncio.CancelledError, GeneratorExit)
"""What ends a call that is refused, or whose client has gone."""
_NOT_OFFERED: Final = (
    PushNotificationNotSupportedError,
    UnsupportedOperationError,
    VersionNotSupportedError,
)
"""Errors with the status UNIMPLEMENTED (A2A 1.0, section 5.4), which the SDK has not."""
_FAILED: Final = "the call failed; the fault is not in the call"
_TOO_MANY: Final = "too many calls are running, in total or from your address; retry later"
_TOO_SLOW: Final = "the request took too long"
_NO_REQUEST: Final = "the call has no request"
_NO_AGENT: Final = "no agent has this tenant: send the one on the agent's card"

logger = logging.getLogger(__name__)


def rpc_handler(
    agents: Mapping[str, ServedAgent], calls: RpcSlots, deadline_s: float
) -> grpc.GenericRpcHandler:
    """Return the methods of the service, each of which finds its agent by the tenant.

    They are registered as methods that read a stream, which on the wire is the same: so a request
    that is not complete within `deadline_s` is refused, instead of holding a slot for ever.
    """
    handlers = {
        path: _AgentHandler(served.handler, _ContextBuilder()) for path, served in agents.items()
    }
    entry = _Entry(handlers, calls, deadline_s)
    return grpc.method_handlers_generic_handler(
        _SERVICE.full_name, {method.name: _method(entry, method) for method in _SERVICE.methods}
    )


def _method(entry: "_Entry", method: Any) -> grpc.RpcMethodHandler:
    async def unary(_requests: Any, context: Any) -> Any:
        try:
            async with entry.request(context) as (handler, request):
                return await getattr(handler, method.name)(request, context)
        except _ENDINGS:
            raise
        except Exception:
            logger.exception("the gRPC method %s failed", method.name)
            return await context.abort(grpc.StatusCode.INTERNAL, _FAILED)

    async def streaming(_requests: Any, context: Any) -> AsyncIterator[Any]:
        try:
            async with entry.request(context) as (handler, request):
                async for item in getattr(handler, method.name)(request, context):
                    yield item
        except _ENDINGS:
            raise
        except Exception:
            logger.exception("the gRPC method %s failed", method.name)
            await context.abort(grpc.StatusCode.INTERNAL, _FAILED)

    serializers = {
        "request_deserializer": GetMessageClass(method.input_type).FromString,
        "response_serializer": lambda reply: reply.SerializeToString(),
    }
    if method.server_streaming:
        return grpc.stream_stream_rpc_method_handler(streaming, **serializers)
    return grpc.stream_unary_rpc_method_handler(unary, **serializers)


class _ContextBuilder(DefaultGrpcServerCallContextBuilder):
    def build_user(self, context: Any) -> User:  # noqa: ARG002  the caller is known
        return CallingUser(caller())


class _AgentHandler(GrpcHandler):
    """The SDK's handler, which tells the reason of a refusal as the other bindings do."""

    async def abort_context(self, error: A2AError, context: Any) -> NoReturn:
        """End the call with the error's status; its details are those of HTTP+JSON."""
        payload = build_rest_error_payload(error)["error"]
        code = _STATUS_BY_NAME.get(payload["status"], grpc.StatusCode.UNKNOWN)
        if isinstance(error, _NOT_OFFERED):
            code = grpc.StatusCode.UNIMPLEMENTED
        status = status_pb2.Status(code=code.value[0], message=payload["message"])
        for detail in payload["details"]:
            packed = any_pb2.Any()
            packed.Pack(_detail(detail))
            status.details.append(packed)
        rich = status_to_grpc(status)
        await context.abort(code, payload["message"], rich.trailing_metadata)
        raise AssertionError


def _detail(detail: dict[str, Any]) -> error_details_pb2.ErrorInfo | error_details_pb2.BadRequest:
    if "fieldViolations" in detail:
        return error_details_pb2.BadRequest(field_violations=detail["fieldViolations"])
    metadata = {key: value for key, value in detail["metadata"].items() if isinstance(value, str)}
    return error_details_pb2.ErrorInfo(
        reason=detail["reason"], domain=detail["domain"], metadata=metadata
    )


class _Entry:
    """Reads a call's request, and determines its agent and its caller."""

    def __init__(
        self, handlers: Mapping[str, _AgentHandler], calls: RpcSlots, deadline_s: float
    ) -> None:
        self._handlers = handlers
        self._calls = calls
        self._deadline_s = deadline_s
        self._collection = Collection()

    @asynccontextmanager
    async def request(self, context: Any) -> AsyncIterator[tuple[_AgentHandler, Any]]:
        """Set the caller, and yield the agent's handler and the request; may end the call."""
        address = _address(context.peer())
        with self._calls.taken(network_of(address)) as is_free:
            if not is_free:
                await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, _TOO_MANY)
            try:
                async with asyncio.timeout(self._deadline_s):
                    request = await context.read()
            except TimeoutError:
                await context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, _TOO_SLOW)
            if request is grpc.aio.EOF:
                await context.abort(grpc.StatusCode.INVALID_ARGUMENT, _NO_REQUEST)
            self._collection.take(request.ByteSize())
            yield await self._enter(request, address, context), request

    async def _enter(self, request: Any, address: str, context: Any) -> _AgentHandler:
        metadata = dict(context.invocation_metadata())
        path, capability = _path_and_capability(getattr(request, "tenant", ""))
        handler = self._handlers.get(path)
        if handler is None:
            await context.abort(grpc.StatusCode.NOT_FOUND, _NO_AGENT)
            raise AssertionError
        token = bearer(str(metadata.get("authorization", "")))
        is_forwarded = not FORWARDED.isdisjoint(name.encode() for name in metadata)
        trace = str(metadata.get(TRACE_HEADER, ""))
        set_caller(Caller(token or capability, address, capability, is_forwarded, trace))
        version = str(metadata.get(VERSION_HEADER.lower(), VERSION))
        if version.partition(".")[0] != VERSION.partition(".")[0]:
            message = f"A2A {shown(version, 20)} is not spoken over gRPC here: send {VERSION}"
            await handler.abort_context(VersionNotSupportedError(message), context)
        return handler


def _path_and_capability(tenant: str) -> tuple[str, str]:
    """Return the agent's base path, and the token of a capability address."""
    if not tenant.startswith(CAPABILITY_PATH):
        return tenant, ""
    token, slash, rest = tenant.removeprefix(CAPABILITY_PATH).partition("/")
    return slash + rest, bearer(f"Bearer {token}")


def _address(peer: str) -> str:
    """Return the network address in gRPC's name of a peer.

    >>> _address("ipv4:127.0.0.1:4101"), _address("ipv6:%5B::1%5D:4101")
    ('127.0.0.1', '::1')
    """
    host = unquote(peer).partition(":")[2].rpartition(":")[0]
    return host.strip("[]")


_CONNECTIONS: Final = 1_024
_SHARE: Final = 8
"""The fraction of HTTP's connections that gRPC may have; their files are in the reserve."""
_CALLS: Final = 1_024
"""Calls at the same time on all connections; one address has a quarter at most."""
_CALLS_PER_CONNECTION: Final = 64
_MOST_AGE_MS: Final = 3_600_000
_AGE_GRACE_MS: Final = 60_000
_PING_EVERY_MS: Final = 60_000
_PING_ANSWER_MS: Final = 20_000
_LEAST_PING_MS: Final = 10_000  # a client that pings more often is disconnected
_IDENTITY: Final = 1  # the only compression: a message that is inflated could exceed its limit


class GrpcServer:
    """Serves the agents of a process, by their base paths."""

    def __init__(self, agents: Mapping[str, ServedAgent], limits: ServerLimits) -> None:
        calls = RpcSlots(_CALLS, min(_CALLS // 4, limits.per_address))
        self._handler = rpc_handler(agents, calls, limits.body.total_seconds())
        self._options = _options(limits)
        self._server: grpc.aio.Server | None = None

    async def start(self, host: str, listener: GrpcListener) -> int:
        """Listen, and return the port. Raises PortTaken."""
        self._server = grpc.aio.server(options=self._options)
        self._server.add_generic_rpc_handlers((self._handler,))
        address = f"[{host}]:{listener.port}" if ":" in host else f"{host}:{listener.port}"
        try:
            if listener.certificate and listener.key:
                pair = (listener.key.read_bytes(), listener.certificate.read_bytes())
                credentials = grpc.ssl_server_credentials([pair])
                port: int = self._server.add_secure_port(address, credentials)
            else:
                port = self._server.add_insecure_port(address)
        except RuntimeError as error:
            raise PortTaken(f"{address} cannot be used for gRPC") from error
        await self._server.start()
        return port

    async def stop(self, grace_s: float) -> None:
        """Refuse new calls, and end the running ones after `grace_s`."""
        if self._server is not None:
            await self._server.stop(grace_s)


def _options(limits: ServerLimits) -> list[tuple[str, int]]:
    connections = min(_CONNECTIONS, max(1, limits.connections // _SHARE))
    return [
        ("grpc.so_reuseport", 0),  # otherwise two processes could listen on one port
        # Whoever calls: the size of a message is not known before all of it is read.
        ("grpc.max_receive_message_length", INPUT_LIMIT),
        ("grpc.compression_enabled_algorithms_bitset", _IDENTITY),
        ("grpc.max_metadata_size", limits.head_bytes),
        ("grpc.absolute_max_metadata_size", limits.head_bytes),
        ("grpc.max_concurrent_streams", _CALLS_PER_CONNECTION),
        ("grpc.max_allowed_incoming_connections", connections),
        ("grpc.server_handshake_timeout_ms", round(limits.first_byte.total_seconds() * 1000)),
        ("grpc.max_connection_idle_ms", round(limits.idle.total_seconds() * 1000)),
        ("grpc.max_connection_age_ms", _MOST_AGE_MS),
        ("grpc.max_connection_age_grace_ms", _AGE_GRACE_MS),
        ("grpc.keepalive_time_ms", _PING_EVERY_MS),
        ("grpc.keepalive_timeout_ms", _PING_ANSWER_MS),
        ("grpc.http2.min_ping_interval_without_data_ms", _LEAST_PING_MS),
        ("grpc.http2.max_ping_strikes", 2),
    ]
