"""Origins of URLs, parsed strictly, and a canonical form to compare them."""

import re
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final, NamedTuple
from urllib.parse import quote, unquote, urlsplit

_URL: Final = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(?P<port>[0-9]{1,5}))?"
    r"(?:[/?#][^\x00-\x20\x7f\\]*)?",
    re.IGNORECASE | re.ASCII,
)
_LABEL: Final = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")
_URL_LENGTH, _HOST_LENGTH, _LAST_PORT = 4_096, 253, 65_535
_PORTS: Final = {"http": 80, "https": 443}


class Origin(NamedTuple):
    """Scheme, host (lower case, no brackets) and port of a URL."""

    scheme: str
    host: str
    port: int

    @property
    def is_address(self) -> bool:
        """Whether the host is an IP address, not a name."""
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
        raise ValueError("is not a plain http or https URL, such as http://bot.example:4101/")
    scheme, host = match["scheme"].lower(), match["host"].lower()
    port = int(match["port"]) if match["port"] else _PORTS[scheme]
    if not 0 < port <= _LAST_PORT:
        raise ValueError("has no port from 1 to 65535")
    if host.startswith("["):
        host = IPv6Address(host[1:-1]).compressed
    elif _NUMBER.fullmatch(host.rpartition(".")[2]):
        host = str(IPv4Address(host))  # raises ValueError unless it is four numbers
    elif len(host) > _HOST_LENGTH or not all(map(_LABEL.fullmatch, host.split("."))):
        raise ValueError("has no host name of letters, digits, dots and hyphens")
    return Origin(scheme, host, port)


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
    """Return whether two URLs have the same origin; all loopback hosts are equal.

    Raises ValueError if one of them is not a plain URL.
    """
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
