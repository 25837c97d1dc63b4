"""HTTP transport of calls to other agents."""

import asyncio
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol, runtime_checkable
from urllib.parse import urljoin, urlsplit, urlunsplit

import aiohttp
from aiohttp.http_exceptions import HttpProcessingError
from yarl import URL

from casino_agentkit.accepted_json import shown
from casino_agentkit.client.connector import HEAD_LIMIT, Lookup, PolicyResolver, SystemLookup
from casino_agentkit.client.http.aiohttp_client import AiohttpClient
from casino_agentkit.client.http.http_reply import HttpReply
from casino_agentkit.client.http.plain_http_client import (
    METHODS,
    HttpTarget,
    PlainHttpClient,
    no_connection,
)
from casino_agentkit.client.outgoing import (
    Deadline,
    Origin,
    OutgoingPolicy,
    Policy,
    is_same_origin,
    origin_of,
)
from casino_agentkit.errors import (
    AddressNotAllowed,
    Disconnected,
    NoAllowedAddress,
    ProtocolFault,
    TimedOut,
    Unreachable,
)
from casino_agentkit.protocol import BODY_LIMIT
from casino_agentkit.tls import client_context, why_not_trusted
from casino_agentkit.traces import Traces

_MOST_URLS = 1000
_CUT = (
    aiohttp.ServerDisconnectedError,
    aiohttp.ClientOSError,
    aiohttp.ClientPayloadError,
    ConnectionError,
)
"""Errors of connections that existed; those of `ClientConnectorError` did not."""


class _Checked(NamedTuple):
    """A URL that may be called; `lean` is None if aiohttp calls it."""

    url: URL
    lean: HttpTarget | None


class Transport(Protocol):
    """Sends HTTP requests; raises only Unreachable, TimedOut or ProtocolFault."""

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, timeout_s: float
    ) -> HttpReply:
        """Return the complete reply of any status within the timeout."""

    async def check_link(self, source: str, target: str) -> None:
        """Raise AddressNotAllowed if content of one URL may not refer to one of another origin."""

    async def close(self) -> None: ...


_MOVED: Final = frozenset({301, 302, 303, 307, 308})
_SAME_METHOD: Final = frozenset({307, 308})
"""Redirects that any method follows; after the others only GET is the same request."""


async def send_following(
    transport: Transport,
    method: str,
    url: str,
    headers: Mapping[str, str],
    body: bytes,
    timeout_s: float,
) -> HttpReply:
    """Send a request; one redirect within the origin, which alone gets its headers, is followed.

    Raises as `Transport.send`, AddressNotAllowed for a redirect to another origin, ProtocolFault
    for a second one, and for one that turns a call into a GET.
    """
    ends_at = asyncio.get_running_loop().time() + timeout_s
    reply = await transport.send(method, url, headers, body, timeout_s)
    if not reply.location or reply.status not in _MOVED:
        return reply
    target = urljoin(url, reply.location)
    try:
        is_within = is_same_origin(url, target)
    except ValueError:
        is_within = False
    verb = "use" if method == "GET" else "write on its card"
    fix = f"{shown(target)}: {verb} that address instead"
    if not is_within:
        raise AddressNotAllowed(url, f"redirects to another origin, {fix}")
    if method != "GET" and reply.status not in _SAME_METHOD:
        status = reply.status
        raise ProtocolFault(url, f"HTTP status {status} redirects to {fix}", status=status)
    path = urlunsplit(urlsplit(target)._replace(scheme="", netloc="", fragment=""))
    target = f"{origin_of(url)}{path}"  # the very host that was called
    left_s = ends_at - asyncio.get_running_loop().time()
    reply = await transport.send(method, target, headers, body, left_s)
    if reply.location and reply.status in _MOVED:
        raise ProtocolFault(url, "redirects more than once")
    return reply


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An origin whose addresses the policy admits, for connections of another protocol."""

    origin: Origin
    addresses: tuple[str, ...]
    authorities: bytes | None
    """Certificates in PEM of the authorities that are trusted; None are the library's own."""
    carried: Callable[[Mapping[str, str]], Mapping[str, str]] = field(default=dict, compare=False)
    """Returns the headers of a call, with the open span if there is one."""


