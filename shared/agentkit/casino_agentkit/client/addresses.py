"""Classify IP addresses as public, private or loopback."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final, Literal

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
