"""ASGI application of a process: its agents, routes, health and metrics."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final
from urllib.parse import unquote

import structlog
from prometheus_client import (
    CollectorRegistry,
    Gauge,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from casino_agentkit.agent import Agent
from casino_agentkit.card_signing import JWKS_PATH, CardSigner
from casino_agentkit.entrypoint import LargeBody
from casino_agentkit.process.waits import Waits
from casino_agentkit.protocol import CAPABILITY_PATH, CARD_PATH, RPC_PATH
from casino_agentkit.server.call_execution import CallMetrics
from casino_agentkit.server.fast_path import FastPath
from casino_agentkit.server.plain_call_server import PlainCallServer
from casino_agentkit.server.request_guard import BodyLimits, BodyRefusal, PageRules
from casino_agentkit.server.served_agents import AgentPaths, HostedAgents, ServedAgent
from casino_agentkit.server.server_limits import WebSocketLimits
from casino_agentkit.traces import Traces

HEALTH_PATH = "/healthz"
READY_PATH = "/readyz"
METRICS_PATH = "/metrics"

logger = structlog.get_logger(__name__)


async def _noop() -> None:
    """Do nothing: the default of `start`, `drain`, `stop` and `beside`."""


def _unguarded(app: ASGIApp) -> ASGIApp:
    return app


@dataclass
class Service:
    """Configuration and state of one served process.

    `agents` are served at their base paths ("" is the root), next to `routes`. `middleware` wraps
    both, except plain typed calls, which take the fast path.
    `signer` signs the agents' cards; without one they are unsigned.
    `registry` has the metrics of /metrics: those of the agent kit and of the service.
    `start` runs before the first request; `drain` on SIGTERM, while requests are still answered;
    `stop` at the end. `beside` is a background task, from the start until the service drains.
    `checks` returns the readiness checks by name. `waits` are told in metrics and readiness: a wait
    that stops its work makes the process not ready. `standby` returns why the service waits for
    another process to end before it serves; None while it serves.
    `guarded` wraps the application in an outermost middleware.
    With `page_rules`, those of that middleware, plain typed calls are answered before the
    application, while `plain_calls` returns True; what else `guarded` does concerns them only then.
    `capability` is the token of capability addresses, if callers need one.
    `large_bodies` are of routes that need more than others, by the beginning of their paths;
    `body_refusal` says how routes of its own refuse a body that is too large.
    `hosted` are agents that come and go while the process runs.
    With `websockets`, `routes` may have WebSocket routes, under these limits.
    With `a2a_03`, clients of A2A 0.3 are served beside those of 1.0, over JSON-RPC. `grpc_port` is
    the port of gRPC while that is served.
    With `traces`, its agents continue those of their callers.
    `card_list` returns the URLs of all cards, from those of `agents`: a service that starts further
    processes of itself adds theirs.
    """

    agents: Mapping[str, Agent]
    routes: Sequence[BaseRoute] = ()
    middleware: Sequence[Middleware] = ()
    public_url: str | None = None
    signer: CardSigner | None = None
    start: Callable[[], Awaitable[None]] = _noop
    drain: Callable[[], Awaitable[None]] = _noop
    stop: Callable[[], Awaitable[None]] = _noop
    beside: Callable[[], Coroutine[Any, Any, None]] = _noop
    checks: Callable[[], Mapping[str, bool]] = dict
    standby: Callable[[], str | None] = lambda: None
    large_bodies: Mapping[str, LargeBody] = field(default_factory=dict)
    body_refusal: BodyRefusal = lambda _path, _reason: None
    guarded: Callable[[ASGIApp], ASGIApp] = _unguarded
    page_rules: PageRules | None = None
    plain_calls: Callable[[], bool] = lambda: True
    capability: str | None = None
    a2a_03: bool = True
    hosted: HostedAgents | None = None
    websockets: WebSocketLimits | None = None
    card_list: Callable[[list[str]], list[str]] = list
    traces: Traces | None = None
    registry: CollectorRegistry = field(default_factory=CollectorRegistry)
    waits: Waits = field(default_factory=Waits)
    clock: Callable[[], float] = time.perf_counter
    is_draining: bool = field(default=False, init=False)
    failure: Exception | None = field(default=None, init=False)
    """Why the service cannot go on; `fail` sets it."""
    grpc_port: int | None = field(default=None, init=False)
    front: PlainCallServer | None = field(default=None, init=False)
    """Answers plain typed calls before the application, which `asgi` makes; None without rules."""
    _beside: asyncio.Task[None] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._calls = CallMetrics(self.registry, self.clock)
        ProcessCollector(registry=self.registry)
        self.registry.register(self.waits)
        Gauge(
            "agent_ready", "1 while /readyz says ready, else 0.", registry=self.registry
        ).set_function(lambda: self.standby() is None and self._is_ready(self._all_checks()))

    @cached_property
    def served(self) -> Mapping[str, ServedAgent]:
        """The agents as they are served, by base path; made at the first use."""
        for agent in self.agents.values():
            self._calls.know(agent.entrypoints)
        return {
            base_path: self._serve(agent, base_path, lambda: self.grpc_port)
            for base_path, agent in self.agents.items()
        }

    def _serve(
        self, agent: Agent, base_path: str, grpc_port: Callable[[], int | None] = lambda: None
    ) -> ServedAgent:
        if self.traces is not None:
            self.traces.follow(agent)
        return ServedAgent(
            agent,
            base_path,
            self.public_url,
            self._calls,
            self.signer,
            a2a_03=self.a2a_03,
            grpc_port=grpc_port,
        )

    def asgi(self) -> ASGIApp:
        routes: list[BaseRoute] = [
            Route(HEALTH_PATH, self._healthz, methods=["GET"]),
            Route(READY_PATH, self._readyz, methods=["GET"]),
            metrics_route(self.registry),
            *self.routes,
        ]
        if self.signer is not None:
            routes.append(Route(JWKS_PATH, self._jwks, methods=["GET"]))
        if "" in self.served:
            routes += self.served[""].routes()
        routes.append(AgentPaths({path: agent for path, agent in self.served.items() if path}))
        if self.hosted is not None:
            self.hosted.serve_with(self._serve, self._calls)
            routes.append(self.hosted)
        fronts = {base_path + RPC_PATH: agent for base_path, agent in self.agents.items()}
        app = Starlette(routes=routes, middleware=self.middleware, lifespan=self._lifespan)
        limits = BodyLimits(fronts, self.large_bodies)
        fast_path = FastPath(
            fronts, app, self._calls, limits, body_refusal=self.body_refusal, hosted=self.hosted
        )
        if self.page_rules is not None:
            self.front = PlainCallServer(
                fast_path.addresses,
                fast_path.calls,
                self.page_rules,
                body_limits=limits,
                is_open=self.plain_calls,
            )
        return with_single_slashes(self.guarded(fast_path))

    def card_urls(self, url: str, *, with_capability: bool = False) -> list[str]:
        """They begin with the URL of the process. With the capability, they are secret."""
        if with_capability and self.capability:
            url += CAPABILITY_PATH + self.capability
        return self.card_list([url + base_path + CARD_PATH for base_path in self.agents])

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run `start`, then `stop` at the end: the lifespan without a server."""
        await self.start()
        self._beside = asyncio.create_task(self._run_beside())
        try:
            yield
        finally:
            await self._cancel_beside()
            await self.stop()

    def fail(self, error: Exception) -> None:
        """End the process at once: `serve` raises the first error."""
        self.failure = self.failure or error

    async def finish(self) -> None:
        await self._cancel_beside()
        await self.drain()

    async def _run_beside(self) -> None:
        try:
            await self.beside()
        except Exception:
            # Its failure must not stop the server, and no other task awaits it.
            logger.exception("background_failed")

    async def _cancel_beside(self) -> None:
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

    def _all_checks(self) -> dict[str, bool]:
        return {**self.checks(), "not draining": not self.is_draining}

    def _is_ready(self, checks: Mapping[str, bool]) -> bool:
        return all(checks.values()) and not self.waits.unready()

    async def _readyz(self, _request: Request) -> Response:
        if (cause := self.standby()) is not None and not self.is_draining:
            return JSONResponse({"status": "standby", "detail": cause}, status_code=503)
        checks, waits = self._all_checks(), self.waits.unready()
        is_ready = self._is_ready(checks)
        body: dict[str, Any] = {"status": "ready" if is_ready else "not ready", "checks": checks}
        return JSONResponse(
            body | ({"waits": waits} if waits else {}), status_code=200 if is_ready else 503
        )


_SLASHES: Final = re.compile(rb"//+")


def with_single_slashes(app: ASGIApp) -> ASGIApp:
    """Return an application that gets `//api/games` as `/api/games`.

    Clients write a base URL that ends with a slash before their path. Routes, rules and tokens of
    capability addresses see only the path without repeated slashes. `%2F` is part of a name.
    """

    async def collapsed(scope: Scope, receive: Receive, send: Send) -> None:
        raw: bytes = scope.get("raw_path") or b""
        if b"//" in raw and raw.isascii():
            single = _SLASHES.sub(b"/", raw)
            scope = {**scope, "raw_path": single, "path": unquote(single.decode())}
        await app(scope, receive, send)

    return collapsed


def metrics_route(registry: CollectorRegistry) -> Route:
    # Otherwise each counter also exports the time of its creation.
    disable_created_metrics()  # type: ignore[no-untyped-call]

    async def metrics(_request: Request) -> Response:
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_PLAIN_0_0_4)

    return Route(METRICS_PATH, metrics, methods=["GET"])
