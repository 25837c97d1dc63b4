"""An address that the lobbies of a group share: each connection goes to any that is ready."""

import asyncio
import contextlib
import random
from collections.abc import Sequence

from support.failover.shared_address import is_ready
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
        """Stop looking and listening."""
        if self._looking is not None:
            self._looking.cancel()
        await super().stop()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass on both ways between a client and a ready lobby."""
        self.target = self._rng.choice(self._ready or self._ports)
        with contextlib.suppress(OSError):  # nobody listens: the client's connection ends
            await super().serve(reader, writer)

    async def _look(self) -> None:
        while True:
            ready = await asyncio.gather(*map(is_ready, self._ports))
            self._ready = [port for port, is_up in zip(self._ports, ready, strict=True) if is_up]
            await asyncio.sleep(_LOOK_EVERY_S)
