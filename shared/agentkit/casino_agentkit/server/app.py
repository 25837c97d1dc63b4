"""One process as one ASGI application: its agents, its own routes, its health."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import structlog
from prometheus_client import CollectorRegistry, ProcessCollector
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from casino_agentkit.agent import Agent
from casino_agentkit.metrics import CallMetrics, metrics_route
from casino_agentkit.protocol import BODY_LIMIT, CAPABILITY_PATH, CARD_PATH, RPC_PATH, MessageIds
from casino_agentkit.server.card import CardPage, make_card
from casino_agentkit.server.fast_path import FastPath
from casino_agentkit.server.handler import TypedHandler
from casino_agentkit.server.sdk_routes import sdk_routes
from casino_agentkit.signing.card_signing import JWKS_PATH, CardSigner

logger = structlog.get_logger(__name__)


async def _nothing() -> None:
    """Do nothing: a service that has nothing to start or to drain."""


def _as_it_is(app: ASGIApp) -> ASGIApp:
    return app


@dataclass
class Service:
    """What a process serves.

    `agents` are served at their base paths ("" is the root), `routes` beside them, behind
    `middleware`, which plain typed calls do not pass.
    `signer` signs the agents' cards; without one they are unsigned.
    `registry` holds what is told at /metrics: the kit's counts, and those of the service.
    `start` runs before the first request; `drain` runs on SIGTERM while requests are still
    answered; `stop` runs at the end.
    `beside` runs beside the requests, from the start until the service drains.
    `checks` says by name what must be true to be ready.
    `guarded` returns the application behind what must see every request first.
    `capability` is the token that callers need, where others are to be given addresses with it.
    """

    agents: Mapping[str, Agent]
    routes: Sequence[BaseRoute] = ()
    middleware: Sequence[Middleware] = ()
    public_url: str | None = None
    signer: CardSigner | None = None
    start: Callable[[], Awaitable[None]] = _nothing
    drain: Callable[[], Awaitable[None]] = _nothing
    stop: Callable[[], Awaitable[None]] = _nothing
    beside: Callable[[], Coroutine[Any, Any, None]] = _nothing
    checks: Callable[[], Mapping[str, bool]] = dict
    body_limit: int = BODY_LIMIT
    guarded: Callable[[ASGIApp], ASGIApp] = _as_it_is
    capability: str | None = None
    registry: CollectorRegistry = field(default_factory=CollectorRegistry)
    clock: Callable[[], float] = time.perf_counter
    is_draining: bool = field(default=False, init=False)
    _beside: asyncio.Task[None] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        """Count calls, and what the process uses."""
        self._calls = CallMetrics(self.registry, self.clock)
        ProcessCollector(registry=self.registry)

    def asgi(self) -> ASGIApp:
        """Return the application, with its lifespan."""
        for agent in self.agents.values():
            self._calls.know(agent.entrypoints)
        routes: list[BaseRoute] = [
            Route("/healthz", self._healthz, methods=["GET"]),
            Route("/readyz", self._readyz, methods=["GET"]),
            metrics_route(self.registry),
            *self.routes,
        ]
        if self.signer is not None:
            routes.append(Route(JWKS_PATH, self._jwks, methods=["GET"]))
        for base_path, agent in self.agents.items():
            routes += agent_routes(agent, base_path, self.public_url, self._calls, self.signer)
        fronts = {base_path + RPC_PATH: agent for base_path, agent in self.agents.items()}
        app = Starlette(routes=routes, middleware=self.middleware, lifespan=self._lifespan)
        return self.guarded(FastPath(fronts, app, self._calls, body_limit=self.body_limit))

    def card_urls(self, url: str, *, with_capability: bool = False) -> list[str]:
        """Return the addresses of the agents' cards, given that of the process.

        With the capability they are secrets.
        """
        if with_capability and self.capability:
            url += CAPABILITY_PATH + self.capability
        return [url + base_path + CARD_PATH for base_path in self.agents]

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Start, and stop at the end: the lifespan, without a server."""
        await self.start()
        self._beside = asyncio.ensure_future(self._run_beside())
        try:
            yield
        finally:
            await self._end_beside()
            await self.stop()

    async def finish(self) -> None:
        """Take on nothing more of one's own accord, and drain."""
        await self._end_beside()
        await self.drain()

    async def _run_beside(self) -> None:
        try:
            await self.beside()
        except Exception:
            # What runs beside must not take the requests with it; nobody awaits it to be told.
            logger.exception("background_failed")

    async def _end_beside(self) -> None:
        if self._beside is not None:
            self._beside.cancel()
            await asyncio.wait([self._beside])

    @asynccontextmanager
    async def _lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        async with self.running():
            yield

    async def _healthz(self, _request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def _jwks(self, _request: Request) -> Response:
        return Response(self.signer.jwks() if self.signer else b"", media_type="application/json")

    async def _readyz(self, _request: Request) -> Response:
        checks = {**self.checks(), "not draining": not self.is_draining}
        is_ready = all(checks.values())
        return JSONResponse(
            {"status": "ready" if is_ready else "not ready", "checks": checks},
            status_code=200 if is_ready else 503,
        )


def agent_routes(
    agent: Agent,
    base_path: str,
    public_url: str | None,
    calls: CallMetrics,
    signer: CardSigner | None = None,
) -> list[BaseRoute]:
    """Return what an agent answers: its card, JSON-RPC with and without a slash, HTTP+JSON."""
    card = make_card(agent, (public_url or "http://localhost").rstrip("/") + base_path)
    handler = TypedHandler(agent, card, MessageIds(), calls)
    return [
        Route(
            base_path + CARD_PATH,
            CardPage(agent, base_path, public_url, signer).serve,
            methods=["GET"],
        ),
        *sdk_routes(handler, base_path, agent.data_levels),
    ]
