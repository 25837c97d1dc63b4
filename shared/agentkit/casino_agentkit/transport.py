"""How bytes get to another agent: over HTTP, or (in tests) straight into its application."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import aiohttp
from yarl import URL

from casino_agentkit.errors import ProtocolFault, TimedOut, Unreachable
from casino_agentkit.wire import BODY_LIMIT

_CONNECTIONS = 1000
_KEEPALIVE_S = 60.0
"""Below the servers' own idle limit, so that no call goes out on a connection being closed."""


@dataclass(frozen=True, slots=True)
class HttpReply:
    """A whole reply, at most BODY_LIMIT bytes."""

    status: int
    body: bytes
    location: str = ""


class Transport(Protocol):
    """Sends one HTTP request; raises Unreachable, TimedOut or ProtocolFault, and nothing else."""

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, timeout_s: float
    ) -> HttpReply:
        """Return the whole reply, whatever its status."""
        ...

    async def close(self) -> None:
        """Let go of all connections."""
        ...


class HttpTransport:
    """One pooled aiohttp session, made at the first call."""

    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None
        self._urls: dict[str, URL] = {}

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    limit=_CONNECTIONS, keepalive_timeout=_KEEPALIVE_S, ttl_dns_cache=60
                ),
                auto_decompress=True,
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        return self._session

    def _url(self, url: str) -> URL:
        known = self._urls.get(url)
        if known is None:
            if len(self._urls) > _CONNECTIONS:
                self._urls.clear()
            known = self._urls[url] = URL(url)
        return known

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, timeout_s: float
    ) -> HttpReply:
        """Return the whole reply, whatever its status."""
        if timeout_s <= 0:
            raise TimedOut(url, "the deadline had passed before the call was sent")
        try:
            async with self._open().request(
                method,
                self._url(url),
                data=body or None,
                headers=headers,
                timeout=aiohttp.ClientTimeout(total=timeout_s),
                allow_redirects=False,
            ) as reply:
                return HttpReply(
                    reply.status, await _read(url, reply), reply.headers.get("Location", "")
                )
        except TimeoutError as error:  # aiohttp's own timeouts are TimeoutErrors too
            raise TimedOut(url, f"no reply within {timeout_s:.3g} s") from error
        except (aiohttp.InvalidURL, ValueError) as error:
            raise ProtocolFault(url, "is no URL that can be called") from error
        except (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError, OSError) as error:
            raise Unreachable(url, _plain(error)) from error
        except aiohttp.ClientError as error:
            raise ProtocolFault(url, f"no HTTP reply: {_plain(error)}") from error

    async def close(self) -> None:
        """Let go of all connections."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()


async def _read(url: str, reply: aiohttp.ClientResponse) -> bytes:
    """Read the body, at most BODY_LIMIT bytes of it: a hostile agent may send without end."""
    length = reply.content_length
    if length is not None and length <= BODY_LIMIT and "Content-Encoding" not in reply.headers:
        return await reply.read()
    body = bytearray()
    if length is None or length <= BODY_LIMIT:
        async for chunk in reply.content.iter_any():
            body += chunk
            if len(body) > BODY_LIMIT:
                break
        else:
            return bytes(body)
    reply.close()  # the rest is not wanted
    raise ProtocolFault(url, f"the reply is larger than {BODY_LIMIT} bytes")


def _plain(error: BaseException) -> str:
    """Say what happened without addresses of objects or stack traces."""
    if isinstance(error, aiohttp.ClientConnectorError):
        number = error.os_error.errno
        why = os.strerror(number) if number and number > 0 else "name or address unknown"
        return f"no connection ({why.lower()})"
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return "the connection was closed before the reply"
    return str(error) or type(error).__name__
