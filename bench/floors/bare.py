"""The bare protocol: an HTTP round trip with the bytes of a decision, and nothing else.

Server and client are an asyncio protocol with httptools' parser each: no framework, no JSON, no
validation, no deadline, no limits. What a typed call costs above that is what it does.
`python bench/floors/bare.py PORT` serves it; `Bare` calls it.
"""

import asyncio
import sys
from collections import deque
from pathlib import Path
from typing import cast

import httptools
import uvloop

sys.path.append(str(Path(__file__).parents[1]))

from rig import BENCH, free_port, lap, question, server, wait_for_port

_REPLY = (
    b'{"jsonrpc":"2.0","id":"0123456789abcdef1","result":{"message":{"contextId":"0123456789abcd1",'
    b'"messageId":"0123456789abcdef1","role":"ROLE_AGENT",'
    b'"extensions":["urn:a2a-casino:typed-entrypoints:v1"],'
    b'"parts":[{"data":{"action":"call"},"mediaType":"application/json"}]}}}'
)
_RESPONSE = (
    b"HTTP/1.1 200 OK\r\ndate: Tue, 24 Nov 2026 12:00:00 GMT\r\ncontent-type: application/json\r\n"
    b"content-length: %d\r\n\r\n%b" % (len(_REPLY), _REPLY)
)
_ENVELOPE = (
    b'{"jsonrpc":"2.0","id":"0123456789abcdef1","method":"SendMessage","params":{"message":'
    b'{"messageId":"0123456789abcdef1","role":"ROLE_USER",'
    b'"extensions":["urn:a2a-casino:typed-entrypoints:v1"],'
    b'"metadata":{"urn:a2a-casino:typed-entrypoints:v1":{"skill":"act"}},'
    b'"parts":[{"data":%b,"mediaType":"application/json"}]}}}'
)


class BareServer(asyncio.Protocol):
    """Replies to every complete request with the same bytes."""

    transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self.transport = cast("asyncio.Transport", transport)
        self._parser = httptools.HttpRequestParser(self)

    def data_received(self, data: bytes) -> None:
        """Parse what the client has sent."""
        self._parser.feed_data(data)

    def on_message_complete(self) -> None:
        """Reply."""
        self.transport.write(_RESPONSE)


class _Connection(asyncio.Protocol):
    """A connection of the client, with one request at a time."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._parser = httptools.HttpResponseParser(self)
        self._body = b""
        self._reply: asyncio.Future[bytes] | None = None

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_body(self, body: bytes) -> None:
        self._body += body

    def on_message_complete(self) -> None:
        reply, self._reply = self._reply, None
        if reply is not None:
            reply.set_result(self._body)

    async def exchange(self, request: bytes) -> bytes:
        """Send a request and return the body of the reply."""
        self._body = b""
        reply: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._reply = reply
        self._transport.write(request)
        return await reply

    def close(self) -> None:
        """Close."""
        self._transport.close()


class Bare:
    """Client of the bare protocol, with connections that are kept."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._idle: deque[_Connection] = deque()
        body = _ENVELOPE % question().model_dump_json().encode()
        self._request = (
            b"POST /a2a/jsonrpc HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAccept: */*\r\n"
            b"Accept-Encoding: identity\r\nContent-Type: application/json\r\nA2A-Version: 1.0\r\n"
            b"A2A-Extensions: urn:a2a-casino:typed-entrypoints:v1\r\nContent-Length: %d\r\n\r\n%b"
        ) % (port, len(body), body)

    async def act(self) -> bytes:
        """Send a question and return the body of the reply."""
        connection = self._idle.pop() if self._idle else await self._connected()
        try:
            return await connection.exchange(self._request)
        finally:
            self._idle.append(connection)

    def close(self) -> None:
        """Close the connections."""
        while self._idle:
            self._idle.pop().close()

    async def _connected(self) -> _Connection:
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(_Connection, "127.0.0.1", self._port)
        return connection


async def bare_calls_per_s(calls: int, in_flight: int) -> float:
    """Return the calls per second of the bare protocol, so many in flight."""
    port = free_port()
    with server(str(BENCH / "floors/bare.py"), str(port)) as process:
        await wait_for_port(port)
        bare = Bare(port)

        async def ask(_number: int) -> None:
            await bare.act()

        await lap(ask, 500, in_flight, process.pid)
        rate = (await lap(ask, calls, in_flight, process.pid)).calls_per_s
        bare.close()
    return rate


async def _serve(port: int) -> None:
    listener = await asyncio.get_running_loop().create_server(BareServer, "127.0.0.1", port)
    await listener.serve_forever()


def main() -> None:
    """Serve the bare protocol until it is terminated."""
    uvloop.run(_serve(int(sys.argv[1])))


if __name__ == "__main__":
    main()
