"""TLS in front of the server's protocol: an unfinished handshake has an end, and is counted.

A server that is given the TLS context itself tells its protocol of a connection only when the
handshake is done. Until then, nothing would count the connection, and it could stay for a minute.
"""

import asyncio
import ssl
from typing import Any, ClassVar

from uvicorn.protocols.utils import get_remote_addr
from uvicorn.server import ServerState

from casino_agentkit.client_network import network_of
from casino_agentkit.connections import Connections
from casino_agentkit.server_limits import ServerLimits


class TlsGate(asyncio.Protocol):
    """One connection until its handshake is done; then `protocol` has it.

    `gate_of` makes the class of a process.
    """

    protocol: ClassVar[type[asyncio.Protocol]]
    context: ClassVar[ssl.SSLContext]
    limits: ClassVar[ServerLimits]
    counts: ClassVar[Connections]

    def __init__(self, *, server_state: ServerState, **given: Any) -> None:
        self._given = {"server_state": server_state, **given}
        self._connections = server_state.connections
        self._network = ""
        self._transport: asyncio.Transport | None = None
        self._handshake: asyncio.Task[None] | None = None
        self._early: list[bytes] = []
        self._has_ended = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the connection and begin the handshake, or close it."""
        client = get_remote_addr(transport)
        self._network = network_of(client[0] if client else "")
        if not self.counts.enter(self._network):
            transport.abort()
            return
        self._transport = transport
        self._connections.add(self)  # type: ignore[arg-type]  # as uvicorn's own protocols do
        transport.pause_reading()  # what comes now belongs to the handshake
        self._handshake = asyncio.ensure_future(self._shake_hands(transport))

    def data_received(self, data: bytes) -> None:
        """Keep what the client sent together with the end of its handshake."""
        self._early.append(data)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  why is no matter
        """Note that there is nobody to hand over to."""
        self._has_ended = True

    def shutdown(self) -> None:
        """End the handshake, for the server ends."""
        if self._transport is not None:
            self._transport.abort()

    async def _shake_hands(self, transport: asyncio.Transport) -> None:
        seconds = self.limits.first_byte.total_seconds()
        secured = None
        try:
            secured = await asyncio.get_running_loop().start_tls(
                transport,
                self,
                self.context,
                server_side=True,
                ssl_handshake_timeout=seconds,
                ssl_shutdown_timeout=seconds,
            )
        except OSError:  # no TLS, no such version, too slow, gone
            self.counts.cut("handshake")
            transport.abort()
        finally:
            self.counts.leave(self._network)
            self._connections.discard(self)  # type: ignore[arg-type]
        if secured is not None and not self._has_ended:
            self._hand_over(secured)

    def _hand_over(self, secured: asyncio.Transport) -> None:
        protocol = self.protocol(**self._given)
        secured.set_protocol(protocol)
        protocol.connection_made(secured)
        for data in self._early:
            protocol.data_received(data)


def gate_of(
    protocol: type[asyncio.Protocol],
    context: ssl.SSLContext,
    limits: ServerLimits,
    counts: Connections,
) -> type[TlsGate]:
    """Return the gate of a process: uvicorn makes one for each connection."""
    members = {"protocol": protocol, "context": context, "limits": limits, "counts": counts}
    return type("Gate", (TlsGate,), members)
