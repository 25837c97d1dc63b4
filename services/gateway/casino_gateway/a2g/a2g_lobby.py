"""The lobby as A2G shows it to logins: games and rooms, and their seats.

Games and rooms are kept for a moment, so that many clients cost the lobby one.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Generic, TypeVar

import structlog
from casino_agentkit.bounded_state import LruDict
from casino_contracts import HOLDEM, ListedGame, RoomSnapshot
from casino_lobby_client.errors import LobbyAway, UnknownRoom

from casino_gateway.a2g.a2g_codes import A2gCode, A2gLimits, A2gRefused, Clocks
from casino_gateway.a2g.a2g_sessions import LoginSessions
from casino_gateway.domain.login import Login
from casino_gateway.domain.updates import PlayerKind
from casino_gateway.seats.live_seat import LiveSeat
from casino_gateway.seats.seat_service import SeatService, WantedSeat
from casino_gateway.store.booking_rows import Bookings

logger = structlog.get_logger(__name__)

_KEPT_S = 1.0
_ROOMS = 100
_AT_ONCE = 8

ValueT = TypeVar("ValueT")
_DAY = timedelta(days=1)
_LOCKS = 10_000


class ListedGames:
    """Games and rooms as A2G lists them. All methods raise LobbyAway."""

    def __init__(self, seats: SeatService, clocks: Clocks) -> None:
        self._seats = seats
        self._games = _Kept(seats.games, clocks)
        self._rooms = _Kept(self._read_rooms, clocks)
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

    def __init__(self, read: Callable[[], Awaitable[ValueT]], clocks: Clocks) -> None:
        self._read = read
        self._clocks = clocks
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
            now = self._clocks.monotonic()
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
    }


@dataclass(frozen=True, slots=True)
class JoinOrder:
    """What a client asks for when it joins a room."""

    room_id: str
    buy_in: float | None
    preferred_seat: int | None
    display_name: str | None
    kind: PlayerKind
    address: str


class LoginSeating:
    """Seats of logins. All methods raise CallFailed."""

    def __init__(
        self,
        seats: SeatService,
        sessions: LoginSessions,
        bookings: Bookings,
        limits: A2gLimits,
        clocks: Clocks,
    ) -> None:
        self._seats = seats
        self._sessions = sessions
        self._bookings = bookings
        self._limits = limits
        self._clocks = clocks
        self._joining = LruDict[str, asyncio.Lock](_LOCKS)

    def of(self, login: Login, room_id: str) -> LiveSeat | None:
        held = (seat for seat in self._seats.of_owner(login.login_id) if seat.closed is None)
        return next((seat for seat in held if seat.identity.room_id == room_id), None)

    async def join(self, login: Login, order: JoinOrder) -> LiveSeat:
        """Take a seat; one that joins a room again gets the seat that it has."""
        lock = self._joining.get(login.login_id)
        if lock is None:
            lock = asyncio.Lock()
            self._joining.put(login.login_id, lock)
        async with lock:
            held = self.of(login, order.room_id)
            if held is not None:
                return held
            match = await self._seats.match(order.room_id)
            after = (match.epoch, match.sequence)
            await self._check(login, match.game_type)
            taken = await self._seats.take(
                WantedSeat(
                    room_id=order.room_id,
                    display_name=order.display_name or login.display_name,
                    kind=order.kind,
                    buy_in=order.buy_in,
                    preferred_seat=order.preferred_seat,
                    owner=login.login_id,
                    address=order.address,
                )
            )
            await self._sessions.follow(login, taken.seat, after)
            return taken.seat

    async def leave(self, login: Login, room_id: str) -> LiveSeat:
        """Give a seat back: at once between hands, else after the hand."""
        seat = self.of(login, room_id)
        if seat is None:
            raise A2gRefused(A2gCode.TABLE_NOT_FOUND, "this login has no seat in this room")
        await self._seats.leave(seat)
        return seat

    async def _check(self, login: Login, game_type: str) -> None:
        """Raise A2gRefused if the login may not take another seat at this game."""
        held = [seat for seat in self._seats.of_owner(login.login_id) if seat.closed is None]
        if len(held) >= self._limits.seats_per_login:
            raise A2gRefused(
                A2gCode.NOT_PERMITTED,
                f"a login has at most {self._limits.seats_per_login} seats: leave one first",
            )
        allowed = login.permissions
        if allowed.allowed_games is not None and game_type not in allowed.allowed_games:
            raise A2gRefused(
                A2gCode.NOT_PERMITTED, f"permissions.allowedGames: {game_type} is not among them"
            )
        if allowed.daily_loss_limit is None:
            return
        lost = await self._bookings.lost_since(login.login_id, self._clocks.wall() - _DAY)
        if lost >= allowed.daily_loss_limit:
            raise A2gRefused(
                A2gCode.NOT_PERMITTED,
                "permissions.dailyLossLimit: is reached; try again when 24 hours are over",
            )
