"""Calls to others: which addresses may be called, how many calls at once, and for how long.

Others choose the addresses that this process calls: in a card, in a redirect, when a player is
registered. So an address is called only if its port is not of another protocol, and if it belongs
to an allowed class of networks.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Annotated, Any, Final, Literal, NamedTuple, Protocol
from urllib.parse import quote, unquote, urlsplit

from pydantic import BeforeValidator

_URL: Final = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(?P<port>[0-9]{1,5}))?"
    r"(?:[/?#][^\x00-\x20\x7f\\]*)?",
    re.IGNORECASE | re.ASCII,
)
_LABEL: Final = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")
_URL_LENGTH, _HOST_LENGTH, _LAST_PORT = 4_096, 253, 65_535
_PORTS: Final = {"http": 80, "https": 443}
_UNPRINTED: Final = re.compile(r"[\x00-\x20\x7f\\]")
_EVERY_HOST: Final = frozenset({"0.0.0.0", "::", "::ffff:0.0.0.0", "::ffff:0:0"})  # noqa: S104
"""What a server listens on, and no client can call."""


class Origin(NamedTuple):
    """Scheme, host (lower case, no brackets) and port of a URL."""

    scheme: str
    host: str
    port: int

    @property
    def is_address(self) -> bool:
        return ":" in self.host or self.host.rpartition(".")[2].isdigit()

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == _PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}"


def origin_of(url: str) -> Origin:
    """Return the origin of an absolute http(s) URL.

    Parsing is strict, so that every other parser finds the same host: no user name, backslash or
    space, no dot at the end, an IPv4 address only as four decimal numbers.
    Raises ValueError; its message is a predicate of "the address".
    """
    match = _URL.fullmatch(url) if len(url) <= _URL_LENGTH else None
    if match is None:
        raise ValueError(_why_not_plain(url))
    scheme, host = match["scheme"].lower(), match["host"].lower()
    port = int(match["port"]) if match["port"] else _PORTS[scheme]
    if not 0 < port <= _LAST_PORT:
        raise ValueError("has no port from 1 to 65535")
    if host.startswith("["):
        host = IPv6Address(host[1:-1]).compressed
    elif _NUMBER.fullmatch(host.rpartition(".")[2]):
        host = str(IPv4Address(host))  # raises ValueError unless it is four numbers
    elif len(host) > _HOST_LENGTH or not all(map(_LABEL.fullmatch, host.split("."))):
        dot = f": leave out the dot at the end of {host}" if host.endswith(".") else ""
        raise ValueError(f"has no host name of letters, digits, dots and hyphens{dot}")
    return Origin(scheme, host, port)


def _why_not_plain(url: str) -> str:
    if len(url) > _URL_LENGTH:
        return f"is longer than {_URL_LENGTH} characters"
    scheme, colon, rest = url.partition("://")
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    if colon and scheme.lower() in _PORTS:
        if "@" in authority:
            return "has a user name before its host: leave out what ends with @"
        if not authority.isascii():
            return "has a host name beyond ASCII: write its ASCII form, with xn--"
        if _UNPRINTED.search(rest):
            return "has a space, a control character or a backslash: write it as %XX"
    return "is not a plain http or https URL, such as http://bot.example:4101/"


def with_query(url: str, query: str) -> str:
    """Return a URL without a fragment, with a query unless it has one of its own."""
    address = url.partition("#")[0]
    return f"{address}?{query}" if query and "?" not in address else address


def on_own_host(source: str, address: str) -> str:
    """Return an address of content that was read at a URL, as others reach it.

    0.0.0.0 and [::] are every address of the machine that wrote it. So is `localhost` where the
    port is the one that the content was read at. The host of the source stands in their place: on
    it, content may name any address. Raises ValueError as `origin_of` does.
    """
    read, target = origin_of(source), origin_of(address)
    is_own = target.host in _EVERY_HOST or (
        _host_key(target.host) == "localhost" != _host_key(read.host) and target.port == read.port
    )
    if not is_own:
        return address
    path = re.split(r"(?=[/?#])", address.partition("://")[2], maxsplit=1)[1:]
    return str(target._replace(host=read.host)) + "".join(path)


def is_local_name(host: str) -> bool:
    """Return whether a name always resolves to this machine."""
    return host == "localhost" or host.endswith(".localhost")


def origin_key(url: str) -> Origin:
    """Return the origin of a URL in the form by which addresses are compared.

    Every name and address of this machine becomes `localhost`. The result must not be called.
    Raises ValueError as `origin_of` does.
    """
    origin = origin_of(url)
    return origin._replace(host=_host_key(origin.host))


def same_origin_key(url: str) -> str:
    """Return the canonical form of a URL, to compare addresses of agents.

    The origin is its `origin_key`, dot segments and needless escapes in the path are resolved,
    fragment and trailing slash removed. A URL that is never called, because `origin_of` refuses it,
    is returned unchanged.

    >>> same_origin_key("HTTP://127.0.0.1:4500/tables/./1/")
    'http://localhost:4500/tables/1'
    """
    try:
        origin = origin_key(url)
    except ValueError:
        return url
    parts = urlsplit(url)
    query = f"?{parts.query}" if parts.query else ""
    return f"{origin}{_path_key(parts.path)}{query}"


def is_same_origin(url: str, other: str) -> bool:
    """All loopback hosts are equal. Raises ValueError if one of them is not a plain URL."""
    return origin_key(url) == origin_key(other)


def _host_key(host: str) -> str:
    if is_local_name(host):
        return "localhost"
    try:
        ip = ip_address(host)
    except ValueError:
        return host
    if isinstance(ip, IPv6Address):
        ip = ip.ipv4_mapped or ip
    return "localhost" if ip.is_loopback or ip.is_unspecified else str(ip)


def _path_key(path: str) -> str:
    segments: list[str] = []
    for segment in path.split("/"):
        plain = quote(unquote(segment, errors="surrogateescape"), errors="surrogateescape")
        if plain == "..":
            del segments[-1:]
        elif plain not in {"", "."}:
            segments.append(plain)
    return "".join(f"/{segment}" for segment in segments)


AddressClass = Literal["public", "private", "loopback"]

ADDRESS_CLASSES: Final[tuple[AddressClass, ...]] = ("public", "private", "loopback")
"""From the most public to the most local."""

_METADATA: Final = frozenset(
    map(ip_address, ("100.100.100.200", "168.63.129.16", "fd00:ec2::254", "fd20:ce::254"))
)
"""Cloud metadata services that are not link-local; they serve a machine's credentials."""
_PRIVATE: Final = tuple(
    map(ip_network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"))
)
_NAT64: Final = ip_network("64:ff9b::/96")
_GLOBAL_UNICAST: Final = ip_network("2000::/3")
_LOW_32: Final = 0xFFFF_FFFF


def class_of(address: str) -> AddressClass | None:
    """Return the class of an IP address, None if it must never be called.

    None is returned for link-local, metadata, multicast, unspecified, documentation and reserved
    addresses. An IPv6 form of an IPv4 address (mapped, NAT64, 6to4) counts as the IPv4 address.

    >>> class_of("::ffff:127.0.0.1"), class_of("169.254.169.254")
    ('loopback', None)
    """
    try:
        ip = ip_address(address)
    except ValueError:
        return None
    if isinstance(ip, IPv6Address):
        if ip.scope_id is not None or ip.teredo is not None:
            return None
        ip = _embedded(ip)
    if ip in _METADATA:
        return None
    if ip.is_loopback:
        return "loopback"
    if any(ip.version == network.version and ip in network for network in _PRIVATE):
        return "private"
    is_unicast = not ip.is_multicast and (isinstance(ip, IPv4Address) or ip in _GLOBAL_UNICAST)
    return "public" if ip.is_global and is_unicast else None


def is_further_inside(kind: AddressClass, other: AddressClass) -> bool:
    """Return whether a class of addresses is more local than another.

    >>> is_further_inside("loopback", "public")
    True
    """
    return ADDRESS_CLASSES.index(kind) > ADDRESS_CLASSES.index(other)


def _embedded(ip: IPv6Address) -> IPv4Address | IPv6Address:
    """Return the IPv4 address in an IPv6 address, or the address itself."""
    if ip.ipv4_mapped is not None:
        return ip.ipv4_mapped
    if ip.sixtofour is not None:
        return ip.sixtofour
    if ip in _NAT64:
        return IPv4Address(int(ip) & _LOW_32)
    return ip


NOT_FOR_HTTP: Final = frozenset(
    {
        # The ports that browsers refuse (WHATWG Fetch, "bad ports") ...
        1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101,
        102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389,
        427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636,
        989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665,
        6666, 6667, 6668, 6669, 6679, 6697, 10080,
        # ... and the ports of file shares, databases and remote desktops.
        445, 1433, 1521, 3306, 3389, 5432, 5900, 6379, 11211, 27017,
    }
)  # fmt: skip


class Policy(Protocol):
    """Decides which addresses a transport may call."""

    def objection(self, origin: Origin) -> str | None:
        """Return why an origin may not be called, before its name is resolved; None if it may."""

    def admitted(self, addresses: Sequence[str], before: AddressClass | None) -> list[str]:
        """`before` is the class of the name's previous look-up, if any."""

    def links(self, source: AddressClass | None, target: AddressClass | None) -> bool:
        """Return whether content read from one address may refer to another to be called."""


@dataclass(frozen=True)
class OutgoingPolicy:
    """Allows addresses of certain classes, on ports that do not belong to another protocol.

    A name has the class of its most public address, and cannot become more local later (DNS
    rebinding).
    """

    classes: frozenset[AddressClass] = frozenset(ADDRESS_CLASSES)

    def objection(self, origin: Origin) -> str | None:
        if origin.port in NOT_FOR_HTTP:
            return f"port {origin.port} is not one of HTTP"
        if origin.is_address and not self.admitted([origin.host], None):
            return f"{class_of(origin.host) or 'such'} addresses are not called from here"
        return None

    def admitted(self, addresses: Sequence[str], before: AddressClass | None) -> list[str]:
        """Return the addresses of a name's most public class, [] if it may not be called."""
        classes = [class_of(address) for address in addresses]
        public_first = [kind for kind in ADDRESS_CLASSES if kind in classes]
        if not public_first or public_first[0] not in self.classes:
            return []
        most_public = public_first[0]
        if before is not None and is_further_inside(most_public, before):
            return []
        return [ip for ip, kind in zip(addresses, classes, strict=True) if kind == most_public]

    def links(self, source: AddressClass | None, target: AddressClass | None) -> bool:
        """Never to a more local one: a card on the internet must not name a private network."""
        if source is None or target is None or target not in self.classes:
            return False
        return not is_further_inside(target, source)

    def also(self, *classes: AddressClass) -> "OutgoingPolicy":
        return OutgoingPolicy(self.classes | set(classes))


def _classes(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    classes = frozenset(part.strip() for part in value.split(",") if part.strip())
    if not classes or not classes <= set(ADDRESS_CLASSES):
        raise ValueError(f"must be some of {', '.join(ADDRESS_CLASSES)}, separated by commas")
    return classes


CallAddresses = Annotated[frozenset[AddressClass], BeforeValidator(_classes)]
"""Setting: the classes of addresses that may be called, such as `public,private`."""


def policy_of(
    setting: frozenset[AddressClass] | None,
    own: Iterable[str | None] = (),
    *,
    is_reachable: bool = False,
) -> OutgoingPolicy:
    """Return the policy of a process that other machines reach, or do not.

    Without a setting, a process that only this machine reaches allows every class, because nobody
    else can make it call. Any other process allows public and private addresses, and loopback only
    if one of its operator's `own` addresses (such as the lobby's) is on loopback.
    """
    if setting is not None:
        return OutgoingPolicy(setting)
    is_local = not is_reachable or any(_is_loopback(url) for url in own if url)
    return OutgoingPolicy(frozenset(ADDRESS_CLASSES if is_local else ADDRESS_CLASSES[:2]))


def _is_loopback(url: str) -> bool:
    try:
        host = origin_of(url).host
    except ValueError:
        return False
    return is_local_name(host) or class_of(host) == "loopback"


class _OriginSlots:
    """The slots of one origin, and the number of calls that use or await one."""

    def __init__(self, slots: int) -> None:
        self.free = asyncio.Semaphore(slots)
        self.users = 0


class CallSlots:
    """Limits concurrent calls; further calls wait, up to their deadline.

    For calls to untrusted addresses: agents that never answer then delay only calls of this client.
    The slot per origin is acquired first, so that calls waiting for a busy origin do not hold a
    slot of the total.
    """

    def __init__(self, per_origin: int = 8, in_all: int = 64) -> None:
        self._per_origin = per_origin
        self._all = asyncio.Semaphore(in_all)
        self._places: dict[str, _OriginSlots] = {}

    @asynccontextmanager
    async def taken(self, url: str) -> AsyncIterator[None]:
        key = _key_of(url)
        place = self._places.setdefault(key, _OriginSlots(self._per_origin))
        place.users += 1
        try:
            async with place.free, self._all:
                yield
        finally:
            place.users -= 1
            if not place.users:
                del self._places[key]


def slot(slots: CallSlots | None, url: str) -> AbstractAsyncContextManager[None]:
    """Return the context of a slot, an empty one without a limit."""
    return nullcontext() if slots is None else slots.taken(url)


def _key_of(url: str) -> str:
    try:
        return str(origin_key(url))
    except ValueError:
        return ""  # an invalid URL is not called


Deadline = Callable[[float], AbstractAsyncContextManager[Any]]
"""Takes seconds, returns a context that raises TimeoutError after them, as asyncio.timeout does."""
