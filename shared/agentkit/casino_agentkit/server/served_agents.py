"""Agents as a process serves them: one request handler for all bindings, card and routes.

Those of the SDK are made at the first request for one of them. Hosted agents are added and removed
while the process runs, each at a path of its own.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, NoReturn

from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Match, NoMatchFound, Route, Router
from starlette.types import Receive, Scope, Send
from typing_extensions import override

from casino_agentkit.agent import Agent
from casino_agentkit.bounded_state import LruDict
from casino_agentkit.card_signing import CardSigner
from casino_agentkit.process.late_imports import import_late
from casino_agentkit.protocol import (
    CARD_PATH,
    ENTRYPOINTS_PATH,
    OLDER_CARD_PATH,
    REST_PATH,
    RPC_PATH,
    MessageIds,
)
from casino_agentkit.server.call_execution import CallMetrics
from casino_agentkit.server.card_page import CardPage
from casino_agentkit.server.invoke_routes import invoke_routes

if TYPE_CHECKING:
    from casino_agentkit.server.sdk.handler import TypedHandler


class _PathRoute(BaseRoute, ABC):
    """A route for all requests of the paths that it has, without a name."""

    @abstractmethod
    def has(self, path: str) -> bool: ...

    @override
    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        is_match = scope["type"] == "http" and self.has(scope["path"])
        return (Match.FULL if is_match else Match.NONE), {}

    @override
    def url_path_for(self, name: str, /, **path_params: object) -> NoReturn:
        raise NoMatchFound(name, path_params)


class LateRoutes(_PathRoute):
    """A route for `exact` paths and those below `base`: requests wait while `make` runs."""

    def __init__(
        self, exact: Sequence[str], base: str, make: Callable[[], Awaitable[list[BaseRoute]]]
    ) -> None:
        self._exact = frozenset((*exact, base))
        self._below = base + "/"
        self._make = make
        self._router: Router | None = None

    @override
    def has(self, path: str) -> bool:
        return path in self._exact or path.startswith(self._below)

    @override
    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._router is None:
            self._router = Router(await self._make())
        await self._router(scope, receive, send)


CARDS: Final = frozenset({CARD_PATH, OLDER_CARD_PATH})
"""The paths of an agent's card, below its base path."""
ADDRESSES: Final = (CARD_PATH, OLDER_CARD_PATH, RPC_PATH, REST_PATH, ENTRYPOINTS_PATH)
"""The paths of its card and interfaces."""
_SDK: Final = (
    "casino_agentkit.server.sdk.handler",
    "casino_agentkit.server.sdk.sdk_card",
    "casino_agentkit.server.sdk.sdk_routes",
)
"""What the SDK's routes and the request handler need."""


class ServedAgent:
    """An agent at a base path ("" is the root).

    Without a public URL, the extended card has addresses of localhost. `grpc_port` returns the port
    of gRPC, None while it is not served.
    """

    def __init__(
        self,
        agent: Agent,
        base_path: str,
        public_url: str | None,
        calls: CallMetrics,
        signer: CardSigner | None = None,
        *,
        a2a_03: bool = True,
        grpc_port: Callable[[], int | None] = lambda: None,
    ) -> None:
        self.agent = agent
        self._base_path = base_path
        self._base_url = (public_url or "http://localhost").rstrip("/") + base_path
        self._calls = calls
        self._a2a_03 = a2a_03
        self._page = CardPage(
            agent, base_path, public_url, signer, a2a_03=a2a_03, grpc_port=grpc_port
        )

    @cached_property
    def handler(self) -> "TypedHandler":
        """The request handler of all bindings; made at the first use, which imports the SDK."""
        from casino_agentkit.server.sdk.handler import TypedHandler  # noqa: PLC0415
        from casino_agentkit.server.sdk.sdk_card import make_card  # noqa: PLC0415

        card = make_card(self.agent, self._base_url, a2a_03=self._a2a_03)
        return TypedHandler(self.agent, card, MessageIds(), self._calls)

    def routes(self) -> list[BaseRoute]:
        return [*self.card_routes(), *self.interface_routes()]

    def card_routes(self) -> list[BaseRoute]:
        paths = (CARD_PATH, OLDER_CARD_PATH) if self._a2a_03 else (CARD_PATH,)
        return [Route(self._base_path + path, self._page.serve, methods=["GET"]) for path in paths]

    def interface_routes(self) -> list[BaseRoute]:
        """Those of the SDK are made at the first request that is not a plain typed call."""
        rpc = self._base_path + RPC_PATH
        return [
            *invoke_routes(self.agent, self._base_path, self._calls),
            LateRoutes((rpc, rpc + "/"), self._base_path + REST_PATH, self._sdk_routes),
        ]

    async def _sdk_routes(self) -> list[BaseRoute]:
        await import_late(*_SDK)
        from casino_agentkit.server.sdk.sdk_routes import sdk_routes  # noqa: PLC0415

        return sdk_routes(
            self.handler, self._base_path, self.agent.data_levels, a2a_03=self._a2a_03
        )


