"""aiohttp's connections, with a bound on what one reply may send before and around its body.

aiohttp bounds each header and their number. It does not bound informational responses (1xx), which
it reads without end, nor what chunked framing adds to a body: a peer that floods it with either
keeps the event loop busy for as long as it likes.
"""

import asyncio
import functools
import ssl
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver
from aiohttp.client_proto import ResponseHandler
from aiohttp.helpers import set_exception
from aiohttp.http_exceptions import HttpProcessingError

HEAD_LIMIT = 16_384
"""Bytes of a reply that may come before its body: status lines, headers, informational ones."""
_FRAMING = 3
"""So many times its body a reply may be on the wire, beyond the first HEAD_LIMIT bytes."""
_SLICE = 8_192
"""So much is parsed at a time, so that what is too much is noticed before all of it is parsed."""


class TooMuch(aiohttp.ClientError):
    """A reply sends more than its body needs."""


class BoundedHandler(ResponseHandler):
    """Reads one reply after the other from a connection; closes it when one sends too much."""

    def __init__(self, loop: asyncio.AbstractEventLoop, head_limit: int) -> None:
        super().__init__(loop)
        self._head_limit = head_limit
        self._received = 0

    def set_response_params(self, **given: Any) -> None:
        """Begin to read a reply."""
        self._received = 0
        super().set_response_params(**given)

    def data_received(self, data: bytes) -> None:
        """Parse what came, until it is too much."""
        if len(data) <= _SLICE:
            self._take(data)
            return
        for start in range(0, len(data), _SLICE):
            if self.transport is None or self.exception() is not None:
                return
            self._take(data[start : start + _SLICE])

    def close(self) -> None:
        """Close the connection now, even if the peer does not read what is still to be sent."""
        self.abort()

    def _take(self, data: bytes) -> None:
        self._received += len(data)
        super().data_received(data)
        if self._received > self._head_limit:
            body = self._payload.total_bytes if self._payload is not None else 0
            if self._received > self._head_limit + _FRAMING * body:
                self._fail()

    def _fail(self) -> None:
        payload = self._payload
        if payload is not None:
            set_exception(payload, TooMuch("the reply sends too much beside its body"))
        self.set_exception(HttpProcessingError(code=0, message="the reply's head is too large"))
        if self.transport is not None:
            self.transport.abort()


class BoundedConnector(aiohttp.TCPConnector):
    """A pool of such connections."""

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
            resolver=resolver,
            ssl=tls,
            limit=limit,
            keepalive_timeout=keepalive_s,
            ttl_dns_cache=60,
        )
        self._factory = functools.partial(  # type: ignore[assignment]  # aiohttp's, but bounded
            BoundedHandler, self._loop, head_limit
        )
