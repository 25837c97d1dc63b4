"""Lean HTTP/1.1 client for plain-http URLs: one write, one timer and one read a call.

One timer serves the deadlines of all requests, because hardly one is ever reached; a name is looked
up once for all calls at the same time, and its addresses are kept for a minute.
"""

import asyncio
import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import inf
from socket import AF_INET, AF_INET6, IPPROTO_TCP, SOCK_STREAM
from typing import Final, NamedTuple, Protocol

import aiohappyeyeballs
import aiohttp
from aiohappyeyeballs import AddrInfoType

from casino_agentkit.bounded_state import LruDict
from casino_agentkit.client.connector import PolicyResolver
from casino_agentkit.client.http.client_connection import KnownReplies, LeanConnection
from casino_agentkit.client.http.http_reply import HttpReply, read_reply
from casino_agentkit.client.http.pool import ConnectionPool
from casino_agentkit.client.outgoing import Deadline, Origin
from casino_agentkit.errors import AddressNotAllowed, NoAllowedAddress, Unreachable
from casino_agentkit.protocol import TRACE_HEADER


class Expiring(Protocol):
    """A request with a deadline."""

    ends_at: float  # in seconds of the loop

    def expire(self) -> None:
        """End the request: its reply is late."""


class Deadlines:
    """Expires each request that is watched when its deadline is reached."""

    def __init__(self) -> None:
        self._watched: set[Expiring] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._fires_at = 0.0

    def watch(self, request: Expiring, ends_at: float) -> None:
        """Expire a request at a time of the loop, unless it is released before."""
        request.ends_at = ends_at
        self._watched.add(request)
        if self._timer is None or ends_at < self._fires_at:
            self._set(ends_at)

    def release(self, request: Expiring) -> None:
        self._watched.discard(request)

    def cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _set(self, fires_at: float) -> None:
        self.cancel()
        self._fires_at = fires_at
        self._timer = asyncio.get_running_loop().call_at(fires_at, self._fire)

    def _fire(self) -> None:
        self._timer = None
        now = asyncio.get_running_loop().time()
        for request in [request for request in self._watched if request.ends_at <= now]:
            self._watched.discard(request)
            request.expire()
        if self._watched:
            self._set(min(request.ends_at for request in self._watched))


_KEPT_S: Final = 60.0
_MOST_NAMES: Final = 4_096


class KnownAddresses:
    """The addresses of origins that may be connected to."""

    def __init__(self, resolver: PolicyResolver) -> None:
        self._resolver = resolver
        self._addresses = LruDict[str, tuple[float, list[str]]](_MOST_NAMES)
        self._running: dict[str, asyncio.Task[list[str]]] = {}

    async def of(self, origin: Origin) -> list[str]:
        """Return the addresses of an origin. Raises OSError."""
        host = origin.host
        if origin.is_address:
            return [host]
        now = asyncio.get_running_loop().time()
        kept = self._addresses.get(host)
        if kept is not None and kept[0] > now:
            return kept[1]
        running = self._running.get(host)
        if running is None:
            running = self._running[host] = asyncio.create_task(self._look_up(host))
            running.add_done_callback(lambda _task: self._running.pop(host, None))
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if running.cancelled() and not (task and task.cancelling()):
                raise ConnectionAbortedError from None  # the look-up was cancelled, not the call
            raise

    def close(self) -> None:
        """Cancel look-ups: calls that wait for one fail."""
        for running in self._running.values():
            running.cancel()

    async def _look_up(self, host: str) -> list[str]:
        addresses = await self._resolver.admitted(host)
        ends_at = asyncio.get_running_loop().time() + _KEPT_S
        self._addresses.put(host, (ends_at, addresses))
        return addresses


METHODS: Final = frozenset({"GET", "POST", "PUT", "DELETE"})
"""Methods whose replies have a body or none as their head says."""
_IDEMPOTENT: Final = frozenset({"GET", "PUT", "DELETE"})
_OK: Final = 200
_HEADS: Final = 4_096
_STALE_AFTER_S: Final = 1.0
"""A connection that was idle for so long may have been closed by the server meanwhile."""
_STAGGER_S: Final = 0.25
"""The next address of a name is tried so long after one that does not answer."""
_FIELD: Final = re.compile(r"[\x20-\x7e]*")


class HttpTarget(NamedTuple):
    """Where a plain-http URL points to."""

    origin: Origin
    authority: str  # the `Host` header
    path: str  # path and query, encoded


