"""A proxy in front of a port of this machine, whose connections a subclass serves."""

import asyncio
from abc import ABC, abstractmethod

from casino_agentkit.server.server import bind, url_of


class PortProxy(ABC):
    """Listens on a port of its own, and serves every connection in a task."""

    def __init__(self, target: int) -> None:
        self.target = target
        self._tasks: set[asyncio.Task[None]] = set()
        self._socket = bind("127.0.0.1", 0)
        self._server: asyncio.Server | None = None
        self.url = url_of("127.0.0.1", self._socket.getsockname()[1])

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._accept, sock=self._socket)

    async def stop(self) -> None:
        """Stop listening and end every connection."""
        assert self._server is not None
        self._server.close()
        await self.end_connections()
        await self._server.wait_closed()

    async def end_connections(self) -> None:
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    @abstractmethod
    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a connection to its end."""

    def in_background(self, task: asyncio.Task[None]) -> None:
        """Keep a task that ends with the proxy."""
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.in_background(asyncio.ensure_future(self.serve(reader, writer)))


async def first_of(*ways: asyncio.Task[None]) -> None:
    """Wait for the first of two directions to end, and cancel the other one."""
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)
