"""Services of this process behind the HTTP server of the kit, in a thread of its own.

For clients that block, and for what only a server does to a request.
"""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager

import uvicorn
from casino_agentkit import Service
from casino_agentkit.server.serving import bind, server_config
from prometheus_client import CollectorRegistry
from starlette.types import ASGIApp

from support.casino.casino_side import CasinoHarness
from support.processes import PATIENCE_S


@contextmanager
def served(network: CasinoHarness) -> Iterator[str]:
    """Serve a network's lobby; gives its URL."""
    with serving(network.lobby.asgi(), network.tables, network.lobby) as url:
        yield url


@contextmanager
def serving(app: ASGIApp, *services: Service) -> Iterator[str]:
    """Serve an application while these services run; gives its URL."""
    listener = bind("127.0.0.1", 0)
    server = uvicorn.Server(server_config(app, None, CollectorRegistry()))
    ready = threading.Event()

    async def run() -> None:
        async with AsyncExitStack() as stack:
            for service in services:
                await stack.enter_async_context(service.running())
            ready.set()
            await server.serve(sockets=[listener])

    thread = threading.Thread(target=asyncio.run, args=(run(),), daemon=True)
    thread.start()
    assert ready.wait(PATIENCE_S)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(PATIENCE_S)
        assert not thread.is_alive()
