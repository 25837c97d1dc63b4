"""Ports of this machine that nobody listens on, each handed out once."""

import contextlib
import random

from casino_agentkit import PortTaken
from casino_agentkit.server.server import bind

_FIRST_PORT, _LAST_PORT = 20_000, 32_000
"""Below those that outgoing connections get: a port stays free until its owner listens."""
_ports = iter(random.SystemRandom().sample(range(_FIRST_PORT, _LAST_PORT), 4_000))


def free_port() -> int:
    """Return a free port; raises PortTaken where none is left."""
    for port in _ports:
        with contextlib.suppress(PortTaken):
            bind("127.0.0.1", port).close()
            return port
    raise PortTaken("no port is free")
