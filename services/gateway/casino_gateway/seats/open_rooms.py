"""The lobby as everybody sees it through the gateway: open rooms only, and a share of its calls."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Final

import httpx
from casino_agentkit import Waits
from casino_agentkit.authority import caller
from casino_agentkit.network import network_of
from casino_contracts import (
    CreateRoomInput,
    Reason,
    RegisteredPlayer,
    RegisterPlayerInput,
    RoomSnapshot,
    RoomSummary,
)
from casino_lobby_client.errors import CallRefused, UnknownRoom
from casino_lobby_client.lobby_client import Json, LobbyClient

_AT_ONCE: Final = 16
"""Commands at the lobby at once; others wait."""
_PER_NETWORK: Final = 8
"""Of them, those of one network, so that the others keep as many."""
_WAITING: Final = 64
"""Commands of one network, running or waiting."""
_TOO_MANY: Final = 429


class OpenRooms(LobbyClient):
    """Hides rooms whose seats are not open, and refuses them like unknown ones.

    Commands are counted by the network of whoever sent the request. Beyond its share a command
    waits, and beyond 64 of them raises CallRefused (TOO_MANY_REQUESTS); so does a room beyond
    `rooms_each` (TOO_MANY_ROOMS).
    """

    def __init__(
        self,
        http: httpx.AsyncClient,
        *,
        seating: timedelta,
        rooms_each: int,
        waits: Waits | None = None,
    ) -> None:
        super().__init__(http, seating=seating, waits=waits)
        self._rooms_each = rooms_each
        self._opened: dict[str, set[str]] = {}
        self._opening: Counter[str] = Counter()
        self._commands: Counter[str] = Counter()
        self._in_all = asyncio.Semaphore(_AT_ONCE)
        self._of_one: dict[str, asyncio.Semaphore] = defaultdict(
            lambda: asyncio.Semaphore(_PER_NETWORK)
        )

    async def open_rooms(self) -> list[RoomSummary]:
        """Return the rooms with open seats, oldest first."""
        return [room for room in await super().open_rooms() if room.seats != "invited"]

    async def room(self, room_id: str) -> RoomSnapshot:
        room = await super().room(room_id)
        if room.seats == "invited":
            raise UnknownRoom(f"The lobby has no open room {room_id}.")
        return room

    async def register(
        self, player: RegisterPlayerInput, *, key: str | None = None
    ) -> RegisteredPlayer:
        await self.room(player.room_id)
        async with self._command():
            return await super().register(player, key=key)

    async def create_room(self, order: CreateRoomInput | Json) -> RoomSnapshot:
        network = network_of(caller().address)
        open_now = {room.room_id for room in await super().open_rooms()}
        self._opened = {who: left for who, had in self._opened.items() if (left := had & open_now)}
        if len(self._opened.get(network, ())) + self._opening[network] >= self._rooms_each:
            raise CallRefused(
                Reason.TOO_MANY_ROOMS,
                f"Your address has {self._rooms_each} rooms open or being opened, which is its"
                " share of this gateway (CASINO_GATEWAY_ROOMS_PER_ADDRESS); play in one of them.",
                _TOO_MANY,
            )
        self._opening[network] += 1
        try:
            async with self._command():
                room = await super().create_room(order)
            self._opened.setdefault(network, set()).add(room.room_id)
        finally:
            self._opening[network] -= 1
        return room

    @asynccontextmanager
    async def _command(self) -> AsyncIterator[None]:
        network = network_of(caller().address)
        if self._commands[network] >= _WAITING:
            raise CallRefused(
                Reason.TOO_MANY_REQUESTS,
                f"Your address has {_WAITING} commands in progress, which is its share of this"
                " gateway; wait until some are answered.",
                _TOO_MANY,
            )
        self._commands[network] += 1
        try:
            async with self._of_one[network], self._in_all:
                yield
        finally:
            self._commands[network] -= 1
            if not self._commands[network]:
                del self._commands[network], self._of_one[network]
