"""Follows one seat of a login: its messages are published, its chips are booked."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from decimal import Decimal

import structlog
from casino_contracts import TableEvent
from casino_lobby_client.errors import LobbyAway
from casino_seats.turns import Question

from casino_gateway.a2g.limits import Clocks
from casino_gateway.a2g.session import SeatedTable, Session
from casino_gateway.a2g.table_messages import REQUESTS
from casino_gateway.domain.booking import Booking, SeatChips
from casino_gateway.domain.updates import Answered, Asked, Expired, RoomEvent, SeatClosed, Update
from casino_gateway.errors import Lagged, StoreFailed
from casino_gateway.store.bookings import Booked, Bookings

logger = structlog.get_logger(__name__)

_RETRY_S = 1.0
_HELD_PART = 0.25
"""A question waits at most this part of its time for the result before it."""


class Follower:
    """Follows a seat until it is given back, whether or not its owner is connected.

    After a restart of the gateway it continues with the event after the newest booked one.
    """

    def __init__(
        self,
        session: Session,
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
        """Follow until the seat is given back."""
        is_open = True
        while is_open:
            try:
                is_open = await self._follow()
            except Lagged:
                logger.info("a2g_follower_lagged", seat_id=self._seat.identity.seat_id)
            except LobbyAway as error:
                logger.warning("a2g_follower_waits", reason=str(error))
                await asyncio.sleep(_RETRY_S)

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
        """Send the question that is kept back."""
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
        """Book the chips that are given back, and forget the seat."""
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
                await asyncio.sleep(_RETRY_S)
            else:
                return


def _time_of(event: TableEvent, clocks: Clocks) -> datetime:
    try:
        at = datetime.fromisoformat(event.timestamp)
    except ValueError:
        return clocks.wall()
    return at if at.tzinfo else clocks.wall()
