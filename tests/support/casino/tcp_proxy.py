"""A network cable between a client and a port of this machine, which a test can cut and mend."""

import asyncio
import contextlib

from casino_agentkit.server.server import bind, url_of

_CHUNK = 65_536


class TcpProxy:
    """Listens on a port of its own and passes everything on to `target`, while it is whole."""

    def __init__(self, target: int) -> None:
        self.connections = 0
        self._target = target
        self._is_cut = False
        self._under_way: set[asyncio.Task[None]] = set()
        self._socket = bind("127.0.0.1", 0)
        self._server: asyncio.Server | None = None
        self.url = url_of("127.0.0.1", self._socket.getsockname()[1])

    async def start(self) -> None:
        """Serve."""
        self._server = await asyncio.start_server(self._accept, sock=self._socket)

    async def cut(self) -> None:
        """Break every connection; new ones are broken as well, until it is mended."""
        self._is_cut = True
        for task in self._under_way:
            task.cancel()
        if self._under_way:
            await asyncio.wait(self._under_way)

    def mend(self) -> None:
        """Let connections through again."""
        self._is_cut = False

    async def stop(self) -> None:
        """Close everything."""
        assert self._server is not None
        self._server.close()
        await self.cut()
        await self._server.wait_closed()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._serve(reader, writer))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        back = None
        try:
            if self._is_cut:
                return
            self.connections += 1
            there, back = await asyncio.open_connection("127.0.0.1", self._target)
            ways = {
                asyncio.ensure_future(_pass_on(reader, back)),
                asyncio.ensure_future(_pass_on(there, writer)),
            }
            try:
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for way in ways:
                    way.cancel()
                await asyncio.gather(*ways, return_exceptions=True)
        finally:
            for end in (back, writer):
                if end is not None:
                    end.transport.abort()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while chunk := await reader.read(_CHUNK):
            writer.write(chunk)
            await writer.drain()
