"""A casino of this process on real sockets, any part of which can be replaced."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any

import httpx
from casino_agentkit import Service
from casino_agentkit.protocol import CAPABILITY_PATH, CARD_PATH
from casino_agentkit.server.limits import DEFAULT_LIMITS
from casino_agentkit.server.server import bind, url_of
from casino_contracts import RoomSnapshot, TableEvent
from casino_lobby.access.rules import LobbyRules
from casino_lobby.app import build_app as build_lobby
from casino_lobby.domain.names import NameBook
from casino_lobby.settings import LobbySettings
from casino_player_example.app import build_app as build_player
from casino_player_example.settings import PlayerSettings
from casino_table.app import build_app as build_tables
from casino_table.rules import TableRules
from casino_table.service import TableService
from casino_table.settings import TableSettings

from support.listening import accepting
from support.processes import eventually
from support.table.table_side import CONFIG

OPERATOR_KEY, FLEET_KEY = "the-operator-key-of-the-arena", "the-fleet-key-of-the-arena"
PLAYER_KEY = "the-key-of-the-players"
ROOM, CLOSED_ROOM = "green", "old"
STYLES = {"Tight": "tight", "Caller": "caller"}
THINK = timedelta(milliseconds=60)
RULES: dict[str, Any] = {**CONFIG, "maxHands": 100_000, "maxSeats": 4, "rebuy": "auto"}
RULES.pop("seed")


def defended_player(name: str, url: str) -> Service:
    """Return a sample player as it is delivered, with a key."""
    settings = {"style": STYLES[name], "name": name, "think": THINK, "key": PLAYER_KEY}
    return build_player(PlayerSettings.model_validate(settings), url)


@dataclass(frozen=True)
class Parts:
    """The parts of an arena; by default as delivered."""

    lobby_rules: Callable[..., LobbyRules] = LobbyRules
    table_rules: Callable[[TableService, str | None], TableRules] = TableRules
    player: Callable[[str, str], Service] = defended_player
    """Makes a player of its name and its address."""
    player_key: str | None = PLAYER_KEY
    operator_key: str | None = OPERATOR_KEY
    fleet_key: str | None = FLEET_KEY
    lobby: dict[str, Any] = field(default_factory=dict)
    """More settings of the lobby."""
    names: NameBook | None = None
    is_guarded: bool = True
    """Whether a guard stands before everything, as it does in every process."""


class Arena:
    """A casino that plays in one room, has closed another, and has a free table."""

    def __init__(self, stack: AsyncExitStack, parts: Parts) -> None:
        self._stack = stack
        self._parts = parts
        self.lobby_url = ""
        self.tables_url = ""
        self.players: dict[str, str] = {}
        """Card URLs by name, as anybody may know them."""
        self.http: httpx.AsyncClient

    async def open(self) -> None:
        """Serve lobby, tables and players, and let them play."""
        parts = self._parts
        key = {"authorization": f"Bearer {parts.operator_key}"} if parts.operator_key else {}
        self.lobby_url = await self.serve(self._lobby)
        self.http = await self._stack.enter_async_context(
            httpx.AsyncClient(base_url=self.lobby_url, headers=key, trust_env=False, timeout=30)
        )
        for name in STYLES:
            url = await self.serve(partial(parts.player, name))
            self.players[name] = url + CARD_PATH
        self.tables_url = await self.serve(self._tables)  # the last to come is the first to go
        await eventually(self._tables_are_known, every=0.02)
        await self.post("/v1/rooms", roomId=CLOSED_ROOM, config=RULES)
        await self.post(f"/v1/rooms/{CLOSED_ROOM}/close")
        await eventually(self._is_closed, every=0.02)
        await self.post("/v1/rooms", roomId=ROOM, config=RULES)
        capability = f"{CAPABILITY_PATH}{parts.player_key}" if parts.player_key else ""
        for card in self.players.values():
            registered = card.replace(CARD_PATH, capability + CARD_PATH)
            await self.post(f"/v1/rooms/{ROOM}/players", agentCardUrl=registered)
        await self.post(f"/v1/rooms/{ROOM}/start")
        await self.plays_on(2)

    async def close(self) -> None:
        """Close the room: a table that still serves one waits until another takes it over."""
        path = f"/v1/rooms/{ROOM}"
        if (await self.http.post(f"{path}/close")).is_success:
            await eventually(lambda: self._is_closed(ROOM), every=0.02)

    async def serve(self, build: Callable[[str], Service]) -> str:
        """Serve what `build` makes for its address, on a free port; returns the address."""
        listener = bind("127.0.0.1", 0)
        url = url_of("127.0.0.1", listener.getsockname()[1])
        service = build(url)
        if not self._parts.is_guarded:
            service.guarded = lambda app: app
            service.page_rules = None
        await self._stack.enter_async_context(service.running())
        await self._stack.enter_async_context(accepting(listener, service, DEFAULT_LIMITS))
        self._stack.push_async_callback(service.finish)
        return url

    async def post(self, path: str, **body: Any) -> dict[str, Any]:
        """Send a command as the operator."""
        reply = await self.http.post(path, json=body)
        assert reply.is_success, reply.text
        answer: dict[str, Any] = reply.json()
        return answer

    async def room(self, room_id: str = ROOM) -> RoomSnapshot:
        """Read a room."""
        reply = await self.http.get(f"/v1/rooms/{room_id}")
        return RoomSnapshot.model_validate_json(reply.raise_for_status().content)

    async def events(self, room_id: str = ROOM) -> list[TableEvent]:
        """Read all events of a room's first epoch."""
        events: list[TableEvent] = []
        while True:
            after = events[-1].sequence if events else 0
            query = {"after": after or 0, "limit": 5000, "epoch": 1}
            page = (await self.http.get(f"/v1/rooms/{room_id}/events", params=query)).json()
            if not page["events"]:
                return events
            events += [TableEvent.model_validate(event) for event in page["events"]]

    async def plays_on(self, hands: int) -> None:
        """Wait until so many more hands are completed."""
        wanted = await self._hands() + hands

        async def are_played() -> bool:
            return await self._hands() >= wanted

        await eventually(are_played, seconds=60, every=0.05)

    async def _hands(self) -> int:
        summary = (await self.room()).summary
        return summary.hand_count if summary else 0

    def _lobby(self, url: str) -> Service:
        parts = self._parts
        settings = {
            "operator_token": parts.operator_key,
            "fleet_key": parts.fleet_key,
            "database": "memory",
            "launch_tables": False,
            **parts.lobby,
        }
        return build_lobby(
            LobbySettings.model_validate(settings),
            url,
            rules_of=parts.lobby_rules,
            names=parts.names,
        )

    def _tables(self, url: str) -> Service:
        settings = {
            "count": 2,
            "lobby_url": self.lobby_url,
            "fleet_key": self._parts.fleet_key,
            "drain_timeout": "1ms",
        }
        return build_tables(
            TableSettings.model_validate(settings), url, rules_of=self._parts.table_rules
        )

    async def _tables_are_known(self) -> bool:
        return len((await self.http.get("/v1/tables")).json()["tables"]) == 2

    async def _is_closed(self, room_id: str = CLOSED_ROOM) -> bool:
        return (await self.room(room_id)).state == "closed"


@asynccontextmanager
async def arena(parts: Parts | None = None) -> AsyncIterator[Arena]:
    """Run an arena."""
    async with AsyncExitStack() as stack:
        opened = Arena(stack, parts or Parts())
        await opened.open()
        yield opened
        await opened.close()
