"""gRPC server of a process, with limits on messages, metadata, calls and connections.

Needs the extra `grpc`. Not served: reflection, compression, A2A 0.3.
"""

from collections.abc import Mapping
from typing import Final

import grpc

from casino_agentkit.errors import PortTaken
from casino_agentkit.protocol import INPUT_LIMIT
from casino_agentkit.server.grpc_binding.call_slots import CallSlots
from casino_agentkit.server.grpc_binding.listener import GrpcListener
from casino_agentkit.server.grpc_binding.methods import rpc_handler
from casino_agentkit.server.limits import ServerLimits
from casino_agentkit.server.served_agent import ServedAgent

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
_LEAST_PING_MS: Final = 10_000
"""A client that pings more often is disconnected."""
_IDENTITY: Final = 1
"""The only compression: a message that is inflated could exceed its limit."""


class GrpcServer:
    """Serves the agents of a process, by their base paths."""

    def __init__(self, agents: Mapping[str, ServedAgent], limits: ServerLimits) -> None:
        calls = CallSlots(_CALLS, min(_CALLS // 4, limits.per_address))
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
