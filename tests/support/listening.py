"""A service on a socket of its own, in the test's loop, with the server's limits or without."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from casino_agentkit import Service
from casino_agentkit.server.server_limits import ServerLimits
from casino_agentkit.server.serving import TlsServer, bind, server_config

from support.processes import run_until


@asynccontextmanager
async def listening(
    service: Service,
    limits: ServerLimits | None,
    tls: ssl.SSLContext | None = None,
    port: int = 0,
) -> AsyncIterator[int]:
    """Serve on loopback, by default on a free port; gives the port."""
    async with serving(service, limits, tls, port) as (_, taken):
        yield taken


@asynccontextmanager
async def serving(
    service: Service,
    limits: ServerLimits | None,
    tls: ssl.SSLContext | None = None,
    port: int = 0,
) -> AsyncIterator[tuple[TlsServer, int]]:
    """Do as `listening`; gives the server, too. It ends at the end, unless it has ended before."""
    listener = bind("127.0.0.1", port)
    async with service.running(), accepting(listener, service, limits, tls) as server:
        yield server, listener.getsockname()[1]


@asynccontextmanager
async def accepting(
    listener: socket.socket,
    service: Service,
    limits: ServerLimits | None,
    tls: ssl.SSLContext | None = None,
) -> AsyncIterator[TlsServer]:
    """Serve a service that runs already on a socket that listens already; gives the server."""
    app = service.asgi()
    config = server_config(app, limits, service.registry, service.websockets, service.front)
    config.timeout_graceful_shutdown = 1
    server = TlsServer(config, tls)
    running = asyncio.ensure_future(server.serve(sockets=[listener]))
    try:
        await run_until(lambda: server.started)
        yield server
    finally:
        server.should_exit = True
        await running
