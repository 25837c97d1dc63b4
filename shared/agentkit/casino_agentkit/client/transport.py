"""HTTP transport of calls to other agents."""

import asyncio
import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import aiohttp
from yarl import URL

from casino_agentkit.client.connector import HEAD_LIMIT, BoundedConnector
from casino_agentkit.client.deadline import Deadline
from casino_agentkit.client.origin import Origin, origin_of
from casino_agentkit.client.outgoing import OutgoingPolicy, Policy
from casino_agentkit.client.resolver import Lookup, PolicyResolver, SystemLookup
from casino_agentkit.errors import (
    AddressNotAllowed,
    Disconnected,
    NoAllowedAddress,
    ProtocolFault,
    TimedOut,
    Unreachable,
)
from casino_agentkit.protocol import BODY_LIMIT
from casino_agentkit.tls.context import client_context, why_not_trusted

_CONNECTIONS = 1000
_KEEPALIVE_S = 60.0
"""Below the servers' idle timeout, so that no call uses a connection being closed."""
_READ_AT_ONCE = 65_536
"""A body of at most so many bytes is read in one step; a longer one would be copied by it."""
_NO_TIMEOUT = aiohttp.ClientTimeout(total=None, connect=None, sock_connect=None, sock_read=None)
"""Replaced by `Deadline`: aiohttp rounds a timeout above 5 s up to a whole second."""


_CUT = (
    aiohttp.ServerDisconnectedError,
    aiohttp.ClientOSError,
    aiohttp.ClientPayloadError,
    ConnectionError,
)
"""Errors of connections that existed; those of `ClientConnectorError` did not."""


@dataclass(frozen=True, slots=True)
class HttpReply:
    """A complete reply, its body at most BODY_LIMIT bytes."""

    status: int
    body: bytes | bytearray
    """A bytearray if it is long: it is not copied again."""
    location: str = ""
    retry_after: str = ""
    """The header of this name."""


class Transport(Protocol):
    """Sends HTTP requests; raises only Unreachable, TimedOut or ProtocolFault."""

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, timeout_s: float
    ) -> HttpReply:
        """Return the complete reply of any status within the timeout."""
        ...

    async def check_link(self, source: str, target: str) -> None:
        """Raise AddressNotAllowed if content read from `source` may not refer to `target`.

        Both are URLs, on different origins.
        """
        ...

    async def close(self) -> None:
        """Close all connections."""
        ...


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An origin whose addresses the policy admits, for connections of another protocol."""

    origin: Origin
    addresses: tuple[str, ...]
    authorities: bytes | None
    """Certificates in PEM of the authorities that are trusted; None are the library's own."""


@runtime_checkable
class Dialling(Protocol):
    """A transport that tells where to connect to, for connections that it does not make itself."""

    async def endpoint(self, url: str) -> Endpoint:
        """Return the checked addresses of a URL. Raises Unreachable or ProtocolFault."""
        ...


