"""Connections to admitted addresses only, with a limit on a reply's head and framing.

Names are resolved under the address policy, so that checked addresses are connected.

aiohttp limits each header and their number. It limits neither the number of informational responses
(1xx) nor the overhead of chunked framing: with either, a hostile peer could keep the event loop
busy without end. And it takes a second reply to one request for the reply to the next one.
"""

import asyncio
import functools
import socket
import ssl
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import aiohttp
from aiohttp import StreamReader
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.client_proto import ResponseHandler
from aiohttp.helpers import set_exception
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.http_parser import RawResponseMessage
from typing_extensions import override

from casino_agentkit.bounded_state import LruDict
from casino_agentkit.client.outgoing import AddressClass, Origin, Policy, class_of
from casino_agentkit.errors import KitError, NoAllowedAddress

HEAD_LIMIT = 16_384
"""Maximum size of a reply before its body, in bytes, informational responses included."""
_FRAMING = 3  # maximum ratio of bytes received to body bytes, beyond the first HEAD_LIMIT bytes
_SLICE = 8_192
"""Number of bytes parsed at a time, so that an excess is detected before all is parsed."""


class TooMuch(KitError, aiohttp.ClientError):
    """A reply has too much overhead for the size of its body."""


class BoundedHandler(ResponseHandler):
    """Reads the replies of a connection; closes it if one exceeds the limits."""

    def __init__(self, loop: asyncio.AbstractEventLoop, head_limit: int) -> None:
        super().__init__(loop)
        self._head_limit = head_limit
        self._received = self._replies_read = 0

    def set_response_params(self, **params: Any) -> None:
        self._received = self._replies_read = 0
        super().set_response_params(**params)

    def feed_data(self, data: tuple[RawResponseMessage, StreamReader], size: int = 0) -> None:
        """Take a reply that begins; close the connection at a second one to the same request."""
        super().feed_data(data, size)
        code = data[0].code
        self._replies_read += not 100 <= code < 200 or code == 101  # noqa: PLR2004  of HTTP
        if self._replies_read > 1:
            self.abort()

    def data_received(self, data: bytes) -> None:
        if len(data) <= _SLICE:
            self._take(data)
            return
        for start in range(0, len(data), _SLICE):
            if self.transport is None or self.exception() is not None:
                return
            self._take(data[start : start + _SLICE])

    def close(self) -> None:
        """Close the connection at once, even if the peer does not read pending data."""
        self.abort()

    def _take(self, data: bytes) -> None:
        self._received += len(data)
        super().data_received(data)
        error, payload = self.exception(), self._payload
        if error is not None:  # the first fault is the one that is raised
            if payload is not None and not payload.is_eof() and payload.exception() is None:
                set_exception(payload, error)  # else who reads the body waits until the deadline
            return
        if self._received > self._head_limit:
            body = self._payload.total_bytes if self._payload is not None else 0
            if self._received > self._head_limit + _FRAMING * body:
                self._fail()

    def _fail(self) -> None:
        payload = self._payload
        if payload is not None:
            set_exception(payload, TooMuch("the reply has too much framing around its body"))
        self.set_exception(HttpProcessingError(code=0, message="the reply's head is too large"))
        if self.transport is not None:
            self.transport.abort()


class BoundedConnector(aiohttp.TCPConnector):
    """A pool of bounded connections."""

    def __init__(
        self,
        resolver: AbstractResolver,
        tls: ssl.SSLContext,
        *,
        limit: int,
        keepalive_s: float,
        head_limit: int,
    ) -> None:
        super().__init__(
            resolver=resolver, ssl=tls, limit=limit, keepalive_timeout=keepalive_s, ttl_dns_cache=60
        )
        self._factory = functools.partial(  # type: ignore[assignment]  # aiohttp's, but bounded
            BoundedHandler, self._loop, head_limit
        )


Lookup = Callable[[str], Awaitable[list[str]]]  # returns the IP addresses of a name; raises OSError

_MAX_NAMES = 4_096
_THREADS = 8


class SystemLookup:
    """The system's resolver, in separate threads, so that slow names block nothing else."""

    def __init__(self) -> None:
        self._threads: ThreadPoolExecutor | None = None

    async def __call__(self, host: str) -> list[str]:
        """Return the IP addresses of a name; raises OSError."""
        if self._threads is None:
            self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="lookup")
        return await asyncio.get_running_loop().run_in_executor(self._threads, _look_up, host)

    def close(self) -> None:
        """Cancel look-ups; does not wait for running ones."""
        threads, self._threads = self._threads, None
        if threads is not None:
            threads.shutdown(wait=False, cancel_futures=True)


def _look_up(host: str) -> list[str]:
    infos = socket.getaddrinfo(
        host, None, type=socket.SOCK_STREAM, flags=socket.AddressInfo.AI_ADDRCONFIG
    )
    return list(dict.fromkeys(str(info[4][0]) for info in infos))


class PolicyResolver(AbstractResolver):
    """Resolves names to admitted addresses, which cannot become more local later."""

    def __init__(self, policy: Policy, lookup: Lookup) -> None:
        self._policy = policy
        self._lookup = lookup
        self._classes = LruDict[str, AddressClass](_MAX_NAMES)

    @override
    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_UNSPEC,  # both are resolved
    ) -> list[ResolveResult]:
        """Return the addresses that may be connected to; raises OSError."""
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=0,
                flags=socket.AddressInfo.AI_NUMERICHOST | socket.AddressInfo.AI_NUMERICSERV,
            )
            for address in await self.admitted(host)
        ]

    async def class_of(self, origin: Origin) -> AddressClass | None:
        """Return the class of an origin's host, None if it has no address that may be called."""
        if origin.is_address:
            return class_of(origin.host)
        try:
            return class_of((await self.admitted(origin.host))[0])
        except OSError:
            return None

    @override
    async def close(self) -> None:
        """Do nothing: there is nothing to close."""

    async def admitted(self, host: str) -> list[str]:
        """Return the addresses of a name that may be connected to; raises OSError."""
        addresses = await self._lookup(host)
        admitted = self._policy.admitted(addresses, self._classes.get(host))
        if not admitted:
            kinds = {class_of(address) or "reserved" for address in addresses}
            listed = ", ".join(sorted(kinds)) or "no"
            raise NoAllowedAddress(f"{host} has {listed} addresses, which are not called from here")
        if (kind := class_of(admitted[0])) is not None:
            self._classes.put(host, kind)
        return admitted
