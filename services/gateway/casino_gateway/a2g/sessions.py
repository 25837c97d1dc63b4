"""Sessions of this process: opened, followed, warned, and their seats given back in time."""

import asyncio
from datetime import timedelta

import structlog
from casino_agentkit.process.background_tasks import BackgroundTasks
from casino_lobby_client.errors import CallFailed, LobbyAway

from casino_gateway.a2g.codes import Code
from casino_gateway.a2g.connection import REFUSED
from casino_gateway.a2g.envelope import Draft
from casino_gateway.a2g.follower import Follower
from casino_gateway.a2g.limits import A2gLimits, Clocks
from casino_gateway.a2g.session import SeatedTable, Session
from casino_gateway.a2g.table_messages import TableMessages
from casino_gateway.domain.login import WARNING, Login
from casino_gateway.seats.live_seat import LiveSeat
from casino_gateway.seats.seat_service import SeatService
from casino_gateway.store.bookings import Bookings
from casino_gateway.store.logins import Logins

logger = structlog.get_logger(__name__)

_EVERY_S = 0.5
_WINDOWS = "phase_based"
_NOTED_S = 60.0
"""How often it is stored that a connected client was heard."""
_RETRY_S = 5.0
_SPARE = 1_000
"""With fewer sequences than this, more are reserved."""


class Sessions:
    """The sessions of logins that are connected, or have a seat."""

    def __init__(
        self,
        seats: SeatService,
        logins: Logins,
        bookings: Bookings,
        limits: A2gLimits,
        clocks: Clocks,
    ) -> None:
        self._seats = seats
        self._logins = logins
        self._bookings = bookings
        self._limits = limits
        self._clocks = clocks
        self._open: dict[str, Session] = {}
        self._reserved: dict[str, int] = {}
        self._models: dict[str, str] = {}
        self._noted: dict[str, float] = {}
        self._retry_at: dict[str, float] = {}
        self._opening = asyncio.Lock()
        self._tasks = BackgroundTasks()

    async def start(self) -> None:
        """Follow the seats of before a restart; their owners have the time to come back."""
        for login in await self._logins.current(self._clocks.wall()):
            if self._seats.of_owner(login.login_id):
                await self.open(login)
        self._tasks.begin(self._sweep_forever())

    async def stop(self) -> None:
        """Close all sockets; the seats are kept."""
        await self._tasks.end()
        for session in self._open.values():
            session.close(1001, "the gateway stops")

    async def open(self, login: Login) -> Session:
        """Return a login's session, which follows its seats. Raises StoreFailed."""
        async with self._opening:
            session = self._open.get(login.login_id)
            if session is None:
                sequences = await self._logins.reserve(login.login_id)
                session = Session(login, sequences.start, self._clocks)
                self._reserved[login.login_id] = sequences.stop
                for seat in self._seats.of_owner(login.login_id):
                    if seat.closed is None:
                        await self._follow(session, seat)
                self._open[login.login_id] = session
            session.login = login
            return session

    async def follow(self, login: Login, seat: LiveSeat, after: tuple[int, int]) -> SeatedTable:
        """Follow a new seat of a login from an event (epoch, sequence) on. Raises StoreFailed."""
        session = await self.open(login)
        table = session.tables.get(seat.identity.room_id)
        if table is None:
            await self._is_window(seat)
            table = await self._follow(session, seat, after)
        return table

    async def _follow(
        self, session: Session, seat: LiveSeat, after: tuple[int, int] = (0, 0)
    ) -> SeatedTable:
        table = SeatedTable(seat, TableMessages(seat.match))
        table.messages.is_window = self._models.get(seat.identity.game_type) == _WINDOWS
        follower = Follower(session, table, self._bookings, self._clocks, self._limits.hold)
        booked = await self._bookings.booked(seat.identity.seat_id)
        if booked is None:
            follower.begin_after(*after)
        else:
            follower.begin_after(*booked)
        session.add(table)
        self._tasks.begin(self._run(follower, session, table))
        return table

    async def _run(self, follower: Follower, session: Session, table: SeatedTable) -> None:
        try:
            table.messages.is_window = await self._is_window(table.seat)
            await follower.run()
        finally:
            session.tables.pop(table.table_id, None)

    async def _is_window(self, seat: LiveSeat) -> bool:
        """Return whether a seat's game is phase-based; waits for the lobby, which knows it."""
        game_type = seat.identity.game_type
        while game_type not in self._models and seat.closed is None:
            try:
                games = await self._seats.games()
            except LobbyAway as error:
                logger.warning("a2g_game_unknown", game_type=game_type, reason=str(error))
                await asyncio.sleep(_RETRY_S)
            else:
                self._models |= {game.game_type: game.game_model for game in games}
                self._models.setdefault(game_type, "turn_based")
        return self._models.get(game_type) == _WINDOWS

    async def _sweep_forever(self) -> None:
        while True:
            await asyncio.sleep(_EVERY_S)
            for login_id, session in list(self._open.items()):
                try:
                    await self._sweep(login_id, session)
                except CallFailed as error:
                    logger.warning("a2g_sweep_failed", reason=str(error))

    async def _sweep(self, login_id: str, session: Session) -> None:
        now = self._clocks.monotonic()
        if session.sequence > self._reserved[login_id] - _SPARE:
            self._reserved[login_id] = (await self._logins.reserve(login_id)).stop
        if session.is_connected:
            await self._watch(login_id, session, now)
        elif now - session.lost_at >= self._limits.reconnect:
            await self._release(login_id, session, now)

    async def _watch(self, login_id: str, session: Session, now: float) -> None:
        """Look after a connected session: heartbeat, warning, end, and when it was heard."""
        wall = self._clocks.wall()
        login = session.login
        if login.is_over(wall):
            payload = {"code": Code.AUTH_EXPIRED, "message": "the login is over: sign in again"}
            session.error({**payload, "relatedMessageId": None})
            session.close(REFUSED, "the login is over")
            return
        if wall >= login.ends_at - WARNING - timedelta(seconds=1):
            session.warn()
        if now - session.heartbeat_at >= self._limits.heartbeat:
            session.heartbeat_at = now
            session.publish(Draft("heartbeat", {"direction": "ping"}))
        if now - self._noted.get(login_id, 0.0) >= _NOTED_S:
            self._noted[login_id] = now
            await self._logins.heard(login_id, login.heard_at)

    async def _release(self, login_id: str, session: Session, now: float) -> None:
        """Give the seats of a client back that did not come back in time."""
        if not session.tables:
            for kept in (self._open, self._reserved, self._noted, self._retry_at):
                kept.pop(login_id, None)
            return
        if now < self._retry_at.get(login_id, 0.0):
            return
        self._retry_at[login_id] = now + _RETRY_S
        for table in list(session.tables.values()):
            await self._seats.leave(table.seat)
