"""What one client, one address and all of them together may cost a server process: the numbers."""

import resource
from dataclasses import dataclass, replace
from datetime import timedelta

from casino_agentkit.protocol import BODY_LIMIT

_DESCRIPTORS_WANTED = 65_536
_LEAST_RESERVE = 64
_MOST_BACKLOG = 2048


@dataclass(frozen=True)
class ServerLimits:
    """The limits of one listening process.

    A request's head is its first line and its headers. Times run from the moment at which the
    client could go on; what the server itself takes to answer is not counted.
    """

    head_bytes: int = 32 * 1024
    headers: int = 128
    """Headers of one request, those that follow a chunked body included."""
    body_bytes: int = 16 * BODY_LIMIT
    """Bytes of a body as it is sent: one-byte chunks take six bytes for each."""
    first_byte: timedelta = timedelta(seconds=10)
    """A new connection that sends nothing is closed after this time."""
    head: timedelta = timedelta(seconds=10)
    """From the first byte of a head to its end."""
    body: timedelta = timedelta(seconds=30)
    """From the end of the head to the end of the body."""
    idle: timedelta = timedelta(seconds=75)
    """Between an answer and the next request; above the idle time of the clients' pools, else calls
    are sent on connections that are being closed."""
    unread: timedelta = timedelta(seconds=60)
    """A client takes at least `unread_bytes` of a waiting answer in this time."""
    unread_bytes: int = 64 * 1024
    pipelined: int = 16
    """Requests that wait on one connection for the one before them."""
    per_address: int = 256
    """Open connections of one address (of one /64 network for IPv6)."""
    connections: int = 16_384
    """Open connections in all."""
    loopback_share: float = 0.75
    """The part of all connections that 127.0.0.1 and ::1 may hold: every process of a machine, and
    everybody behind a proxy on it, has that address."""
    for_health: int = 16
    """Connections of 127.0.0.1 and ::1 beyond `connections`: health checks come from there."""
    backlog: int = _MOST_BACKLOG
    """Connections that the system holds before the process takes them."""

    def within(self, descriptors: int) -> "ServerLimits":
        """Return the limits for a process that may open so many files and sockets.

        An eighth is kept for files and outgoing calls, and as much for connections that the loop
        accepts at once, before it can refuse them. One address never gets more than a quarter.
        """
        backlog = min(self.backlog, max(8, descriptors // 8))
        reserve = backlog + max(_LEAST_RESERVE, descriptors // 8) + self.for_health
        connections = min(self.connections, max(8, descriptors - reserve))
        per_address = min(self.per_address, max(1, connections // 4))
        return replace(self, backlog=backlog, connections=connections, per_address=per_address)


DEFAULT_LIMITS = ServerLimits()


def raise_descriptor_limit() -> int:
    """Let this process open as many files and sockets as it may, and return how many that are."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _DESCRIPTORS_WANTED
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft == resource.RLIM_INFINITY:
        return wanted
    if soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (ValueError, OSError):  # the system has a limit of its own
            return soft
        soft = wanted
    return soft
