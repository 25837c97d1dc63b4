"""Detect loopback hosts."""

from ipaddress import ip_address

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
