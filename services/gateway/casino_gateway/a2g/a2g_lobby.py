"""Seats of logins: a login has one seat in a room, within what its links permit."""

from dataclasses import dataclass
from datetime import timedelta

from casino_gateway.a2g.a2g_codes import A2gCode, A2gLimits, A2gRefused, Clocks
from casino_gateway.a2g.a2g_sessions import LoginSessions
from casino_gateway.domain.login import Login
from casino_gateway.domain.updates import PlayerKind
from casino_gateway.seats.live_seat import LiveSeat
from casino_gateway.seats.seat_service import SeatService, WantedSeat
from casino_gateway.store.booking_rows import Bookings

_DAY = timedelta(days=1)


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

    def of(self, login: Login, room_id: str) -> LiveSeat | None:
        return self._seats.held(login.login_id, room_id)

    async def join(self, login: Login, order: JoinOrder) -> LiveSeat:
        """Take a seat; one that joins a room again gets the seat that it has."""
        async with self._seats.joining(login.login_id):
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
        held = self._seats.of_owner(login.login_id)
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
