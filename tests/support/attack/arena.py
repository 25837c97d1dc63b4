"""A casino of this process on real sockets, any part of which can be replaced, and its attacker."""

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any

import httpx
from casino.attack.attack_base import Attack, Result, canaries, run, seated
from casino.attack.attack_discovery import learn
from casino.attack.attack_traffic import Heard, Traffic
from casino.attack.binding_calls import BINDINGS, TriedBinding
from casino_agentkit import Service
from casino_agentkit.protocol import CAPABILITY_PATH, CARD_PATH
from casino_agentkit.server.server_limits import DEFAULT_LIMITS, ServerLimits
from casino_agentkit.server.serving import bind, url_of
from casino_lobby.access.lobby_rules import LobbyRules
from casino_lobby.app import build_app as build_lobby
from casino_lobby.domain.display_names import NameBook
from casino_lobby.settings import LobbySettings
from casino_player_example.app import build_app as build_player
from casino_player_example.settings import PlayerSettings
from casino_table.app import build_app as build_tables
from casino_table.service import TableService
from casino_table.settings import TableSettings
from casino_table.table_agent import TableRules

from support.casino.casino import Casino, path_of
from support.listening import accepting
from support.processes import PATIENCE_S, eventually

OPERATOR_KEY, FLEET_KEY = "the-operator-key-of-the-arena", "the-fleet-key-of-the-arena"
PLAYER_KEY = "the-key-of-the-players"
ROOM, CLOSED_ROOM = "green", "old"
STYLES = {"Tight": "tight", "Caller": "caller"}
THINK = timedelta(milliseconds=60)
RULES: dict[str, Any] = {"maxHands": 100_000, "maxSeats": 5, "rebuy": "auto"}
_HOST = "127.0.0.1"


def defended_player(name: str, url: str, key: str | None = PLAYER_KEY) -> Service:
    """Return a sample player as it is delivered."""
    settings = {"style": STYLES[name], "name": name, "think": THINK, "key": key}
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
    tables: dict[str, Any] = field(default_factory=dict)
    """More settings of the tables."""
    names: NameBook | None = None
    limits: ServerLimits = DEFAULT_LIMITS
    is_guarded: bool = True
    """Whether a guard stands before everything, as it does in every process."""


async def begin(casino: Casino, cards: Iterable[str], **rules: Any) -> None:
    """Let these players play in one room, beside one that is closed."""
    rules = {**RULES, **rules}
    await casino.open(CLOSED_ROOM, **rules)
    await casino.close(CLOSED_ROOM)
    await casino.open(ROOM, **rules)
    for card in cards:
        assert (await casino.seat(card, ROOM)).is_success
    assert (await casino.http.post(f"{path_of(ROOM)}/start", json={})).is_success
    await casino.hands(2, ROOM)


class Arena(Casino):
    """A casino that plays in one room, has closed another, and has a free table."""

    def __init__(self, stack: AsyncExitStack, parts: Parts) -> None:
        key = {"authorization": f"Bearer {parts.operator_key}"} if parts.operator_key else {}
        super().__init__(httpx.AsyncClient(headers=key, trust_env=False, timeout=PATIENCE_S))
        self._stack = stack
        self._parts = parts
        self.lobby_url = ""
        self.tables_url = ""
        self.players: dict[str, str] = {}
        """Card URLs by name, as anybody may know them."""

    async def start(self) -> None:
        """Serve lobby, tables and players, and let them play."""
        await self._stack.enter_async_context(self.http)
        self.lobby_url = await self.serve(self._lobby)
        self.http.base_url = httpx.URL(self.lobby_url)
        for name in STYLES:
            url = await self.serve(partial(self._parts.player, name))
            self.players[name] = url + CARD_PATH
        self.tables_url = await self.serve(self._tables)  # the last to come is the first to go
        await eventually(self._tables_are_known, every=0.02)
        key = self._parts.player_key
        capability = f"{CAPABILITY_PATH}{key}" if key else ""
        cards = (card.replace(CARD_PATH, capability + CARD_PATH) for card in self.players.values())
        await begin(self, cards, seed=None)

    async def serve(self, build: Callable[[str], Service]) -> str:
        """Serve what `build` makes for its address, on a free port; returns the address."""
        listener = bind(_HOST, 0)
        url = url_of(_HOST, listener.getsockname()[1])
        service = build(url)
        if not self._parts.is_guarded:
            service.guarded = lambda app: app
            service.page_rules = None
        await self._stack.enter_async_context(service.running())
        await self._stack.enter_async_context(accepting(listener, service, self._parts.limits))
        self._stack.push_async_callback(service.finish)
        return url

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
            **self._parts.tables,
        }
        return build_tables(
            TableSettings.model_validate(settings), url, rules_of=self._parts.table_rules
        )

    async def _tables_are_known(self) -> bool:
        return len((await self.http.get("/v1/tables")).json()["tables"]) == 2


@asynccontextmanager
async def arena(parts: Parts | None = None) -> AsyncIterator[Arena]:
    """Run an arena."""
    async with AsyncExitStack() as stack:
        opened = Arena(stack, parts or Parts())
        await opened.start()
        yield opened
        await opened.close(ROOM)


async def attacked(
    attacks: Sequence[Attack],
    lobby_url: str,
    players: Iterable[str],
    operator_key: str | None,
    heard: Heard = lambda _heard: None,
    bindings: tuple[TriedBinding, ...] = BINDINGS,
) -> list[Result]:
    """Explore a casino and attack it, with a bot that the operator seated in its room."""
    traffic = Traffic(heard=heard)
    try:
        async with canaries(_HOST, heard) as new_canary:
            target = await learn(
                traffic, lobby_url, new_canary, players=list(players), operator_key=operator_key
            )
            target.bindings = bindings
            async with seated(target, ROOM, _HOST):
                return await run(target, attacks)
    finally:
        await traffic.close()
