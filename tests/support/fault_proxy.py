"""A TCP proxy to a port of this machine that a test can cut, silence and give faults.

It does not parse HTTP. What a client sends until the server answers is one exchange, so every
request on a kept-alive connection gets a fault of its own.
"""

import asyncio
import contextlib
import random
from collections import Counter
from dataclasses import dataclass
from typing import Literal

from casino_agentkit.server.serving import bind, url_of

from support.processes import PATIENCE_S

Toxic = Literal["lose_request", "cut_request", "lose_reply", "cut_reply", "delay", "repeat"]

TOXICS: tuple[Toxic, ...] = (
    "lose_request",
    "cut_request",
    "lose_reply",
    "cut_reply",
    "delay",
    "repeat",
)
DELIVERED_TWICE: frozenset[Toxic] = frozenset({"lose_reply", "cut_reply", "repeat"})
"""After these the server sees the same request again (where the client asks again)."""
LONGEST_DELAY_S = 1.0
_CHUNK = 65_536


@dataclass
class _Exchange:
    """One request and the beginning of its reply."""

    request: bytearray
    toxic: Toxic | None
    is_answered: bool = False


class FaultProxy:
    """Forwards to `target`, which may change; each connection stays where it began.

    While `share` is above 0, this share of the exchanges gets a toxic; `dice` draws which.
    """

    def __init__(self, target: int, dice: random.Random | None = None) -> None:
        self.target = target
        self.share = 0.0
        self.counts: Counter[Toxic] = Counter()
        self.connections = 0
        self.passes = asyncio.Event()
        self.passes.set()
        self._is_cut = False
        self._dice = dice or random.Random(0)
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
        await self._end_connections()
        await self._server.wait_closed()

    def silence(self) -> None:
        """Deliver nothing more, and close nothing: the other side has vanished, until `mend`."""
        self.passes.clear()

    async def cut(self) -> None:
        """Close every connection, also new ones, until `mend`."""
        self._is_cut = True
        await self._end_connections()

    def mend(self) -> None:
        """Accept connections and deliver again, also what was sent in the meantime."""
        self._is_cut = False
        self.passes.set()

    def draw(self) -> Toxic | None:
        return self._dice.choice(TOXICS) if self._dice.random() < self.share else None

    def delay_s(self) -> float:
        return self._dice.uniform(0, LONGEST_DELAY_S)

    def repeat(self, request: bytes) -> None:
        """Send a request again later, and drop the reply."""

        async def again() -> None:
            await asyncio.sleep(self.delay_s())  # plays: a request that is sent again
            with contextlib.suppress(OSError, TimeoutError):
                reader, writer = await asyncio.open_connection("127.0.0.1", self.target)
                try:
                    writer.write(request)
                    async with asyncio.timeout(PATIENCE_S):
                        await reader.read(_CHUNK)
                finally:
                    await _closed(writer)

        self._in_background(asyncio.ensure_future(again()))

    async def _end_connections(self) -> None:
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    def _in_background(self, task: asyncio.Task[None]) -> None:
        """Keep a task that ends with the proxy."""
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._in_background(asyncio.ensure_future(self._serve(reader, writer)))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass on both ways until one side ends, or a toxic does."""
        back = None
        try:
            if self._is_cut:
                return
            self.connections += 1
            await self.passes.wait()
            there, back = await asyncio.open_connection("127.0.0.1", self.target)
            ways = _Ways(self, reader, writer, there, back)
            await _first_of(asyncio.ensure_future(ways.forth()), asyncio.ensure_future(ways.back()))
        except OSError:  # nobody listens: the client's connection ends
            pass
        finally:
            for end in (back, writer):
                if end is not None:
                    await _closed(end)


class _Ways:
    """The two ways of one connection."""

    def __init__(
        self,
        proxy: FaultProxy,
        client: asyncio.StreamReader,
        to_client: asyncio.StreamWriter,
        server: asyncio.StreamReader,
        to_server: asyncio.StreamWriter,
    ) -> None:
        self._proxy = proxy
        self._client, self._to_client = client, to_client
        self._server, self._to_server = server, to_server
        self._now: _Exchange | None = None

    async def forth(self) -> None:
        """Pass on what the client sends."""
        while chunk := await self._client.read(_CHUNK):
            if self._now is None or self._now.is_answered:
                self._now = _Exchange(bytearray(), self._proxy.draw())
                if self._now.toxic == "lose_request":
                    return self._count("lose_request")
                if self._now.toxic == "delay":
                    self._count("delay")
                    await asyncio.sleep(self._proxy.delay_s())  # plays: a slow network
                if self._now.toxic == "cut_request":
                    await self._send(self._to_server, chunk[: len(chunk) // 2])
                    return self._count("cut_request")
            self._now.request += chunk
            await self._send(self._to_server, chunk)
        return await self._end()

    async def back(self) -> None:
        while chunk := await self._server.read(_CHUNK):
            if self._now is not None and not self._now.is_answered:
                self._now.is_answered = True
                if self._now.toxic == "lose_reply":
                    return self._count("lose_reply")
                if self._now.toxic == "cut_reply":
                    await self._send(self._to_client, chunk[: len(chunk) // 2])
                    return self._count("cut_reply")
                if self._now.toxic == "repeat":
                    self._count("repeat")
                    self._proxy.repeat(bytes(self._now.request))
            await self._send(self._to_client, chunk)
        return await self._end()

    async def _send(self, writer: asyncio.StreamWriter, chunk: bytes) -> None:
        await self._proxy.passes.wait()
        writer.write(chunk)
        await writer.drain()

    async def _end(self) -> None:
        """Deliver the end of a connection, while anything is delivered."""
        await self._proxy.passes.wait()

    def _count(self, toxic: Toxic) -> None:
        self._proxy.counts[toxic] += 1


async def _first_of(*ways: asyncio.Task[None]) -> None:
    """Wait for the first of two directions to end, and cancel the other one."""
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)


async def _closed(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
