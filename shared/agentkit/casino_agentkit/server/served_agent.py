"""An agent as a process serves it: one request handler for all bindings, card and routes."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Final, NoReturn

from starlette.routing import BaseRoute, Match, NoMatchFound, Route, Router
from starlette.types import Receive, Scope, Send

from casino_agentkit.agent import Agent
from casino_agentkit.card_signing import CardSigner
from casino_agentkit.metrics import CallMetrics
from casino_agentkit.process.late_imports import import_late
from casino_agentkit.protocol import CARD_PATH, OLDER_CARD_PATH, REST_PATH, RPC_PATH, MessageIds
from casino_agentkit.server.cards.card_page import CardPage
from casino_agentkit.server.invoke.routes import invoke_routes
from casino_agentkit.server.late_routes import LateRoutes

if TYPE_CHECKING:  # imported once the SDK is needed
    from casino_agentkit.server.handler import TypedHandler

CARDS: Final = frozenset({CARD_PATH, OLDER_CARD_PATH})
"""The paths of an agent's card, below its base path."""
_SDK: Final = (
    "casino_agentkit.server.handler",
    "casino_agentkit.server.sdk.card",
    "casino_agentkit.server.sdk.routes",
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
        from casino_agentkit.server.handler import TypedHandler  # noqa: PLC0415
        from casino_agentkit.server.sdk.card import make_card  # noqa: PLC0415

        card = make_card(self.agent, self._base_url, a2a_03=self._a2a_03)
        return TypedHandler(self.agent, card, MessageIds(), self._calls)

    def routes(self) -> list[BaseRoute]:
        """Return all routes."""
        return [*self.card_routes(), *self.interface_routes()]

    def card_routes(self) -> list[BaseRoute]:
        """Return the routes of its card."""
        paths = (CARD_PATH, OLDER_CARD_PATH) if self._a2a_03 else (CARD_PATH,)
        return [Route(self._base_path + path, self._page.serve, methods=["GET"]) for path in paths]

    def interface_routes(self) -> list[BaseRoute]:
        """Return the routes of the invoke profile, JSON-RPC and HTTP+JSON.

        Those of the last two are made at the first request that is not a plain typed call.
        """
        rpc = self._base_path + RPC_PATH
        return [
            *invoke_routes(self.agent, self._base_path, self._calls),
            LateRoutes((rpc, rpc + "/"), self._base_path + REST_PATH, self._sdk_routes),
        ]

    async def _sdk_routes(self) -> list[BaseRoute]:
        """Return the SDK's routes."""
        await import_late(*_SDK)
        from casino_agentkit.server.sdk.routes import sdk_routes  # noqa: PLC0415

        return sdk_routes(
            self.handler, self._base_path, self.agent.data_levels, a2a_03=self._a2a_03
        )


class AgentRouter:
    """Answers the requests for an agent; the routes of its interfaces are made at the first use.

    Making them takes 20 ms and 200 KB, and plain typed calls do not need them.
    """

    def __init__(self, served: ServedAgent) -> None:
        self._served = served
        self._card = Router(served.card_routes())

    @cached_property
    def _interfaces(self) -> Router:
        return Router(self._served.interface_routes())

    async def answer(self, rest: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; `rest` is its path below the agent's base path."""
        await (self._card if rest in CARDS else self._interfaces)(scope, receive, send)


class AgentPaths(BaseRoute):
    """The agents of a process that have base paths, found by the first parts of a request's path.

    So neither the start of the process nor a request becomes slower with the number of agents.
    """

    def __init__(self, agents: Mapping[str, ServedAgent]) -> None:
        self._routers = {base_path: AgentRouter(agent) for base_path, agent in agents.items()}
        self._depths = sorted({base_path.count("/") for base_path in agents}, reverse=True)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Return whether a request is for an agent."""
        is_match = scope["type"] == "http" and self._base_path(scope["path"]) is not None
        return (Match.FULL if is_match else Match.NONE), {}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for an agent."""
        base_path = self._base_path(scope["path"])
        assert base_path is not None  # noqa: S101  it matches
        rest = scope["path"].removeprefix(base_path)
        await self._routers[base_path].answer(rest, scope, receive, send)

    def url_path_for(self, name: str, /, **path_params: object) -> NoReturn:
        """Raise NoMatchFound: the routes have no names."""
        raise NoMatchFound(name, path_params)

    def _base_path(self, path: str) -> str | None:
        parts = path.split("/")
        candidates = ("/".join(parts[: depth + 1]) for depth in self._depths)
        return next((base_path for base_path in candidates if base_path in self._routers), None)
