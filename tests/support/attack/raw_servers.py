"""An internal service and an agent with any card, as bytes, and what leads to them."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from casino_agentkit import AgentError, HttpTransport
from casino_agentkit.client.connector import Lookup
from casino_agentkit.client.outgoing import AddressClass, Origin

SECRET = b'{"password": "hunter2"}'


@asynccontextmanager
async def _answering(answer: Callable[[str], bytes]) -> AsyncIterator[tuple[int, list[str]]]:
    """Answer each request, of which `answer` gets the head; yields port and heads."""
    asked: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                asked.append(head.decode("latin-1"))
                length = re.search(rb"content-length: (\d+)", head.lower())
                await reader.readexactly(int(length[1]) if length else 0)
                writer.write(answer(asked[-1]))
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    yield server.sockets[0].getsockname()[1], asked
    server.close()


def _http(status: str, body: bytes, more: str = "") -> bytes:
    return f"HTTP/1.1 {status}\r\n{more}Content-Length: {len(body)}\r\n\r\n".encode() + body


@asynccontextmanager
async def internal_service() -> AsyncIterator[tuple[int, list[str]]]:
    """Run a service that only this machine should reach; yields its port and what it was asked."""
    async with _answering(lambda _head: _http("200 OK", SECRET)) as service:
        yield service


@asynccontextmanager
async def agent(
    content: Any = None, *, redirect: str | None = None, status: str = "200 OK"
) -> AsyncIterator[tuple[str, list[str]]]:
    """Run an agent that answers JSON, or that redirects; yields its origin and what it is asked.

    `content` returns the JSON for its origin, and for whether the card is asked for; whatever else
    is asked is answered with `status`, or redirected where there is a card.
    """
    origin: list[str] = []

    def answer(head: str) -> bytes:
        is_card = head.startswith("GET")
        if redirect is not None and not (is_card and content):
            return _http("307 Moved", b"", f"Location: {redirect}\r\n")
        body = json.dumps(content(origin[0], is_card)).encode()
        return _http("200 OK" if is_card else status, body)

    async with _answering(answer) as (port, asked):
        origin.append(f"http://127.0.0.1:{port}")
        yield origin[0], asked


class AnyAddress:
    """A policy without restrictions."""

    def objection(self, _origin: Origin) -> None:
        """Object to nothing."""

    def admitted(self, addresses: Sequence[str], _before: AddressClass | None) -> list[str]:
        return list(addresses)

    def links(self, _source: AddressClass | None, _target: AddressClass | None) -> bool:
        return True


async def reads(transport: HttpTransport, url: str) -> bool:
    """Tell whether the internal service's page can be read at an address."""
    try:
        return (await transport.send("GET", url, {}, b"", 5)).body == SECRET
    except AgentError:
        return False
    finally:
        await transport.close()


def lookup_of(answers: dict[str, list[list[str]]]) -> Lookup:
    """Return a look-up that gives each name's answers in turn, the last one repeatedly."""

    async def lookup(host: str) -> list[str]:
        known = answers[host]
        return known.pop(0) if len(known) > 1 else known[0]

    return lookup
