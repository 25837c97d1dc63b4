"""Ports of this machine that stay reserved for the service that a test starts there."""

import socket

_reserved: list[socket.socket] = []


def free_port() -> int:
    """Return a port on which nobody listens, and that nobody else gets until this process ends.

    A socket holds it that is bound and does not listen: beside it, a service may listen there
    (`SO_REUSEADDR`), again and again, and the kernel gives the port to nobody else.
    """
    bound = socket.socket()
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.bind(("127.0.0.1", 0))
    _reserved.append(bound)
    port: int = bound.getsockname()[1]
    return port
