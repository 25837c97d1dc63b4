"""An agent as a process serves it: one request handler for all bindings, card and routes."""

from collections.abc import Callable
from functools import cached_property

from starlette.routing import BaseRoute, Route

from casino_agentkit.agent import Agent
from casino_agentkit.metrics import CallMetrics
from casino_agentkit.protocol import CARD_PATH, OLDER_CARD_PATH, MessageIds
from casino_agentkit.server.card import make_card
from casino_agentkit.server.card_page import CardPage
from casino_agentkit.server.handler import TypedHandler
from casino_agentkit.server.invoke.routes import invoke_routes
from casino_agentkit.server.sdk.routes import sdk_routes
from casino_agentkit.signing.card_signing import CardSigner


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
    def handler(self) -> TypedHandler:
        """The request handler of all bindings; made at the first use."""
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

        Those of HTTP+JSON are last: they match every path below it.
        """
        return [
            *invoke_routes(self.agent, self._base_path, self._calls),
            *sdk_routes(self.handler, self._base_path, self.agent.data_levels, a2a_03=self._a2a_03),
        ]