class AgentRouter:
    """Answers for an agent; its interfaces' routes (20 ms, 200 KB) are made at the first use."""

    def __init__(self, served: ServedAgent) -> None:
        self._served = served
        self._card = Router(served.card_routes())

    @cached_property
    def _interfaces(self) -> Router:
        return Router(self._served.interface_routes())

    async def answer(self, rest: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; `rest` is its path below the agent's base path."""
        await (self._card if rest in CARDS else self._interfaces)(scope, receive, send)


class AgentPaths(_PathRoute):
    """Agents with base paths, found by a path's first parts: their number costs no time."""

    def __init__(self, agents: Mapping[str, ServedAgent]) -> None:
        self._routers = {base_path: AgentRouter(agent) for base_path, agent in agents.items()}
        self._depths = sorted({base_path.count("/") for base_path in agents}, reverse=True)

    @override
    def has(self, path: str) -> bool:
        return self._base_path(path) is not None

    @override
    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        base_path = self._base_path(scope["path"])
        assert base_path is not None  # noqa: S101  it matches
        rest = scope["path"].removeprefix(base_path)
        await self._routers[base_path].answer(rest, scope, receive, send)

    def _base_path(self, path: str) -> str | None:
        parts = path.split("/")
        candidates = ("/".join(parts[: depth + 1]) for depth in self._depths)
        return next((base_path for base_path in candidates if base_path in self._routers), None)


_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,128}")
_TYPED_CALLS: Final = frozenset({RPC_PATH, RPC_PATH + "/"})
_SERVED: Final = 64  # agents whose card, request handler and routes are kept: up to 200 KB each


def _always() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class _Hosted:
    agent: Agent
    is_available: Callable[[], bool]


class HostedAgents(_PathRoute):
    """The agents below one path, as `{path}/{name}`; a route of the service.

    They are served like other agents, over HTTP. What only slow calls need (card, request handler,
    routes) is made at their first use and kept for the `kept` most recently used agents.
    """

    def __init__(self, path: str, *, kept: int = _SERVED) -> None:
        self._path = path
        self._agents: dict[str, _Hosted] = {}
        self._kept = LruDict[str, AgentRouter](kept)
        self._serve: Callable[[Agent, str], ServedAgent] | None = None
        self._calls: CallMetrics | None = None

    def __len__(self) -> int:
        return len(self._agents)

    def add(self, name: str, agent: Agent, is_available: Callable[[], bool] = _always) -> str:
        """Serve an agent from now on; returns its base path.

        While it is not available, its card is answered with 503; calls are answered.
        Raises ValueError if the name is taken or not of letters, digits, "-" and "_", or if the
        agent has tasks, which end with its request handler.
        """
        if not _NAME.fullmatch(name) or name in self._agents:
            raise ValueError(f"the name {name!r} is taken, or not of letters, digits, - and _")
        if agent.executor is not None:
            raise ValueError("a hosted agent has typed entrypoints only")
        if self._calls is not None:
            self._calls.know(agent.entrypoints)
        self._agents[name] = _Hosted(agent, is_available)
        return f"{self._path}/{name}"

    def remove(self, name: str) -> None:
        """Serve an agent no longer. Raises KeyError if there is none."""
        del self._agents[name]
        self._kept.remove(name)

    def serve_with(self, serve: Callable[[Agent, str], ServedAgent], calls: CallMetrics) -> None:
        self._serve, self._calls = serve, calls
        for hosted in self._agents.values():
            calls.know(hosted.agent.entrypoints)

    def called_at(self, path: str) -> Agent | None:
        """Return the agent whose JSON-RPC endpoint a path is, if it may take the fast path."""
        name, rest = self._split(path)
        hosted = self._agents.get(name)
        if hosted is None or rest not in _TYPED_CALLS or hosted.agent.required_extensions:
            return None
        return hosted.agent

    def is_address(self, path: str) -> bool:
        name, rest = self._split(path)
        return name in self._agents and rest.startswith(ADDRESSES)

    @override
    def has(self, path: str) -> bool:
        return self._split(path)[0] in self._agents

    @override
    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        name, rest = self._split(scope["path"])
        hosted = self._agents[name]
        if rest in CARDS and not hosted.is_available():
            await _unavailable(scope, receive, send)
            return
        kept = self._kept.get(name)
        if kept is None:
            assert self._serve is not None  # noqa: S101  the service serves this route
            kept = AgentRouter(self._serve(hosted.agent, f"{self._path}/{name}"))
            self._kept.put(name, kept)
        await kept.answer(rest, scope, receive, send)

    def _split(self, path: str) -> tuple[str, str]:
        """Return the agent's name in a path, and what follows; "" if it is not below this one."""
        base, slash, rest = path.removeprefix(self._path).partition("/")
        if base or not slash or not path.startswith(self._path):
            return "", ""
        name, slash, rest = rest.partition("/")
        return name, slash + rest


async def _unavailable(scope: Scope, receive: Receive, send: Send) -> None:
    problem = {
        "type": "about:blank",
        "title": "Service Unavailable",
        "status": 503,
        "detail": "The agent is not available now; retry later.",
    }
    headers = {"retry-after": "5", "cache-control": "no-store"}
    response = JSONResponse(
        problem, status_code=503, headers=headers, media_type="application/problem+json"
    )
    await response(scope, receive, send)
