"""`POST /mcp`: streamable HTTP without sessions, so that nothing is lost with a connection.

`GET /mcp/server-card` says what a client knows before its first call. Its form is that of the
extension Server Card of MCP, whose schema the card names.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from importlib.util import find_spec
from math import ceil
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import orjson
import structlog
from casino_agentkit.bounded_state import RateLimit
from casino_agentkit.installation import installation_hint
from casino_agentkit.network import network_of
from casino_agentkit.server.addressed_document import AddressedDocument
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from casino_gateway import __version__
from casino_gateway.model_context.examinations import Examinations
from casino_gateway.model_context.mcp_messages import SERVER_NAME, SERVER_TITLE
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
_MEDIA_TYPE: Final = "application/mcp-server-card+json"
_SCHEMA: Final = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"
_KEY_HEADER: Final = {
    "name": "Authorization",
    "description": "`Bearer` and any random key of your own, which keeps your seats yours.",
    "isRequired": False,
    "isSecret": True,
}
_NO_LABEL = re.compile(r"[^A-Za-z0-9.-]")

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


def server_card_route(public_url: str | None) -> BaseRoute:
    written = partial(server_card, has_mcp=find_spec("mcp") is not None)
    return AddressedDocument(f"{MCP_PATH}/server-card", _MEDIA_TYPE, public_url, written).route()


def server_card(address: str, *, has_mcp: bool) -> bytes:
    """Return the card of the gateway at an address, without a way to connect if it has no MCP."""
    card: dict[str, Any] = {
        "$schema": _SCHEMA,
        "name": f"{_reversed(urlsplit(address).hostname or '')}/{SERVER_NAME}",
        "title": SERVER_TITLE,
        "version": __version__,
        "description": "Seats at tables of No-Limit Hold'em and other games, for play chips.",
    }
    if has_mcp:
        from mcp_types.version import SUPPORTED_PROTOCOL_VERSIONS  # noqa: PLC0415  optional

        remote = {
            "type": "streamable-http",
            "url": address + MCP_PATH,
            "headers": [_KEY_HEADER],
            "supportedProtocolVersions": SUPPORTED_PROTOCOL_VERSIONS,
        }
        card["remotes"] = [remote]
    return orjson.dumps(card)


def _reversed(host: str) -> str:
    """Return a host as the namespace of a server's name.

    >>> _reversed("casino.example"), _reversed("127.0.0.1"), _reversed("::1")
    ('example.casino', '127.0.0.1', '--1')
    """
    labels = _NO_LABEL.sub("-", host).split(".")
    return ".".join(labels if labels[-1].isdigit() else reversed(labels))
