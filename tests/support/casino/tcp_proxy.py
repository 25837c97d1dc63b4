"""A TCP proxy to a port of this machine, which a test can cut and mend."""

import asyncio
import contextlib

from support.casino.port_proxy import PortProxy, first_of

_CHUNK = 65_536


class TcpProxy(PortProxy):
    """Forwards to `target`, a port of this machine, unless it is cut."""

    def __init__(self, target: int) -> None:
        super().__init__(target)
        self.connections = 0
        self._is_cut = False

    async def cut(self) -> None:
        """Close every connection, also new ones, until `mend`."""
        self._is_cut = True
        await self.end_connections()

    def mend(self) -> None:
        """Accept connections again."""
        self._is_cut = False

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass on both ways until one side ends; close at once where it is cut."""
        back = None
        try:
            if self._is_cut:
                return
            self.connections += 1
            there, back = await asyncio.open_connection("127.0.0.1", self.target)
            await first_of(
                asyncio.ensure_future(_pass_on(reader, back)),
                asyncio.ensure_future(_pass_on(there, writer)),
            )
        finally:
            for end in (back, writer):
                if end is not None:
                    end.transport.abort()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while chunk := await reader.read(_CHUNK):
            writer.write(chunk)
            await writer.drain()
