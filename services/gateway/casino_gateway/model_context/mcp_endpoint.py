"""`POST /mcp`: streamable HTTP without sessions, so that nothing is lost with a connection."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.util import find_spec
from math import ceil
from typing import TYPE_CHECKING, Any, Final

import structlog
from casino_agentkit.bounded_state import RateLimit
from casino_agentkit.installation import installation_hint
from casino_agentkit.network import network_of
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from casino_gateway.model_context.examinations import Examinations
from casino_gateway.model_context.practice_rooms import PracticeRooms
from casino_gateway.seats.listed_games import ListedGames
from casino_gateway.seats.seat_service import SeatService

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

MCP_PATH: Final = "/mcp"
_MESSAGES_PER_S, _BURST = 200.0, 1_000.0
"""Messages of one address; a client that plays fast sends two for each decision."""
_OF_SEAT, _OF_NETWORK = (100.0, 400.0), (20.0, 200.0)
_INVALID_REQUEST: Final = -32600
_INTERNAL_ERROR: Final = -32603

logger = structlog.get_logger(__name__)


class McpEndpoint:
    """The route of MCP; without the extra `mcp` it says what is missing (501).

    `now` returns the seconds of the questions' clock.
    """

    def __init__(
        self,
        seats: SeatService,
        games: ListedGames,
        practice: PracticeRooms,
        examinations: Examinations | None,
        now: Callable[[], float],
    ) -> None:
        self._seats = seats
        self._games = games
        self._practice = practice
        self._examinations = examinations
        self._now = now
        self._messages = RateLimit(_MESSAGES_PER_S, _BURST, now)
        self._manager: StreamableHTTPSessionManager | None = None

    def routes(self) -> list[BaseRoute]:
        return [Route(MCP_PATH, self, methods=["POST"])]

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve for the time of the context, if the extra `mcp` is installed."""
        if find_spec("mcp") is None:
            logger.info("no_mcp", install=installation_hint("mcp"))
            yield
            return
        is_ready = asyncio.Event()
        serving = asyncio.create_task(self._serve(is_ready))
        serving.add_done_callback(lambda _: is_ready.set())
        try:
            await is_ready.wait()
            if serving.done():
                await serving  # raises why it failed
            yield
        finally:
            self._manager = None
            serving.cancel()
            await asyncio.wait({serving})

    async def _serve(self, is_ready: asyncio.Event) -> None:
        """Serve until cancelled, in a task of its own: the SDK's must end in the one that began."""
        # Imported here: it is optional.
        from mcp.server.transport_security import TransportSecuritySettings  # noqa: PLC0415

        from casino_gateway.model_context.mcp_server import model_server  # noqa: PLC0415
        from casino_gateway.model_context.model_caller import ModelLimits  # noqa: PLC0415
        from casino_gateway.model_context.model_seats import ModelSeats  # noqa: PLC0415

        limits = ModelLimits(RateLimit(*_OF_SEAT, self._now), RateLimit(*_OF_NETWORK, self._now))
        server = model_server(
            ModelSeats(self._seats, self._games, self._practice, limits, self._now),
            self._examinations,
        )
        # Host and Origin are checked by the service's own guard, and bodies by its limits.
        server.streamable_http_app(
            stateless_http=True,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )
        async with server.session_manager.run():
            self._manager = server.session_manager
            is_ready.set()
            await asyncio.Event().wait()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        network = network_of(request.client.host if request.client else "")
        if not self._messages.take(network):
            wait_s = ceil(self._messages.wait_s(network))
            said = json_rpc_error(f"Too many messages; try again in {wait_s} s.")
            refusal = JSONResponse(said, 429, {"retry-after": str(wait_s)})
            await refusal(scope, receive, send)
        elif self._manager is None:
            missing = "This gateway has no MCP: its extra `mcp` is not installed."
            refusal = JSONResponse(json_rpc_error(missing, _INTERNAL_ERROR), 501)
            await refusal(scope, receive, send)
        else:
            await self._manager.handle_request(scope, receive, send)


def json_rpc_error(message: str, code: int = _INVALID_REQUEST) -> dict[str, Any]:
    """Return an error of JSON-RPC that answers no single request."""
    return {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": message}}
