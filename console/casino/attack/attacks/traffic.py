"""The attacker's network: bounded, and only to the addresses of the target."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import NamedTuple
from urllib.parse import urlsplit

import httpx

from casino.attack.connection import Connection, NotRead
from casino.attack.reach import origin_of

MOST_REQUESTS = 20_000
MOST_BYTES = 1024 * 1024
_STREAM_S = 0.5
"""So long an endless answer is listened to."""

Heard = Callable[[bytes], None]


class NoAnswer(Exception):
    """Nobody answered, or not in time; the message says which."""


class NotOurs(Exception):
    """The address is none of the target's, or the traffic's bound was reached."""


class Answer(NamedTuple):
    """What came back; `seconds` is how long it took."""

    status: int
    headers: httpx.Headers
    body: bytes
    seconds: float


class Traffic:
    """Sends requests to the origins that were allowed, at most `most` of them.

    `heard` gets every byte that the attacker receives. A `transport` takes the place of the
    network; then there are no bare connections.
    """

    def __init__(
        self,
        transport: httpx.AsyncBaseTransport | None = None,
        heard: Heard = lambda _bytes: None,
        most: int = MOST_REQUESTS,
    ) -> None:
        self.has_sockets = transport is None
        self.requests = 0
        self._most = most
        self._heard = heard
        self._origins: set[str] = set()
        self._http = httpx.AsyncClient(
            transport=transport,
            trust_env=False,
            limits=httpx.Limits(max_connections=64, max_keepalive_connections=32),
        )

    def allow(self, url: str) -> None:
        """Let requests go to the origin of a URL."""
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
        """Send one request; of the answer at most 1 MiB is read.

        Raises NoAnswer, NotOurs.
        """
        self._count(url)
        began = time.monotonic()
        try:
            async with (
                asyncio.timeout(timeout_s),
                self._http.stream(
                    method, url, headers=dict(headers or {}), content=content, timeout=timeout_s
                ) as reply,
            ):
                body = await self._body(reply)
                return Answer(reply.status_code, reply.headers, body, time.monotonic() - began)
        except TimeoutError as error:
            raise NoAnswer(f"no answer within {timeout_s:g} s") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise NoAnswer(type(error).__name__) from error

    @asynccontextmanager
    async def connected(self, url: str) -> AsyncIterator[Connection]:
        """Give a bare connection to the server of a URL, closed at the end.

        Raises NoAnswer, also where the server stops reading; NotOurs.
        """
        self._count(url)
        parts = urlsplit(url)
        try:
            async with asyncio.timeout(5):
                reader, writer = await asyncio.open_connection(parts.hostname, parts.port or 80)
        except (OSError, TimeoutError) as error:
            raise NoAnswer(f"no connection: {type(error).__name__}") from error
        connection = Connection(reader, writer, self._heard)
        try:
            yield connection
        except NotRead as error:
            raise NoAnswer(str(error)) from error
        finally:
            await connection.close()

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    def _count(self, url: str) -> None:
        if origin_of(url) not in self._origins:
            raise NotOurs(f"{origin_of(url)} is no address of the target")
        self.requests += 1
        if self.requests > self._most:
            raise NotOurs(f"the bound of {self._most} requests is reached")

    async def _body(self, reply: httpx.Response) -> bytes:
        """Return the body, or what comes of an endless one within a moment."""
        body = b""
        is_endless = reply.headers.get("content-type", "").startswith("text/event-stream")
        try:
            async with asyncio.timeout(_STREAM_S if is_endless else None):
                async for chunk in reply.aiter_bytes():
                    body += chunk
                    if len(body) > MOST_BYTES:
                        break
        except TimeoutError:
            pass
        finally:
            self._heard(str(reply.headers).encode())
            self._heard(body)
        return body
