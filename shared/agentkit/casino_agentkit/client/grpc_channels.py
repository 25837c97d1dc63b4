"""gRPC channels to checked addresses, within the limits of every other call.

gRPC makes its own connections. So a channel dials the addresses that the policy has admitted,
never a name, and takes no proxy from the environment. The package grpcio is optional.
"""

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final

from google.protobuf.message import Message as ProtobufMessage

from casino_agentkit.accepted_json import ReplyBounds
from casino_agentkit.client.connector import HEAD_LIMIT
from casino_agentkit.client.transport import Endpoint
from casino_agentkit.errors import AgentError, ProtocolFault, TimedOut, Unreachable

if TYPE_CHECKING:
    import grpc
    import grpc.aio
else:
    try:
        import grpc
        import grpc.aio
    except ImportError:  # without grpcio
        grpc = None

_MOST_CHANNELS: Final = 256
_IDLE_MS: Final = 60_000
_SMALLER: Final = 6
"""A value takes two bytes in protobuf's format, and a hundred times as much when it is read."""
_WINDOW: Final = 65_536  # number of bytes that an agent may send before any is read
_IDENTITY_ONLY: Final = 1
"""Bit set of the compressions: decompressing a small reply could exhaust the memory."""
_STATUSES: Final = {"UNAUTHENTICATED": 401, "PERMISSION_DENIED": 403, "RESOURCE_EXHAUSTED": 429}


class GrpcChannels:
    """Channels by origin and addresses; the least recently used one is closed if there are many."""

    def __init__(self, bounds: ReplyBounds) -> None:
        self._options = [
            ("grpc.max_receive_message_length", bounds.converted_body // _SMALLER),
            ("grpc.max_metadata_size", HEAD_LIMIT),
            ("grpc.absolute_max_metadata_size", HEAD_LIMIT),
            ("grpc.compression_enabled_algorithms_bitset", _IDENTITY_ONLY),
            ("grpc.http2.lookahead_bytes", _WINDOW),
            ("grpc.http2.bdp_probe", 0),
            ("grpc.enable_http_proxy", 0),
            ("grpc.enable_retries", 0),
            ("grpc.service_config_disable_resolution", 1),
            ("grpc.use_local_subchannel_pool", 1),
            ("grpc.client_idle_timeout_ms", _IDLE_MS),
            ("grpc.initial_reconnect_backoff_ms", 100),
            ("grpc.min_reconnect_backoff_ms", 1_000),
            ("grpc.max_reconnect_backoff_ms", 1_000),
        ]
        self._channels: OrderedDict[Endpoint, grpc.aio.Channel] = OrderedDict()

    async def channel(self, endpoint: Endpoint) -> "grpc.aio.Channel":
        channel = self._channels.get(endpoint)
        if channel is None:
            channel = self._channels[endpoint] = self._open(endpoint)
            if len(self._channels) > _MOST_CHANNELS:
                _, oldest = self._channels.popitem(last=False)
                await oldest.close()
        self._channels.move_to_end(endpoint)
        return channel

    def _open(self, endpoint: Endpoint) -> "grpc.aio.Channel":
        origin = endpoint.origin
        target = _target(endpoint)
        if origin.scheme == "http":
            authority = str(origin).partition("://")[2]
            options = [*self._options, ("grpc.default_authority", authority)]
            return grpc.aio.insecure_channel(target, options)
        options = [
            *self._options,
            ("grpc.ssl_target_name_override", origin.host),
            ("grpc.default_authority", origin.host),
        ]
        credentials = grpc.ssl_channel_credentials(endpoint.authorities)
        return grpc.aio.secure_channel(target, credentials, options)

    async def close(self) -> None:
        channels, self._channels = list(self._channels.values()), OrderedDict()
        for channel in channels:
            await channel.close()


def _target(endpoint: Endpoint) -> str:
    """Return the target of addresses of one kind, as gRPC takes no mixture; IPv4 first."""
    port = endpoint.origin.port
    v4 = [address for address in endpoint.addresses if ":" not in address]
    if v4:
        return "ipv4:" + ",".join(f"{address}:{port}" for address in v4)
    return "ipv6:" + ",".join(f"[{address}]:{port}" for address in endpoint.addresses)


def grpc_fault(url: str, error: Exception) -> AgentError | None:
    """Return a fault without what the other side, maybe an internal service, says; else None."""
    cause = error.__cause__ or error
    if grpc is None:
        return None
    if isinstance(cause, grpc.aio.UsageError):  # the channel was closed for others
        return Unreachable(url, "the channel is closed")
    if not isinstance(cause, grpc.aio.AioRpcError):
        return None
    name = cause.code().name
    if name == "UNAVAILABLE":
        return Unreachable(url, "no gRPC connection")
    if name == "DEADLINE_EXCEEDED":
        return TimedOut(url, "no reply within the deadline")
    return ProtocolFault(url, f"gRPC status {name}", status=_STATUSES.get(name, 0))


def values_in_message(message: ProtobufMessage, at_most: int) -> int:
    """Count the messages in a protobuf message; stops after `at_most`, and copies no more."""
    count, level = 1, [message]
    while level and count <= at_most:
        inner: list[Any] = []
        for item in level:
            for field, value in item.ListFields():
                if field.message_type is None:
                    continue
                if not field.is_repeated:
                    inner.append(value)
                elif count + len(inner) + len(value) > at_most:
                    return at_most + 1
                else:
                    inner += _items(field, value)
        count += len(inner)
        level = inner
    return count


def _items(field: Any, value: Any) -> list[Any]:
    if not field.message_type.GetOptions().map_entry:
        return list(value)
    of_values = field.message_type.fields_by_name["value"].message_type
    return list(value.values()) if of_values is not None else []
