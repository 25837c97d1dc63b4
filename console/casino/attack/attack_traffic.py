"""The attacker's network access, limited in volume and to the target's addresses."""

import asyncio
import ipaddress
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple
from urllib.parse import urlsplit

import httpx

from casino.errors import NoAnswer, NotOurs

ATTACKER = "127.0.0.2"
"""An address of this machine, beside the one that its health checks come from."""
_OPEN_S = 5.0
_LOST = (OSError, asyncio.IncompleteReadError)


class AttackAddress(NamedTuple):
    """Where a server listens, and the local address that connections come from.

    Linux gives a process any address of 127.0.0.0/8; None leaves the choice to the system.
    `heard` is called with all received bytes.
    """

    port: int
    source: str | None = ATTACKER
    host: str = "127.0.0.1"
    heard: Callable[[bytes], None] = lambda _bytes: None


class AttackConnection:
    """One TCP connection; what is lost or refused counts as its end."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        heard: Callable[[bytes], None] = lambda _bytes: None,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._heard = heard

    async def send(self, data: bytes, timeout_s: float | None = None) -> bool:
        """Send bytes; return whether the peer read them in time and has not closed."""
        if self._writer.is_closing():
            return False
        try:
            self._writer.write(data)
            async with asyncio.timeout(timeout_s):
                await self._writer.drain()
        except OSError:  # a TimeoutError too
            return False
        return not (self._reader.at_eof() or self._writer.is_closing())

    async def next_bytes(self) -> bytes:
        """Return the next bytes, b"" if the connection ended."""
        try:
            data = await self._reader.read(65_536)
        except OSError:
            return b""
        self._heard(data)
        return data

    async def hear(self, timeout_s: float) -> bytes | None:
        """Return the next bytes, b"" if the connection ended, None on a timeout."""
        try:
            async with asyncio.timeout(timeout_s):
                return await self.next_bytes()
        except TimeoutError:
            return None

    async def answer(self) -> bytes:
        read = b""
        while data := await self.next_bytes():
            read += data
        return read

    async def is_open_after(self, seconds: float) -> bool:
        """Read for a time; return whether the peer has not closed the connection meanwhile."""
        try:
            async with asyncio.timeout(seconds):
                await self.answer()
        except TimeoutError:
            return True
        return False

    async def head(self) -> bytes:
        """Return the head of a response; raises IncompleteReadError if the connection ends."""
        return await self._reader.readuntil(b"\r\n\r\n")

    async def response(self, *, has_body: bool = True) -> bytes:
        """Return one response that says its length; raises IncompleteReadError."""
        head = await self.head()
        (length,) = (
            int(line.split(b":")[1])
            for line in head.lower().split(b"\r\n")
            if line.startswith(b"content-length:")
        )
        return head + (await self._reader.readexactly(length) if has_body else b"")


@asynccontextmanager
async def connected(
    address: AttackAddress, *, read_ahead: int = 2**16
) -> AsyncIterator[AttackConnection]:
    """Yield a connection that reads ahead so many bytes, aborted at the end. Raises NoAnswer."""
    local = (address.source, 0) if address.source else None
    try:
        async with asyncio.timeout(_OPEN_S):
            reader, writer = await asyncio.open_connection(
                address.host, address.port, local_addr=local, limit=read_ahead
            )
    except OSError as error:
        raise NoAnswer(f"no connection: {type(error).__name__}") from error
    try:
        yield AttackConnection(reader, writer, address.heard)
    finally:
        writer.transport.abort()
        with suppress(*_LOST):
            await writer.wait_closed()


def head(line: str = "GET /healthz", *fields: str) -> bytes:
    """Return the head of a request; guards take a bare address as its host."""
    lines = (f"{line} HTTP/1.1", "Host: 127.0.0.1", *fields, "", "")
    return "\r\n".join(lines).encode()


def status(answer: bytes) -> int:
    """Return an answer's status, 0 if there was none."""
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else 0


Resolve = Callable[[str], list[str]]


def addresses_of(host: str) -> list[str]:
    """Return the IP addresses of a host name; an empty list if it cannot be resolved."""
    try:
        entries = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError:
        return []
    return [str(address[0]) for *_, address in entries]


