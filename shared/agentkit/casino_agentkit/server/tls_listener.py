"""TLS listener that counts and times out unfinished handshakes.

asyncio's own TLS server reports a connection only after its handshake, which may take a minute.
"""

import asyncio
import errno
import socket
import ssl
from collections.abc import Callable
from typing import Final

from casino_agentkit.network import network_of
from casino_agentkit.process.background_tasks import BackgroundTasks
from casino_agentkit.server.connections import Connections
from casino_agentkit.server.http_protocol import LimitedProtocol
from casino_agentkit.server.server_limits import ServerLimits

_ACCEPT_BATCH: Final = 64
"""Number of connections accepted before control returns to the event loop."""
_NO_RESOURCES: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_PAUSE_S: Final = 1.0
"""Pause in accepting connections if the system has no resources for another one."""


class TlsListener:
    """Accepts connections, runs their TLS handshakes, and creates protocols with `make`.

    It has the interface of an asyncio server: it starts at once, and `close` ends it.
    """

    def __init__(
        self,
        listener: socket.socket,
        context: ssl.SSLContext,
        make: Callable[[], LimitedProtocol],
        limits: ServerLimits,
        counts: Connections,
    ) -> None:
        self._listener = listener
        self._context = context
        self._make = make
        self._seconds = limits.first_byte.total_seconds()
        self._counts = counts
        self._loop = asyncio.get_running_loop()
        self._handshakes = BackgroundTasks()
        self._pause: asyncio.TimerHandle | None = None
        self._listen()

    def close(self) -> None:
        """Stop accepting connections, and cancel the handshakes in progress."""
        self._loop.remove_reader(self._listener)
        if self._pause is not None:
            self._pause.cancel()
        self._handshakes.cancel()

    async def wait_closed(self) -> None:
        """Wait for the end of the handshakes."""
        await self._handshakes.wait()

    def _listen(self) -> None:
        self._loop.add_reader(self._listener, self._accept)

    def _accept(self) -> None:
        for _ in range(_ACCEPT_BATCH):
            try:
                connection, address = self._listener.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                if error.errno not in _NO_RESOURCES:
                    raise
                self._loop.remove_reader(self._listener)
                self._pause = self._loop.call_later(_PAUSE_S, self._listen)
                return
            network = network_of(address[0])
            if not self._counts.enter(network):
                connection.close()
                continue
            connection.setblocking(False)
            self._handshakes.begin(self._handshake(connection, network))

    async def _handshake(self, connection: socket.socket, network: str) -> None:
        protocol = self._make()
        protocol.counted_as(network)
        try:
            await self._loop.connect_accepted_socket(
                lambda: protocol,
                connection,
                ssl=self._context,
                ssl_handshake_timeout=self._seconds,
                ssl_shutdown_timeout=self._seconds,
            )
        except OSError:  # not TLS, unsupported version, timeout, or disconnected
            self._counts.cut("handshake")
        finally:
            if not protocol.has_begun:
                self._counts.leave(network)
                connection.close()
