"""An address that lobbies share: connections go to the one that is ready."""

import asyncio
import contextlib
from collections.abc import Sequence

from support.proxies.tcp_proxy import TcpProxy

_ANSWER_S = 0.5


class SharedAddress(TcpProxy):
    """Chooses the ready lobby for each new connection, as a load balancer with health checks.

    A connection stays where it is. While no lobby is ready, the last one gets the connections.
    """

    def __init__(self, ports: Sequence[int]) -> None:
        super().__init__(ports[0])
        self._ports = ports

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass on both ways between a client and the ready lobby."""
        ready = await asyncio.gather(*map(is_ready, self._ports))
        if True in ready:
            self.target = self._ports[ready.index(True)]
        with contextlib.suppress(OSError):  # nobody listens: the client's connection ends
            await super().serve(reader, writer)


async def is_ready(port: int) -> bool:
    """Ask the lobby on a port of this machine."""
    writer = None
    try:
        async with asyncio.timeout(_ANSWER_S):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET /readyz HTTP/1.0\r\nHost: localhost\r\n\r\n")
            return b" 200 " in await reader.readline()
    except OSError:
        return False
    finally:
        if writer is not None:
            writer.transport.abort()
