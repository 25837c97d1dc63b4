"""The lobby's games and open rooms, as people and programs look for a seat in them.

Both are kept for a moment, so that many clients cost the lobby one.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Generic, TypeAlias, TypeVar

import structlog
from casino_contracts import HOLDEM, ListedGame, RoomSnapshot
from casino_lobby_client.errors import LobbyAway, UnknownRoom

from casino_gateway.seats.seat_service import SeatService

logger = structlog.get_logger(__name__)

_KEPT_S = 1.0
_ROOMS = 100
_AT_ONCE = 8

Now: TypeAlias = Callable[[], float]
"""The seconds of a monotonic clock."""
ValueT = TypeVar("ValueT")


class ListedGames:
    """Games and rooms as a protocol lists them. All methods raise LobbyAway."""

    def __init__(self, seats: SeatService, now: Now) -> None:
        self._seats = seats
        self._games = _Kept(seats.games, now)
        self._rooms = _Kept(self._read_rooms, now)
        self._supported: list[str] = []
        self._slots = asyncio.Semaphore(_AT_ONCE)

    async def offered(self) -> Sequence[ListedGame]:
        return await self._games.get()

    async def supported(self) -> list[str]:
        """Return the types of the games, the last known ones while the lobby is unreachable."""
        try:
            self._supported = [game.game_type for game in await self.offered()]
        except LobbyAway as error:
            logger.warning("a2g_games_unknown", reason=str(error))
        return self._supported

    async def rooms(self) -> Sequence[dict[str, Any]]:
        """Return the newest open rooms, as A2G's lobby lists them."""
        return await self._rooms.get()

    async def _read_rooms(self) -> Sequence[dict[str, Any]]:
        listed = (await self._seats.rooms())[-_ROOMS:]
        read = await asyncio.gather(*(self._read_room(room.room_id) for room in listed))
        rooms = [room for room in read if room is not None]
        kept = {game.game_type for game in self._games.last or ()}
        if any(room["gameType"] not in kept for room in rooms):
            await self._games.forget()  # who sees a room finds its game
        return rooms

    async def _read_room(self, room_id: str) -> dict[str, Any] | None:
        async with self._slots:
            try:
                return _room(await self._seats.room(room_id))
            except UnknownRoom:
                return None


class _Kept(Generic[ValueT]):
    """A value that is read again when it is older than a second, by one caller for all."""

    def __init__(self, read: Callable[[], Awaitable[ValueT]], now: Now) -> None:
        self._read = read
        self._now = now
        self._value: tuple[float, ValueT] | None = None
        self._reading = asyncio.Lock()

    @property
    def last(self) -> ValueT | None:
        return None if self._value is None else self._value[1]

    async def forget(self) -> None:
        async with self._reading:
            self._value = None

    async def get(self) -> ValueT:
        async with self._reading:
            now = self._now()
            if self._value is None or now - self._value[0] >= _KEPT_S:
                self._value = (now, await self._read())
            return self._value[1]


def _room(room: RoomSnapshot) -> dict[str, Any]:
    config, summary = room.config, room.summary
    players = summary.players if summary else ()
    is_playing = summary is not None and summary.status == "running"
    return {
        "id": room.room_id,
        "gameType": room.game_type or HOLDEM,
        "playerCount": len(players),
        "maxPlayers": config.max_seats,
        "minBuyin": config.min_buy_in,
        "maxBuyin": config.max_buy_in,
        "smallBlind": config.small_blind,
        "bigBlind": config.big_blind,
        "gameStatus": "playing" if is_playing else "waiting",
        "players": [
            {
                "playerId": player.player_id,
                "address": None,
                "displayName": player.display_name,
                "seatNumber": player.seat_number,
                "chips": player.stack,
                "status": "active",
            }
            for player in players
        ],
        "participantType": "mixed",
        "provablyFair": room.fair is not None,
    }
