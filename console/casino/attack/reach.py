"""Limit attacks to addresses of this machine and private networks."""

import ipaddress
import socket
from collections.abc import Callable
from urllib.parse import urlsplit

Resolve = Callable[[str], list[str]]


def addresses_of(host: str) -> list[str]:
    """Return the IP addresses of a host name; an empty list if it cannot be resolved."""
    try:
        entries = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError:
        return []
    return [str(address[0]) for *_, address in entries]


def is_private(url: str, resolve: Resolve = addresses_of) -> bool:
    """Return whether every address of a URL's host is loopback or private.

    >>> is_private("http://127.0.0.1:4000"), is_private("http://192.0.2.1", lambda host: [host])
    (True, False)
    """
    host = urlsplit(url).hostname or ""
    addresses = resolve(host)
    return bool(addresses) and all(map(_is_private, addresses))


_PRIVATE = tuple(
    map(
        ipaddress.ip_network,
        ("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1/128", "fc00::/7"),
    )
)


def _is_private(text: str) -> bool:
    address = ipaddress.ip_address(text.partition("%")[0])
    mapped = getattr(address, "ipv4_mapped", None)
    address = mapped or address
    return any(address in network for network in _PRIVATE if network.version == address.version)


def origin_of(url: str) -> str:
    """Return scheme, host and port of a URL.

    >>> origin_of("http://127.0.0.1:4500/tables/1/.well-known/agent-card.json")
    'http://127.0.0.1:4500'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