class PlainHttpClient:
    """Sends requests to http origins over connections that are kept.

    `resolver` returns the addresses that may be connected to. `deadline` is the timeout context;
    `asyncio.timeout` is replaced by one timer of the loop, which is cheaper. Limits are in bytes.
    """

    def __init__(
        self, resolver: PolicyResolver, deadline: Deadline, body_limit: int, head_limit: int
    ) -> None:
        self._addresses = KnownAddresses(resolver)
        self._deadline = deadline
        self._has_timer = deadline is asyncio.timeout
        self._body_limit = body_limit
        self._head_limit = head_limit
        self._pool = ConnectionPool()
        self._deadlines = Deadlines()
        self._replies = KnownReplies()
        self._heads: dict[tuple[str, str, int], tuple[Mapping[str, str], bytes]] = {}
        """Heads by method, URL and the identity of the headers, which are kept beside them."""

    async def send(
        self,
        url: str,
        target: HttpTarget,
        method: str,
        headers: Mapping[str, str],
        body: bytes,
        timeout_s: float,
    ) -> HttpReply:
        """Raise TimeoutError, Unreachable, ProtocolFault, and aiohttp's errors for replies."""
        head = self._head(url, method, target, headers)
        request = b"%bContent-Length: %d\r\n\r\n%b" % (head, len(body), body)
        if not body and method == "GET":
            request = head + b"\r\n"
        if self._has_timer:
            ends_at = asyncio.get_running_loop().time() + timeout_s
            return await self._exchange(url, target, method, request, ends_at)
        async with self._deadline(timeout_s):
            return await self._exchange(url, target, method, request, inf)

    async def _exchange(
        self, url: str, target: HttpTarget, method: str, request: bytes, ends_at: float
    ) -> HttpReply:
        """Send a request and return its reply; send it once more, if its connection was stale."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        connection = self._pool.idle(target.origin, now)
        closings = self._pool.closings
        may_be_stale = connection is not None and (
            method in _IDEMPOTENT or now - connection.idle_since > _STALE_AFTER_S
        )
        while True:
            if connection is None:
                connection = await self._connected(url, target.origin, ends_at)
            try:
                self._deadlines.watch(connection, ends_at)
                body = await connection.exchange(request)
                reply = (
                    HttpReply(_OK, body)
                    if body is not None
                    else await self._unusual(url, connection, ends_at)
                )
            except (aiohttp.ClientConnectionError, ConnectionError):
                connection.abort()
                self._deadlines.release(connection)
                is_closed = closings != self._pool.closings
                if connection.has_received or not may_be_stale or is_closed:
                    raise
                connection, may_be_stale = None, False
                continue
            except BaseException:
                connection.abort()
                self._deadlines.release(connection)
                raise
            self._deadlines.release(connection)
            self._pool.keep(connection, loop.time())
            return reply

    async def _unusual(self, url: str, connection: LeanConnection, ends_at: float) -> HttpReply:
        async with asyncio.timeout_at(None if ends_at == inf else ends_at):
            message, content = await connection.message()
            reply = await read_reply(
                url, message.code, message.headers, content, connection.abort, self._body_limit
            )
        connection.finish(message, reply.body)
        return reply

    async def _connected(self, url: str, origin: Origin, ends_at: float) -> LeanConnection:
        """Return a new connection. Raises Unreachable."""
        loop = asyncio.get_running_loop()
        make = partial(LeanConnection, loop, self._head_limit, self._replies, self._pool, origin)

        async def connect() -> LeanConnection:
            addresses = await self._addresses.of(origin)
            return await _opened(addresses, origin.port, make)

        try:
            async with asyncio.timeout_at(None if ends_at == inf else ends_at):
                return await self._pool.connected(connect)
        except NoAllowedAddress as error:
            raise AddressNotAllowed(url, str(error)) from error
        except TimeoutError:
            raise
        except OSError as error:
            raise Unreachable(url, no_connection(error)) from error

    def _head(self, url: str, method: str, target: HttpTarget, headers: Mapping[str, str]) -> bytes:
        """Return the head of a request, without the length of its body. Raises ValueError."""
        key = (method, url, id(headers))
        kept = self._heads.get(key)
        if kept is not None and kept[0] is headers:
            return kept[1]
        fields = {
            "Host": target.authority,
            "Accept": "*/*",
            "Accept-Encoding": "identity",
            "User-Agent": "a2a-casino",
            **headers,
        }
        if not all(_FIELD.fullmatch(text) for field in fields.items() for text in field):
            raise ValueError("a header has characters that HTTP does not allow")
        lines = [f"{method} {target.path} HTTP/1.1", *map(": ".join, fields.items())]
        head = "".join(f"{line}\r\n" for line in lines).encode()
        if TRACE_HEADER in headers:  # another one in each call
            return head
        if len(self._heads) >= _HEADS:
            self._heads.clear()
        self._heads[key] = headers, head
        return head

    async def close(self) -> None:
        """Close all connections; calls in progress fail."""
        self._addresses.close()
        self._deadlines.cancel()
        await self._pool.close()


async def _opened(
    addresses: Sequence[str], port: int, make: Callable[[], LeanConnection]
) -> LeanConnection:
    """Return a connection to the first of the addresses that answers. Raises OSError."""
    loop = asyncio.get_running_loop()
    if len(addresses) == 1:
        _, connection = await loop.create_connection(make, addresses[0], port)
        return connection
    infos = [_info(address, port) for address in addresses]
    sock = await aiohappyeyeballs.start_connection(
        infos, happy_eyeballs_delay=_STAGGER_S, interleave=1, loop=loop
    )
    _, connection = await loop.create_connection(make, sock=sock)
    return connection


def _info(address: str, port: int) -> AddrInfoType:
    family, place = (
        (AF_INET6, (address, port, 0, 0)) if ":" in address else (AF_INET, (address, port))
    )
    return family, SOCK_STREAM, IPPROTO_TCP, "", place


def no_connection(error: OSError) -> str:
    """Describe why there is no connection, without object addresses."""
    number = error.errno or 0
    why = os.strerror(number) if number > 0 else "name or address unknown"
    return f"no connection ({why.lower()})"
