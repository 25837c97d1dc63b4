"""Check that a Host header is the address of the process itself."""

from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final

_PORTS: Final = {"http": 80, "https": 443}
_LOCALHOST: Final = "localhost"


def is_own_address(host: str, scheme: str, server: tuple[str, int | None] | None) -> bool:
    """Return whether a Host header names the socket that received the request.

    `server` is the socket's address and port. Names other than `localhost` are not accepted,
    because anybody can make a name resolve to this address.

    >>> is_own_address("192.0.2.1:4101", "http", ("192.0.2.1", 4101))
    True
    >>> is_own_address("evil.example:4101", "http", ("192.0.2.1", 4101))
    False
    """
    if server is None:
        return False
    name, port = _split(host)
    own = _address(server[0])
    if own is None or (port or _PORTS.get(scheme)) != server[1]:
        return False
    return own.is_loopback if name.lower() == _LOCALHOST else _address(name) == own


def _split(host: str) -> tuple[str, int | None]:
    """Split a well-formed Host header into name and port."""
    name, colon, port = host.rpartition(":")
    if not colon or host.endswith("]"):
        return host.strip("[]"), None
    return name.strip("[]"), int(port)


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address
