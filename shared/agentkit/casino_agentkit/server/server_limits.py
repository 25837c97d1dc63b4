"""Limits of a server per request, per connection, per address and in total.

Those of its WebSockets stand here too, and where gRPC is served.
"""

from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from casino_agentkit.protocol import BODY_LIMIT, INPUT_LIMIT

_DESCRIPTORS_WANTED = 65_536
_LEAST_RESERVE = 64
_MOST_BACKLOG = 2048


@dataclass(frozen=True)
class ServerLimits:
    """Limits of one listening process.

    A request's head is its first line and its headers. Times do not include the server's own time
    to answer.
    """

    head_bytes: int = 32 * 1024
    headers: int = 128  # headers of one request, including trailers of a chunked body
    body_bytes: int = 16 * BODY_LIMIT
    """Bytes of a body on the wire; a one-byte chunk takes six bytes."""
    first_byte: timedelta = timedelta(seconds=10)
    """Time for a new connection to send its first byte."""
    head: timedelta = timedelta(seconds=10)  # from the first byte of a head to its end
    body: timedelta = timedelta(seconds=30)  # from the end of the head to the end of the body
    idle: timedelta = timedelta(seconds=75)
    """Between a response and the next request. Longer than the idle time of the clients' pools, so
    that no call is sent on a connection that is being closed."""
    unread: timedelta = timedelta(seconds=60)
    """Time in which a client must read at least `unread_bytes` of a pending response."""
    unread_bytes: int = 64 * 1024
    pipelined: int = 16  # pipelined requests that wait on one connection
    per_address: int = 256  # open connections of one address (of one /64 network for IPv6)
    connections: int = 16_384  # open connections in total
    loopback_share: float = 0.75
    """The share of `connections` for 127.0.0.1 and ::1, which is the address of all processes on
    the machine and of all clients behind a local proxy."""
    for_health: int = 16
    """Extra connections of 127.0.0.1 and ::1 beyond `connections`, for health checks."""
    backlog: int = _MOST_BACKLOG
    """Connections that the system queues before the process accepts them."""

    def within(self, descriptors: int) -> "ServerLimits":
        """Return the limits for a process with a maximum number of open files and sockets.

        An eighth is reserved for files and outgoing calls, and another for connections that the
        loop accepts before it can refuse them. One address never gets more than a quarter.
        """
        backlog = min(self.backlog, max(8, descriptors // 8))
        reserve = backlog + max(_LEAST_RESERVE, descriptors // 8) + self.for_health
        connections = min(self.connections, max(8, descriptors - reserve))
        per_address = min(self.per_address, max(1, connections // 4))
        return replace(self, backlog=backlog, connections=connections, per_address=per_address)


DEFAULT_LIMITS = ServerLimits()


def raise_descriptor_limit() -> int:
    """Raise this process's limit of open files and sockets, and return the new limit."""
    import resource  # noqa: PLC0415  Windows, where matches are played too, has none

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _DESCRIPTORS_WANTED
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft == resource.RLIM_INFINITY:
        return wanted
    if soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (ValueError, OSError):  # the system has a lower limit
            return soft
        soft = wanted
    return soft


@dataclass(frozen=True)
class WebSocketLimits:
    """Limits of a process's WebSockets; their number is limited by `ServerLimits`."""

    message_bytes: int = INPUT_LIMIT
    """Size of a received message; a larger one closes the WebSocket with 1009."""
    fragments: int = 256  # fragments of a received message; more close the WebSocket with 1009
    ping: timedelta = timedelta(seconds=30)  # between the server's pings
    pong: timedelta = timedelta(seconds=20)
    """From a ping to its pong; without one, the WebSocket is closed with 1011."""
    unread: timedelta = timedelta(seconds=20)
    """Time in which a client must read, while messages wait for it."""
    waiting_bytes: int = 256 * 1024
    """Size of the messages that wait for a client that does not read; more disconnect it."""
    closing: timedelta = timedelta(seconds=1)
    """Time for the client to answer the server's close frame."""


@dataclass(frozen=True)
class GrpcListener:
    """A port for gRPC, 0 for a free one; `certificate` and `key` are PEM, without them no TLS."""

    port: int
    certificate: Path | None = None
    key: Path | None = None