@runtime_checkable
class Dialling(Protocol):
    """A transport that tells where to connect to, for connections that it does not make itself."""

    async def endpoint(self, url: str) -> Endpoint:
        """Return the checked addresses of a URL. Raises Unreachable or ProtocolFault."""


class HttpTransport:
    """Transport over pooled connections, which are opened by the first calls.

    Calls of plain http take the lean client, all others aiohttp.
    `tls` is the client's context, by default with the system's authorities. `policy` decides which
    addresses may be called; `lookup` returns the addresses of a name; `deadline` is the timeout
    context; limits are in bytes. Without `is_lean`, aiohttp calls plain http, too. Calls carry the
    open span of `traces`.
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
        is_lean: bool = True,
        traces: Traces | None = None,
    ) -> None:
        self._policy = policy or OutgoingPolicy()
        self._tls = tls
        self._system = SystemLookup()
        self._resolver = PolicyResolver(self._policy, lookup or self._system)
        self._lean = PlainHttpClient(self._resolver, deadline, body_limit, head_limit)
        self._complete = AiohttpClient(
            self._resolver, self._context, deadline, body_limit, head_limit
        )
        self._is_lean = is_lean
        self._traces = traces
        self._targets: dict[str, _Checked] = {}

    def _context(self) -> ssl.SSLContext:
        self._tls = self._tls or client_context()
        return self._tls

    def _checked(self, url: str) -> _Checked:
        """Parse a URL and check it against the policy, without resolving its name."""
        checked = self._targets.get(url)
        if checked is None:
            try:
                origin = origin_of(url)
                objection = self._policy.objection(origin)
                parsed = URL(url)
                authority = parsed.raw_authority
            except ValueError as error:
                raise ProtocolFault(url, f"the address {error}") from error
            if objection is not None:
                raise AddressNotAllowed(url, objection)
            is_plain = self._is_lean and origin.scheme == "http"
            lean = HttpTarget(origin, authority, parsed.raw_path_qs) if is_plain else None
            checked = _Checked(parsed, lean)
            if len(self._targets) > _MOST_URLS:
                self._targets.clear()
            self._targets[url] = checked
        return checked

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, timeout_s: float
    ) -> HttpReply:
        if timeout_s <= 0:
            raise TimedOut(url, "the deadline had passed before the call was sent")
        headers = self._carried(headers)
        target, lean = self._targets.get(url) or self._checked(url)
        try:
            if lean is not None and method in METHODS:
                return await self._lean.send(url, lean, method, headers, body, timeout_s)
            return await self._complete.send(url, target, method, headers, body, timeout_s)
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
        except (aiohttp.ClientError, HttpProcessingError) as error:
            raise ProtocolFault(url, f"not an HTTP reply: {_description(error)}") from error

    async def check_link(self, source: str, target: str) -> None:
        """Raise ProtocolFault, too, if one is not a plain URL."""
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

    def _carried(self, headers: Mapping[str, str]) -> Mapping[str, str]:
        return headers if self._traces is None else self._traces.carried(headers)

    async def endpoint(self, url: str) -> Endpoint:
        self._checked(url)
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
        return Endpoint(origin, tuple(addresses), authorities, self._carried)

    def _authorities(self) -> bytes | None:
        """Return the authorities of the TLS context that are loaded, None if there are none."""
        certificates = self._context().get_ca_certs(binary_form=True)
        return "".join(map(ssl.DER_cert_to_PEM_cert, certificates)).encode() or None

    async def close(self) -> None:
        await self._lean.close()
        await self._complete.close()
        self._system.close()


def _description(error: BaseException) -> str:
    """Describe an error without object addresses or stack traces."""
    if isinstance(error, aiohttp.ClientConnectorError):
        return no_connection(error.os_error)
    if isinstance(error, aiohttp.ServerDisconnectedError | aiohttp.ClientOSError | ConnectionError):
        return "the connection was closed without a reply: look for an exception in the agent's log"
    if isinstance(error, aiohttp.ClientPayloadError):
        return "the connection was closed in the middle of the reply: compare its Content-Length"
    if isinstance(error, aiohttp.ClientResponseError | HttpProcessingError):
        return error.message
    return str(error) or type(error).__name__
