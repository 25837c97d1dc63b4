"""Sessions of this process: opened, warned, and their seats followed and given back in time."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from decimal import Decimal

import structlog
from casino_agentkit.process.background_tasks import BackgroundTasks
from casino_contracts import TableEvent
from casino_lobby_client.errors import CallFailed, LobbyAway
from casino_seats.turns import Question

from casino_gateway.a2g.a2g_codes import A2gCode, A2gLimits, Clocks
from casino_gateway.a2g.a2g_frames import REFUSED, MessageDraft
from casino_gateway.a2g.a2g_session import LoginSession, SeatedTable
from casino_gateway.a2g.a2g_table_messages import REQUESTS, TableMessages
from casino_gateway.domain.booking import Booking, SeatChips
from casino_gateway.domain.login import WARNING, Login
from casino_gateway.domain.updates import Answered, Asked, Expired, RoomEvent, SeatClosed, Update
from casino_gateway.errors import ListenerLagged, StoreFailed
from casino_gateway.seats.live_seat import LiveSeat
from casino_gateway.seats.seat_service import SeatService
from casino_gateway.store.booking_rows import Booked, Bookings
from casino_gateway.store.login_rows import Logins

logger = structlog.get_logger(__name__)

_STORE_RETRY_S = 1.0
_HELD_PART = 0.25
"""A question waits at most this part of its time for the result before it."""
_EVERY_S = 0.5
_WINDOWS = "phase_based"
_NOTED_S = 60.0
"""How often it is stored that a connected client was heard."""
_RETRY_S = 5.0
_SPARE = 1_000
"""With fewer sequences than this, more are reserved."""


class SeatFollower:
    """Follows a seat until it is given back, from the event after the newest booked one on."""

    def __init__(
        self,
        session: LoginSession,
        table: SeatedTable,
        bookings: Bookings,
        clocks: Clocks,
        hold_s: float,
    ) -> None:
        self._session = session
        self._table = table
        self._seat = table.seat
        self._bookings = bookings
        self._clocks = clocks
        self._hold_s = hold_s
        self._chips = SeatChips(self._seat.identity.player_id)
        self._at = (0, 0)
        self._requested: str | None = None
        self._timer: asyncio.TimerHandle | None = None

    def begin_after(self, epoch: int, sequence: int, stack: Decimal | None = None) -> None:
        """Continue after an event, which left the seat with a stack."""
        self._at = (epoch, sequence)
        self._chips.stack = stack

    async def run(self) -> None:
        is_open = True
        while is_open:
            try:
                is_open = await self._follow()
            except ListenerLagged:
                logger.info("a2g_follower_lagged", seat_id=self._seat.identity.seat_id)
            except LobbyAway as error:
                logger.warning("a2g_follower_waits", reason=str(error))
                await asyncio.sleep(_STORE_RETRY_S)

    async def _follow(self) -> bool:
        epoch, sequence = self._at
        after = sequence if self._seat.match.epoch == epoch else 0
        with self._seat.listen(after) as updates:
            async for update in updates:
                if isinstance(update, RoomEvent):
                    event = update.event
                    self._at = (event.epoch or self._at[0], event.sequence or self._at[1])
                self._publish(update)
                match update:
                    case RoomEvent(event):
                        await self._book(event)
                    case SeatClosed():
                        await self._end()
                        return False
        return False

    def _publish(self, update: Update) -> None:
        match update:
            case Asked(question):
                self._hold(question)
            case Answered(question) | Expired(question) if question is self._table.held:
                self._drop()
        if not isinstance(update, Asked):
            for draft in self._table.messages.of(update, self._clocks.monotonic()):
                self._session.publish(draft, is_kept=draft.kind not in REQUESTS)
        held = self._table.held
        if held is not None and self._table.messages.has_results_before(held):
            self._release()

    def _hold(self, question: Question) -> None:
        """Keep a question back until the results of earlier hands were sent, which may be later."""
        if question.request_id == self._requested:
            return
        self._requested = question.request_id
        self._drop()
        self._table.held = question
        left_s = question.left_ms(self._clocks.monotonic()) / 1000
        at_most = min(self._hold_s, left_s * _HELD_PART)
        self._timer = asyncio.get_running_loop().call_later(at_most, self._late)

    def _late(self) -> None:
        """Send the question though the result of an earlier hand did not come in time."""
        logger.info("a2g_question_held_in_vain", seat_id=self._seat.identity.seat_id)
        self._release()

    def _release(self) -> None:
        held = self._table.held
        self._drop()
        if held is not None:
            self._session.ask(self._table, held)

    def _drop(self) -> None:
        self._table.held = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def _book(self, event: TableEvent) -> None:
        made = self._chips.fold(event)
        if made is not None or event.event_type == "hand_completed":
            await self._store(made, _time_of(event, self._clocks))

    async def _end(self) -> None:
        made = self._chips.close()
        if made is not None:
            self._at = (self._at[0], self._at[1] + 1)  # no event says it, so it has its own number
            await self._store(made, self._clocks.wall())
        await self._until_stored(
            lambda: self._bookings.forget(self._seat.identity.seat_id, self._clocks.wall())
        )

    async def _store(self, made: Booking | None, at: datetime) -> None:
        until = Booked(*self._at, self._chips.stack)
        await self._until_stored(lambda: self._bookings.add(self._seat.identity, until, made, at))

    @staticmethod
    async def _until_stored(write: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                await write()
            except StoreFailed as error:
                logger.warning("a2g_booking_waits", reason=str(error))
                await asyncio.sleep(_STORE_RETRY_S)
            else:
                return


def _time_of(event: TableEvent, clocks: Clocks) -> datetime:
    try:
        at = datetime.fromisoformat(event.timestamp)
    except ValueError:
        return clocks.wall()
    return at if at.tzinfo else clocks.wall()


class LoginSessions:
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
        self._open: dict[str, LoginSession] = {}
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

    async def open(self, login: Login) -> LoginSession:
        async with self._opening:
            session = self._open.get(login.login_id)
            if session is None:
                sequences = await self._logins.reserve(login.login_id)
                session = LoginSession(login, sequences.start, self._clocks)
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
        self, session: LoginSession, seat: LiveSeat, after: tuple[int, int] = (0, 0)
    ) -> SeatedTable:
        table = SeatedTable(seat, TableMessages(seat.match))
        table.messages.is_window = self._models.get(seat.identity.game_type) == _WINDOWS
        follower = SeatFollower(session, table, self._bookings, self._clocks, self._limits.hold)
        booked = await self._bookings.booked(seat.identity.seat_id)
        if booked is None:
            follower.begin_after(*after)
        else:
            follower.begin_after(*booked)
        session.add(table)
        self._tasks.begin(self._run(follower, session, table))
        return table

    async def _run(self, follower: SeatFollower, session: LoginSession, table: SeatedTable) -> None:
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

    async def _sweep(self, login_id: str, session: LoginSession) -> None:
        now = self._clocks.monotonic()
        if session.sequence > self._reserved[login_id] - _SPARE:
            self._reserved[login_id] = (await self._logins.reserve(login_id)).stop
        if session.is_connected:
            await self._watch(login_id, session, now)
        elif now - session.lost_at >= self._limits.reconnect:
            await self._release(login_id, session, now)

    async def _watch(self, login_id: str, session: LoginSession, now: float) -> None:
        """Look after a connected session: heartbeat, warning, end, and when it was heard."""
        wall = self._clocks.wall()
        login = session.login
        if login.is_over(wall):
            payload = {"code": A2gCode.AUTH_EXPIRED, "message": "the login is over: sign in again"}
            session.error({**payload, "relatedMessageId": None})
            session.close(REFUSED, "the login is over")
            return
        if wall >= login.ends_at - WARNING - timedelta(seconds=1):
            session.warn()
        if now - session.heartbeat_at >= self._limits.heartbeat:
            session.heartbeat_at = now
            session.publish(MessageDraft("heartbeat", {"direction": "ping"}))
        if now - self._noted.get(login_id, 0.0) >= _NOTED_S:
            self._noted[login_id] = now
            await self._logins.heard(login_id, login.heard_at)

    async def _release(self, login_id: str, session: LoginSession, now: float) -> None:
        """Give the seats of a client back that did not come back in time."""
        if not session.tables:
            for kept in (self._open, self._reserved, self._noted, self._retry_at):
                kept.pop(login_id, None)
            return
        if now < self._retry_at.get(login_id, 0.0):
            return
        self._retry_at[login_id] = now + _RETRY_S
        for table in list(session.tables.values()):
            await self._seats.leave(table.seat, "away")
