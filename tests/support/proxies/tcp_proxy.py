"""A TCP proxy to a port of this machine, which a test can cut, silence and mend."""

import asyncio
import contextlib

from support.proxies.port_proxy import PortProxy, first_of

_CHUNK = 65_536


class TcpProxy(PortProxy):
    """Forwards to `target`, a port of this machine, unless it is cut or silenced."""

    def __init__(self, target: int) -> None:
        super().__init__(target)
        self.connections = 0
        self._is_cut = False
        self._passes = asyncio.Event()
        self._passes.set()

    def silence(self) -> None:
        """Deliver nothing more, and close nothing: the other side has vanished, until `mend`."""
        self._passes.clear()

    async def cut(self) -> None:
        """Close every connection, also new ones, until `mend`."""
        self._is_cut = True
        await self.end_connections()

    def mend(self) -> None:
        """Accept connections and deliver again, also what was sent in the meantime."""
        self._is_cut = False
        self._passes.set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass on both ways until one side ends; close at once where it is cut."""
        back = None
        try:
            if self._is_cut:
                return
            self.connections += 1
            await self._passes.wait()
            there, back = await asyncio.open_connection("127.0.0.1", self.target)
            await first_of(
                asyncio.ensure_future(self._pass_on(reader, back)),
                asyncio.ensure_future(self._pass_on(there, writer)),
            )
        finally:
            for end in (back, writer):
                if end is not None:
                    end.transport.abort()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while chunk := await reader.read(_CHUNK):
                await self._passes.wait()
                writer.write(chunk)
                await writer.drain()
            await self._passes.wait()  # the end of a connection is not delivered either
