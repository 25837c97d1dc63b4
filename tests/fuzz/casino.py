"""The casino that is fuzzed: as it is delivered, on real sockets, behind the kit's own server."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from casino_agentkit import Service
from casino_agentkit.protocol import CARD_PATH
from casino_agentkit.server.limits import DEFAULT_LIMITS
from casino_agentkit.server.server import TlsServer, bind, server_config, url_of
from casino_contracts import EventPage
from casino_table.app import build_app as build_tables
from casino_table.settings import TableSettings
from fuzz.cases import LIVE_ROOM, Keys
from fuzz.typed_calls import AgentName, Places
from prometheus_client import CollectorRegistry
from starlette.types import ASGIApp
from support.attack.arena import FLEET_KEY, OPERATOR_KEY, Arena, Parts
from support.casino.auditor import RoomAudit
from support.processes import run_until

KEYS = Keys(OPERATOR_KEY, FLEET_KEY)
SOON = timedelta(seconds=1)
LIMITS = replace(DEFAULT_LIMITS, first_byte=SOON, head=SOON, body=SOON)
"""Those of production, but for a second instead of ten or thirty: so that what is never finished
ends soon."""


def _settings(data: Path) -> dict[str, object]:
    return {
        "database": None,
        "data": data,
        "commands_per_minute": 0,  # the fuzzer would be refused everything after a second
        "streams_per_address": 0,
        "signup_timeout": timedelta(seconds=1),
        "closed_rooms_kept": timedelta(seconds=1),
        "rooms": 8,
        "call_addresses": "loopback",
    }


class FuzzedCasino(Arena):
    """An arena whose services listen as in production."""

    def __init__(self, stack: AsyncExitStack, data: Path) -> None:
        super().__init__(stack, Parts(lobby=_settings(data)))
        self._data = data
        self._audit = RoomAudit(LIVE_ROOM)

    async def serve(self, build: Callable[[str], Service]) -> str:
        listener = bind("127.0.0.1", 0)
        url = url_of("127.0.0.1", listener.getsockname()[1])
        service = build(url)
        await self._stack.enter_async_context(service.running())
        await self._stack.enter_async_context(serving(service.asgi(), listener, service.registry))
        self._stack.push_async_callback(service.finish)
        return url

    def _tables(self, url: str) -> Service:
        settings = TableSettings.model_validate(
            {
                "count": 2,
                "lobby_url": self.lobby_url,
                "fleet_key": FLEET_KEY,
                "drain_timeout": timedelta(milliseconds=1),
                "data": self._data / "tables",  # in memory, hands would add up
                "call_addresses": "loopback",
            }
        )
        return build_tables(settings, url)

    @property
    def places(self) -> Places:
        table = f"{self.tables_url}/tables/2{CARD_PATH}"
        return Places(self.lobby_url + CARD_PATH, table, self.players["Tight"])

    @property
    def ports(self) -> dict[AgentName, int]:
        player = self.players["Tight"].removesuffix(CARD_PATH)
        urls: dict[AgentName, str] = {
            "lobby": self.lobby_url,
            "table": self.tables_url,
            "player": player,
        }
        return {name: int(url.rpartition(":")[2]) for name, url in urls.items()}

    async def audit(self) -> int:
        """Read what is new of the room that plays: no chip is lost or made; returns its hands.

        Raises Irregular.
        """
        while True:
            query = {"after": self._audit.sequence, "limit": 5000, "epoch": 1}
            reply = await self.http.get(f"/v1/rooms/{LIVE_ROOM}/events", params=query)
            page = EventPage.model_validate_json(reply.raise_for_status().content)
            for event in page.events:
                self._audit.take(event)
            if len(page.events) < query["limit"]:
                break
        self._audit.check_whole()
        return len(self._audit.completed)


@asynccontextmanager
async def serving(
    app: ASGIApp, listener: socket.socket, registry: CollectorRegistry
) -> AsyncIterator[None]:
    config = server_config(app, LIMITS, registry)
    config.timeout_graceful_shutdown = 1
    server = TlsServer(config, None)
    task = asyncio.ensure_future(server.serve(sockets=[listener]))
    try:
        await run_until(lambda: server.started)
        yield
    finally:
        server.should_exit = True
        await task


@asynccontextmanager
async def fuzzed_casino(data: Path) -> AsyncIterator[FuzzedCasino]:
    """Open a casino that plays; everything ends with it."""
    async with AsyncExitStack() as stack:
        casino = FuzzedCasino(stack, data)
        await casino.open()
        yield casino
