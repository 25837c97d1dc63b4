"""An address that the lobbies of a group share: each connection goes to any that is ready."""

import asyncio
import contextlib
import random
from collections.abc import Sequence

from support.proxies.tcp_proxy import TcpProxy

_LOOK_EVERY_S = 0.25


class SpreadAddress(TcpProxy):
    """Spreads connections over the ready lobbies, as a load balancer with health checks.

    A connection stays where it is. `rng` chooses.
    """

    def __init__(self, ports: Sequence[int], rng: random.Random) -> None:
        super().__init__(ports[0])
        self._ports = list(ports)
        self._ready = list(ports)
        self._rng = rng
        self._looking: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Listen, and look which lobbies are ready."""
        await super().start()
        self._looking = asyncio.create_task(self._look())

    async def stop(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
        await super().stop()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass on both ways between a client and a ready lobby."""
        self.target = self._rng.choice(self._ready or self._ports)
        with contextlib.suppress(OSError):  # nobody listens: the client's connection ends
            await super().serve(reader, writer)

    async def _look(self) -> None:
        looks: dict[int, asyncio.Task[bool]] = {}
        while True:  # one that is frozen does not answer: it is not ready
            done = {port: look for port, look in looks.items() if look.done()}
            self._ready = [port for port, look in done.items() if look.result()]
            looks |= {
                port: asyncio.create_task(_is_ready(port))
                for port in self._ports
                if port in done or port not in looks
            }
            await asyncio.sleep(_LOOK_EVERY_S)


async def _is_ready(port: int) -> bool:
    """Ask the lobby on a port of this machine."""
    writer = None
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /readyz HTTP/1.0\r\nHost: localhost\r\n\r\n")
        return b" 200 " in await reader.readline()
    except OSError:
        return False
    finally:
        if writer is not None:
            writer.transport.abort()
