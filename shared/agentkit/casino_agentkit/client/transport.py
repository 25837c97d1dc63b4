"""How bytes get to another agent: over HTTP, or (in tests) straight into its application."""

import asyncio
import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import aiohttp
from yarl import URL

from casino_agentkit.client.connector import HEAD_LIMIT, BoundedConnector
from casino_agentkit.client.deadline import Deadline
from casino_agentkit.client.origin import origin_of
from casino_agentkit.client.outgoing import OutgoingPolicy, Policy
from casino_agentkit.client.resolver import Lookup, NotAdmitted, PolicyResolver, SystemLookup
from casino_agentkit.errors import AddressNotAllowed, ProtocolFault, TimedOut, Unreachable
from casino_agentkit.protocol import BODY_LIMIT
from casino_agentkit.tls.context import client_context, why_not_trusted

_CONNECTIONS = 1000
_KEEPALIVE_S = 60.0
"""Below the servers' own idle limit, so that no call goes out on a connection being closed."""
_NO_TIMEOUT = aiohttp.ClientTimeout(total=None, connect=None, sock_connect=None, sock_read=None)
"""The deadline is ours: aiohttp rounds a timeout above 5 s up to a whole second."""


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
        """Return the whole reply, whatever its status, within the time."""
        ...

    async def check_link(self, source: str, target: str) -> None:
        """Raise AddressNotAllowed if what was read at `source` may not name `target` to be called.

        Both are URLs. It is for addresses on another origin.
        """
        ...

    async def close(self) -> None:
        """Let go of all connections."""
        ...


class HttpTransport:
    """One pooled aiohttp session, made at the first call.

    `tls` says whom to trust at https addresses, by default the system's authorities.
    `policy` decides which addresses are called; `lookup` returns the addresses of a name;
    `deadline` ends what takes longer; the limits are bytes.
    A reply is read as it is: unpacking a small compressed one could fill the memory.
    """

    def __init__(
        self,
        policy: Policy | None = None,
        *,
        tls: ssl.SSLContext | None = None,
        lookup: Lookup | None = None,
        deadline: Deadline = asyncio.timeout,
        body_limit: int = BODY_LIMIT,
        head_limit: int = HEAD_LIMIT,
    ) -> None:
        self._policy = policy or OutgoingPolicy()
        self._tls = tls
        self._system = SystemLookup()
        self._resolver = PolicyResolver(self._policy, lookup or self._system)
        self._deadline = deadline
        self._body_limit = body_limit
        self._head_limit = head_limit
        self._session: aiohttp.ClientSession | None = None
        self._urls: dict[str, URL] = {}

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=BoundedConnector(
                    self._resolver,
                    self._tls or client_context(),
                    limit=_CONNECTIONS,
                    keepalive_s=_KEEPALIVE_S,
                    head_limit=self._head_limit,
                ),
                headers={"Accept-Encoding": "identity"},
                auto_decompress=False,
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=_NO_TIMEOUT,
            )
        return self._session

    def _url(self, url: str) -> URL:
        """Return a URL that may be called, as far as its spelling tells."""
        known = self._urls.get(url)
        if known is None:
            try:
                objection = self._policy.objection(origin_of(url))
                known = URL(url)
            except ValueError as error:
                raise ProtocolFault(url, f"the address {error}") from error
            if objection is not None:
                raise AddressNotAllowed(url, objection)
            if len(self._urls) > _CONNECTIONS:
                self._urls.clear()
            self._urls[url] = known
        return known

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, timeout_s: float
    ) -> HttpReply:
        """Return the whole reply, whatever its status, within the time."""
        if timeout_s <= 0:
            raise TimedOut(url, "the deadline had passed before the call was sent")
        target = self._url(url)
        try:
            async with (
                self._deadline(timeout_s),
                self._open().request(
                    method, target, data=body or None, headers=headers, allow_redirects=False
                ) as reply,
            ):
                return HttpReply(
                    reply.status, await self._read(url, reply), reply.headers.get("Location", "")
                )
        except TimeoutError as error:
            raise TimedOut(url, f"no reply within {timeout_s:.3g} s") from error
        except ssl.SSLError as error:  # before ValueError: a wrong certificate is one, too
            raise Unreachable(url, why_not_trusted(error) or _plain(error)) from error
        except (aiohttp.InvalidURL, ValueError) as error:
            raise ProtocolFault(url, "is no URL that can be called") from error
        except (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError, OSError) as error:
            if isinstance(error, aiohttp.ClientConnectorError) and isinstance(
                error.os_error, NotAdmitted
            ):
                raise AddressNotAllowed(url, str(error.os_error)) from error
            raise Unreachable(url, _plain(error)) from error
        except aiohttp.ClientError as error:
            raise ProtocolFault(url, f"no HTTP reply: {_plain(error)}") from error

    async def _read(self, url: str, reply: aiohttp.ClientResponse) -> bytes:
        """Read the body, as far as its limit: a hostile agent may send without end."""
        encoding = reply.headers.get("Content-Encoding", "identity")
        if encoding.strip().lower() not in {"identity", ""}:
            reply.close()
            raise ProtocolFault(url, f"the reply is encoded ({encoding[:20]}), though asked not to")
        length = reply.content_length
        if length is not None and length <= self._body_limit:
            return await reply.read()
        body = bytearray()
        if length is None:
            async for chunk in reply.content.iter_any():
                body += chunk
                if len(body) > self._body_limit:
                    break
            else:
                return bytes(body)
        reply.close()  # the rest is not wanted
        raise ProtocolFault(url, f"the reply is larger than {self._body_limit} bytes")

    async def check_link(self, source: str, target: str) -> None:
        """Raise AddressNotAllowed if what was read at `source` may not name `target` to be called.

        Both are URLs on different origins. Raises ProtocolFault where one is no plain URL.
        """
        try:
            origins = origin_of(source), origin_of(target)
        except ValueError as error:
            raise ProtocolFault(target, f"the address {error}") from error
        objection = self._policy.objection(origins[1])
        if objection is not None:
            raise AddressNotAllowed(target, objection)
        here, there = [await self._resolver.class_of(origin) for origin in origins]
        if not self._policy.links(here, there):
            kinds = f"from a {here or 'forbidden'} to a {there or 'forbidden'} address"
            raise AddressNotAllowed(target, f"it is on another origin, and leads {kinds}")

    async def close(self) -> None:
        """Let go of all connections."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()
        self._system.close()


def _plain(error: BaseException) -> str:
    """Say what happened without addresses of objects or stack traces."""
    if isinstance(error, aiohttp.ClientConnectorError):
        number = error.os_error.errno
        why = os.strerror(number) if number and number > 0 else "name or address unknown"
        return f"no connection ({why.lower()})"
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return "the connection was closed before the reply"
    if isinstance(error, aiohttp.ClientResponseError):
        return error.message
    return str(error) or type(error).__name__