def is_private(url: str, resolve: Resolve = addresses_of) -> bool:
    """Return whether every address of a URL's host is loopback or private.

    >>> is_private("http://127.0.0.1:4000"), is_private("http://192.0.2.1", lambda host: [host])
    (True, False)
    """
    host = urlsplit(url).hostname or ""
    addresses = resolve(host)
    return bool(addresses) and all(map(_is_private, addresses))


_LOOPBACK = ("127.0.0.0/8", "::1/128")
_PRIVATE = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")


def _is_private(text: str) -> bool:
    address = ipaddress.ip_address(text.partition("%")[0])
    address = getattr(address, "ipv4_mapped", None) or address
    networks = map(ipaddress.ip_network, _LOOPBACK + _PRIVATE)
    return any(address in network for network in networks if network.version == address.version)


def origin_of(url: str) -> str:
    """Return scheme, host and port of a URL.

    >>> origin_of("http://127.0.0.1:4500/tables/1/.well-known/agent-card.json")
    'http://127.0.0.1:4500'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


MAX_REQUESTS = 20_000
MAX_BYTES = 1024 * 1024
_STREAM_S = 0.5
"""Read time of an event stream, in seconds."""
_IDLE_S = 2.0
"""Seconds for which an idle connection is kept: fewer than servers keep it (uvicorn: 5), since a
request that meets the closing of its connection has no answer, which would count as a fault."""

Heard = Callable[[bytes], None]


class TrafficAnswer(NamedTuple):
    """An HTTP response."""

    status: int
    headers: httpx.Headers
    body: bytes


class Traffic:
    """Sends at most 20,000 requests, 64 at a time, only to allowed origins.

    The time of a request begins when it is sent. `heard` is called with everything received. With
    a `transport`, which replaces the network, bare connections are not available.
    """

    def __init__(
        self, transport: httpx.AsyncBaseTransport | None = None, heard: Heard = lambda _bytes: None
    ) -> None:
        self._has_sockets = transport is None
        self.requests = 0
        self._heard = heard
        self._origins: set[str] = set()
        self._http = httpx.AsyncClient(
            transport=transport,
            trust_env=False,
            limits=httpx.Limits(max_keepalive_connections=32, keepalive_expiry=_IDLE_S),
        )
        # A pool with a limit loses for good what it assigns to a request that just timed out.
        self._slots = asyncio.Semaphore(64)

    def allow(self, url: str) -> None:
        self._origins.add(origin_of(url))

    async def send(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
        timeout_s: float = 10.0,
    ) -> TrafficAnswer:
        """Send a request and read at most 1 MiB of the answer. Raises NoAnswer, NotOurs."""
        self._count(url)
        try:
            async with (
                self._slots,
                asyncio.timeout(timeout_s),
                self._http.stream(
                    method, url, headers=dict(headers or {}), content=content, timeout=timeout_s
                ) as reply,
            ):
                body = await self._body(reply)
                return TrafficAnswer(reply.status_code, reply.headers, body)
        except TimeoutError as error:
            raise NoAnswer(f"no answer within {timeout_s:g} s") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise NoAnswer(type(error).__name__) from error

    def address(self, url: str) -> AttackAddress:
        """Return where a URL's server takes bare connections. Raises NotOurs, NoAnswer."""
        self._count(url)
        if not self._has_sockets:
            raise NoAnswer("there is no network here")
        parts = urlsplit(url)
        return AttackAddress(parts.port or 80, None, parts.hostname or "", self._heard)

    async def close(self) -> None:
        await self._http.aclose()

    def _count(self, url: str) -> None:
        if origin_of(url) not in self._origins:
            raise NotOurs(f"{origin_of(url)} is not an address of the target")
        self.requests += 1
        if self.requests > MAX_REQUESTS:
            raise NotOurs(f"the limit of {MAX_REQUESTS} requests is reached")

    async def _body(self, reply: httpx.Response) -> bytes:
        """Return the body; of an event stream, what arrives within `_STREAM_S`."""
        body = b""
        is_endless = reply.headers.get("content-type", "").startswith("text/event-stream")
        try:
            async with asyncio.timeout(_STREAM_S if is_endless else None):
                async for chunk in reply.aiter_bytes():
                    body += chunk
                    if len(body) > MAX_BYTES:
                        break
        except TimeoutError:
            pass
        finally:
            self._heard(str(reply.headers).encode())
            self._heard(body)
        return body