class HttpTransport:
    """Transport over one pooled aiohttp session, created at the first call.

    `tls` is the client's context, by default with the system's authorities. `policy` decides which
    addresses may be called; `lookup` returns the addresses of a name; `deadline` is the timeout
    context; limits are in bytes.
    Compressed replies are refused: decompressing a small one could exhaust the memory.
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
        """Parse a URL and check it against the policy, without resolving its name."""
        parsed = self._urls.get(url)
        if parsed is None:
            try:
                objection = self._policy.objection(origin_of(url))
                parsed = URL(url)
            except ValueError as error:
                raise ProtocolFault(url, f"the address {error}") from error
            if objection is not None:
                raise AddressNotAllowed(url, objection)
            if len(self._urls) > _CONNECTIONS:
                self._urls.clear()
            self._urls[url] = parsed
        return parsed

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, timeout_s: float
    ) -> HttpReply:
        """Return the complete reply of any status within the timeout."""
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
                    reply.status,
                    await self._read(url, reply),
                    reply.headers.get("Location", ""),
                    reply.headers.get("Retry-After", ""),
                )
        except TimeoutError as error:
            raise TimedOut(url, f"no reply within {timeout_s:.3g} s") from error
        except (
            ssl.SSLError
        ) as error:  # before ValueError, of which certificate errors are a subclass
            raise Unreachable(url, why_not_trusted(error) or _description(error)) from error
        except (aiohttp.InvalidURL, ValueError) as error:
            raise ProtocolFault(url, "is not a URL that can be called") from error
        except (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError, OSError) as error:
            if isinstance(error, aiohttp.ClientConnectorError) and isinstance(
                error.os_error, NoAllowedAddress
            ):
                raise AddressNotAllowed(url, str(error.os_error)) from error
            is_connected = isinstance(error, _CUT) and not isinstance(
                error, aiohttp.ClientConnectorError
            )
            kind = Disconnected if is_connected else Unreachable
            raise kind(url, _description(error)) from error
        except aiohttp.ClientError as error:
            raise ProtocolFault(url, f"not an HTTP reply: {_description(error)}") from error

    async def _read(self, url: str, reply: aiohttp.ClientResponse) -> bytes | bytearray:
        """Read the body up to its limit. Raises ProtocolFault if it is larger or compressed."""
        encoding = reply.headers.get("Content-Encoding", "identity")
        if encoding.strip().lower() not in {"identity", ""}:
            reply.close()
            raise ProtocolFault(url, f"the reply is encoded ({encoding[:20]}), not identity")
        length = reply.content_length
        if length is not None and length <= min(_READ_AT_ONCE, self._body_limit):
            return await reply.read()
        body = bytearray()
        if length is None or length <= self._body_limit:
            async for chunk in reply.content.iter_any():
                body += chunk
                if len(body) > self._body_limit:
                    break
            else:
                return body
        reply.close()  # the rest is not read
        body.clear()  # the error's traceback would keep it
        raise ProtocolFault(url, f"the reply is larger than {self._body_limit} bytes")

    async def check_link(self, source: str, target: str) -> None:
        """Raise AddressNotAllowed if content read from `source` may not refer to `target`.

        Both are URLs, on different origins. Raises ProtocolFault if one is not a plain URL.
        """
        try:
            origins = origin_of(source), origin_of(target)
        except ValueError as error:
            raise ProtocolFault(target, f"the address {error}") from error
        objection = self._policy.objection(origins[1])
        if objection is not None:
            raise AddressNotAllowed(target, objection)
        kind, target_kind = [await self._resolver.class_of(origin) for origin in origins]
        if not self._policy.links(kind, target_kind):
            kinds = f"from a {kind or 'forbidden'} to a {target_kind or 'forbidden'} address"
            raise AddressNotAllowed(target, f"a link {kinds} is not allowed")

    async def endpoint(self, url: str) -> Endpoint:
        """Return the checked addresses of a URL. Raises Unreachable or ProtocolFault."""
        self._url(url)
        origin = origin_of(url)
        try:
            addresses = (
                [origin.host] if origin.is_address else await self._resolver.admitted(origin.host)
            )
        except NoAllowedAddress as error:
            raise AddressNotAllowed(url, str(error)) from error
        except OSError as error:
            raise Unreachable(url, "no connection (name or address unknown)") from error
        authorities = self._authorities() if origin.scheme == "https" else None
        return Endpoint(origin, tuple(addresses), authorities)

    def _authorities(self) -> bytes | None:
        """Return the authorities of the TLS context that are loaded, None if there are none."""
        self._tls = self._tls or client_context()
        certificates = self._tls.get_ca_certs(binary_form=True)
        return "".join(map(ssl.DER_cert_to_PEM_cert, certificates)).encode() or None

    async def close(self) -> None:
        """Close all connections."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()
        self._system.close()


def _description(error: BaseException) -> str:
    """Describe an error without object addresses or stack traces."""
    if isinstance(error, aiohttp.ClientConnectorError):
        number = error.os_error.errno
        why = os.strerror(number) if number and number > 0 else "name or address unknown"
        return f"no connection ({why.lower()})"
    if isinstance(error, aiohttp.ServerDisconnectedError | aiohttp.ClientOSError | ConnectionError):
        return "the connection was closed without a reply: look for an exception in the agent's log"
    if isinstance(error, aiohttp.ClientPayloadError):
        return "the connection was closed in the middle of the reply: compare its Content-Length"
    if isinstance(error, aiohttp.ClientResponseError):
        return error.message
    return str(error) or type(error).__name__
