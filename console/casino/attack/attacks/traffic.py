"""The attacker's network access, limited in volume and to the target's addresses."""

import asyncio
from collections.abc import Callable, Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

import httpx

from casino.attack.connection import Address
from casino.attack.reach import origin_of
from casino.errors import NoAnswer, NotOurs

MAX_REQUESTS = 20_000
MAX_BYTES = 1024 * 1024
_STREAM_S = 0.5
"""Read time of an event stream, in seconds."""
_IDLE_S = 2.0
"""Seconds for which an idle connection is kept: fewer than servers keep it (uvicorn: 5), since a
request that meets the closing of its connection has no answer, which would count as a fault."""

Heard = Callable[[bytes], None]


class Answer(NamedTuple):
    """An HTTP response."""

    status: int
    headers: httpx.Headers
    body: bytes


class Traffic:
    """Sends at most 20,000 requests, only to allowed origins.

    `heard` is called with everything received. With a `transport`, which replaces the network,
    bare connections are not available.
    """

    def __init__(
        self,
        transport: httpx.AsyncBaseTransport | None = None,
        heard: Heard = lambda _bytes: None,
    ) -> None:
        self._has_sockets = transport is None
        self.requests = 0
        self._heard = heard
        self._origins: set[str] = set()
        self._http = httpx.AsyncClient(
            transport=transport,
            trust_env=False,
            limits=httpx.Limits(
                max_connections=64, max_keepalive_connections=32, keepalive_expiry=_IDLE_S
            ),
        )

    def allow(self, url: str) -> None:
        """Allow requests to the origin of a URL."""
        self._origins.add(origin_of(url))

    async def send(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
        timeout_s: float = 10.0,
    ) -> Answer:
        """Send a request and read at most 1 MiB of the answer.

        Raises NoAnswer, NotOurs.
        """
        self._count(url)
        try:
            async with (
                asyncio.timeout(timeout_s),
                self._http.stream(
                    method, url, headers=dict(headers or {}), content=content, timeout=timeout_s
                ) as reply,
            ):
                body = await self._body(reply)
                return Answer(reply.status_code, reply.headers, body)
        except TimeoutError as error:
            raise NoAnswer(f"no answer within {timeout_s:g} s") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise NoAnswer(type(error).__name__) from error

    def address(self, url: str) -> Address:
        """Return where the server of a URL takes bare connections.

        Raises NotOurs; NoAnswer without a network.
        """
        self._count(url)
        if not self._has_sockets:
            raise NoAnswer("there is no network here")
        parts = urlsplit(url)
        return Address(parts.port or 80, None, parts.hostname or "", self._heard)

    async def close(self) -> None:
        """Close all connections."""
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
