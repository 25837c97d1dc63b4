"""Addresses of hosts: loopback, and the networks by which limits are counted."""

from functools import lru_cache
from ipaddress import IPv6Address, IPv6Network, ip_address

_LOCALHOST = "localhost"


def is_loopback(host: str) -> bool:
    """Return whether a name or address is reachable from this machine only.

    >>> is_loopback("127.0.0.1"), is_loopback("0.0.0.0")
    (True, False)
    """
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == _LOCALHOST


_IPV6_PREFIX = 64
"""A client with an IPv6 address usually controls the whole network of this prefix length."""


@lru_cache(maxsize=4096)
def network_of(address: str) -> str:
    """Return a client's IPv4 address, or the /64 network of its IPv6 address.

    An IPv4 address in IPv6 notation counts as IPv4; any other text is returned unchanged.

    >>> network_of("192.0.2.1"), network_of("2001:db8::17"), network_of("::ffff:192.0.2.1")
    ('192.0.2.1', '2001:db8::/64', '192.0.2.1')
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(IPv6Network((int(parsed), _IPV6_PREFIX), strict=False))
