"""Limits of one WebSocket."""

from dataclasses import dataclass
from datetime import timedelta

from casino_agentkit.protocol import INPUT_LIMIT


@dataclass(frozen=True)
class WebSocketLimits:
    """Limits of a process's WebSockets; their number is limited by `ServerLimits`."""

    message_bytes: int = INPUT_LIMIT
    """Size of a received message; a larger one closes the WebSocket with 1009."""
    fragments: int = 256
    """Fragments of a received message; more close the WebSocket with 1009."""
    ping: timedelta = timedelta(seconds=30)
    """Between the server's pings."""
    pong: timedelta = timedelta(seconds=20)
    """From a ping to its pong; without one, the WebSocket is closed with 1011."""
    unread: timedelta = timedelta(seconds=20)
    """Time in which a client must read, while messages wait for it."""
    waiting_bytes: int = 256 * 1024
    """Size of the messages that wait for a client that does not read; more disconnect it."""
    closing: timedelta = timedelta(seconds=1)
    """Time for the client to answer the server's close frame."""
