"""Commands of one table agent: configure, seat, start, leave, close, and its queries."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

import structlog
from casino_agentkit import AgentClient, CommandRefused
from casino_agentkit.process.background_tasks import BackgroundTasks
from casino_contracts import (
    ConfigureTableInput,
    HandRecord,
    HandRecordInput,
    LeaveTableInput,
    PlayerRegisteredPayload,
    PlayerSeat,
    Reason,
    RoomKey,
    SeatPlayerInput,
    StartGameInput,
    TableSummary,
)
from casino_games.shuffle import derive_seed
from casino_play.turn import Clock, PlayerDirectory

from casino_table.delivery.event_publisher import EventDelivery, Publisher
from casino_table.domain.admission import seat_for, session_start
from casino_table.domain.lease import Lease
from casino_table.errors import JournalFailed
from casino_table.hand_record import record_of
from casino_table.journal.journal import MAX_UNDELIVERED, Journal, TableFact
from casino_table.journal.journal_log import CONFIGURED, Log
from casino_table.metrics import TableGauges, TableMetrics
from casino_table.play.between_hands import departures, session_opening
from casino_table.play.changes import (
    JournaledTable,
    PlayerLeaving,
    PlayerSeated,
    TableClosing,
    decisions_in,
    recover,
)
from casino_table.play.hand_notices import NoticeSender
from casino_table.play.session import Session
from casino_table.running_table import CLOSED, ActiveTable, CompletedHand
from casino_table.setup import is_reset, is_same, opening, reset, table_of

FLUSH_LIMIT = timedelta(seconds=12)
"""Longer than two delivery timeouts: the reply to the first delivery may be lost."""

logger = structlog.get_logger(__name__)


@dataclass(frozen=True)
class TableDependencies:
    """Dependencies that all tables of a process share.

    `entropy` returns a fresh secret seed. Play pauses above `max_undelivered` events.
    """

    client: AgentClient
    clock: Clock
    delivery: EventDelivery
    entropy: Callable[[], str]
    metrics: TableMetrics
    max_undelivered: int = MAX_UNDELIVERED


class TableLifecycle:
    """Holds the served table and its tasks; at most one table at a time."""

    def __init__(self, dependencies: TableDependencies, log: Log) -> None:
        self._dependencies = dependencies
        self.log = log
        self.players = PlayerDirectory(dependencies.client)
        self.notices = NoticeSender(self.players, dependencies.clock)
        self.active: ActiveTable | None = None
        self.last_hand: CompletedHand | None = None
        """The last hand of the most recently closed table."""
        self.is_draining = False
        """Whether the process ends: no other room is taken, no session is begun."""
        self._endings = BackgroundTasks(_log_failure)

    def now(self) -> float:
        """Return the seconds of the table's clock."""
        return self._dependencies.clock.now()

    def refuse_while_draining(self) -> None:
        """Raise CommandRefused: TABLE_BUSY, if the process ends."""
        if self.is_draining:
            raise CommandRefused(
                Reason.TABLE_BUSY, "The process of this table ends; use another table."
            )

    async def resume(self) -> None:
        """Recover the table from its journal and go on with the same hand and decision."""
        _epoch, records = self.log.tail()
        if not records:
            return
        recovered = recover(records)
        active = self.activate(recovered, Lease.of_journal(recovered.configuration.lease_ms))
        active.redeliver_last()  # by its number the lobby sees whether the journal lost its tail
        logger.info(
            "table_resumed",
            table=active.table.table_id,
            hand=active.table.hand_number,
            decisions=len(decisions_in(records)),
        )
        if active.table.status == "running":
            self.play(active)
        if active.table.is_closing:
            self.end(active)

    def activate(self, state: JournaledTable, lease: Lease) -> ActiveTable:
        """Serve a table under a lease, and publish its events."""
        table = state.table
        journal = Journal(
            table.table_id,
            table.epoch,
            self._dependencies.clock.timestamp,
            self.log,
            self._dependencies.max_undelivered,
        )
        publisher = Publisher(
            journal,
            state.configuration.casino_callback,
            self._dependencies.delivery,
            self._on_refused,
            self._dependencies.metrics,
        )
        publisher.start()
        self.active = ActiveTable(state, journal, publisher, lease)
        return self.active

    def _session(self, active: ActiveTable) -> Session:
        config = active.table.config
        secret = config.seed
        return Session(
            active.state,
            active.journal,
            self.players,
            self._dependencies.clock,
            lease=active.lease,
            seed_of=lambda number: (
                derive_seed(secret, "hand", str(config.deck_of(number)))
                if secret
                else self._dependencies.entropy()
            ),
            metrics=self._dependencies.metrics,
            notices=self.notices,
        )

    def play(self, active: ActiveTable) -> None:
        """Play a session, or go on with the recovered one, in a task."""
        active.session = self._session(active)
        active.playing = asyncio.create_task(active.session.run())

    async def end_session(self, active: ActiveTable) -> None:
        """End a running session after its hand, and wait for that."""
        while active.session and active.playing and not active.playing.done():
            active.session.ends_after_hand = True
            await asyncio.wait([active.playing])

    def end(self, active: ActiveTable) -> None:
        """Close the table after the running hand, without waiting for it."""
        if active.session:
            active.session.ends_after_hand = True
        active.closing = self._endings.begin(self._closed(active))

    async def _closed(self, active: ActiveTable) -> None:
        if active.playing:
            await asyncio.wait([active.playing])
        if active.table.state != CLOSED:  # else the event was committed before a restart
            await active.cash_out_all(self._dependencies.clock)
        # No timeout: the lobby needs the final stacks, however long it is unreachable.
        if await active.publisher.flush(None) and self.active is active:
            # The lobby may request this record after it received the last event.
            self.last_hand = active.last_hand()
            self.log.forget()
            active.closing = None  # the current task, which `release` must not cancel
            await self.release()

    async def release(self) -> None:
        """Stop serving the table; undelivered events stay in the journal."""
        active, self.active = self.active, None
        if active is not None:
            await active.end()

    async def wait_idle(self) -> None:
        """Wait until no session runs and the lobby has confirmed, or refused, all events."""
        active = self.active
        if active is None:
            return
        if active.playing:
            await asyncio.wait([active.playing])
        await active.publisher.flush(None)

    def _on_refused(self, reason: str) -> None:
        """Stop play: the lobby permanently refuses the events of this table.

        Hands that the lobby has not recorded are void. A room that continues at another table frees
        this one; without a lease the room is this table's, and its lobby begins a new epoch here.
        """
        active = self.active
        if active is None:
            return
        has_moved = reason == Reason.STALE_EPOCH and active.is_leased
        if has_moved or reason == Reason.ROOM_CLOSED:  # the lobby has the record
            self.free(active)
            return
        if active.playing:
            active.playing.cancel()
        message = f"the lobby refuses the events of this table: {reason}"
        active.table.stop(message, "replaced")
        logger.error("table_replaced", table=active.table.table_id, reason=reason)

    def free(self, active: ActiveTable) -> None:
        """Stop play for good and forget the room: it is closed, or continues at another table."""
        if self.active is not active:
            return
        self.active = None
        active.lease.surrender()
        self.log.forget()
        self._endings.begin(active.end())
        logger.warning("room_released", table=active.table.table_id, epoch=active.table.epoch)

    async def drain(self, limit: timedelta) -> bool:
        """Finish the running hand before the process ends; return whether the lobby has its events.

        The session of a leased room is suspended: it continues at another table. So is that of a
        durable journal: it continues after the restart. Any other session ends.
        A hand that takes longer than `limit` stops at its decision. With a durable journal it can
        be resumed; otherwise it is cancelled, and the stacks are as before it.
        """
        self.is_draining = True
        active = self.active
        if active is None:
            return True
        if active.session and active.playing:
            if active.journal.is_durable or active.is_leased:
                active.session.suspends_after_hand = True
            else:
                active.table.begin_closing()
                active.session.ends_after_hand = True
            _, pending = await asyncio.wait([active.playing], timeout=limit.total_seconds())
            if pending:
                active.playing.cancel()
                await asyncio.wait(pending)
        if active.is_leased:
            active.lease.surrender()
        return await active.publisher.flush(FLUSH_LIMIT)


def _log_failure(error: BaseException) -> None:
    logger.error("close_failed", error=repr(error))


class TableService:
    """Serve at most one table at a time, which `lifecycle` holds."""

    def __init__(self, lifecycle: TableLifecycle) -> None:
        self._log = lifecycle.log
        self._lifecycle = lifecycle

    @property
    def _active(self) -> ActiveTable | None:
        return self._lifecycle.active

    @property
    def table_id(self) -> str | None:
        """The id of the served table; None: no table is configured."""
        return self._active.table.table_id if self._active else None

    @property
    def room_key(self) -> RoomKey | None:
        """The key of the served room; None: no room, or a room without a key."""
        return self._active.room_key if self._active else None

    @property
    def epoch(self) -> int | None:
        """The epoch of the served table."""
        return self._active.table.epoch if self._active else None

    @property
    def served(self) -> ActiveTable | None:
        """The epoch of the room that is served now."""
        return self._active

    @property
    def is_free(self) -> bool:
        """Whether another room may take this table: no seat is taken, no session or lease runs."""
        return self._active is None or self._active.is_free(self._lifecycle.now())

    def record_key(self, hand_id: str) -> RoomKey | None:
        """Return the key of the room in which a hand was played; None if the room has none."""
        last = self._closed_hand(hand_id)
        return last.room_key if last else self.room_key

    def gauges(self) -> TableGauges:
        """Return the values of this table for the metrics of the process."""
        now = self._lifecycle.now()
        return self._active.gauges(now) if self._active else TableGauges("free")

    async def resume(self) -> None:
        """Recover the table from its journal and go on with the same hand and decision."""
        await self._lifecycle.resume()

    async def configure(
        self, request: ConfigureTableInput, *, is_owner: bool = True
    ) -> TableSummary:
        """Configure the table of a room.

        `is_owner`: the caller has the right of the served room. Otherwise the hand records of the
        previous room are deleted.

        Repeated with the same table, epoch and config, it returns the same summary and updates the
        callback. The newest event is delivered again, so that a lobby with lost events replays.
        A higher epoch from the same lobby replaces the table, with the seats of the request.
        Without an epoch the same lobby resets the table, after the running hand.
        Raises CommandRefused: TABLE_BUSY, CLOSING, HAND_RUNNING, JOURNAL_FAILED, and those of
        `table_of`.
        """
        arrived_at, active = self._lifecycle.now(), self._active
        if active is not None:
            if is_reset(active.configuration, request) and not active.publisher.is_refused:
                return await self._reset(request)
            if is_same(active.configuration, request):
                active.configure_again(request, arrived_at)
                return active.summary()
            active.refuse_unless_free(request, arrived_at)
        self._lifecycle.refuse_while_draining()
        table = table_of(request)
        await self._lifecycle.release()
        try:
            if active is None or active.table.table_id != table.table_id or not is_owner:
                self._log.forget()
            lease = Lease.of_configuration(arrived_at, request.lease_ms)
            active = self._lifecycle.activate(JournaledTable(request, table), lease)
            active.journal.commit(active.state.record(CONFIGURED), opening(request, table))
        except JournalFailed as failed:
            await self._lifecycle.release()
            raise _journal_refusal(failed) from failed
        logger.info("table_configured", table=table.table_id, epoch=table.epoch)
        return active.summary()

    async def _reset(self, request: ConfigureTableInput) -> TableSummary:
        """Reset the table: the running hand is played to its end, and all seats are given back.

        The protocol document knows no refusal of `configureTable` and no later attempt: where it
        replies, the table is reset. So the reply waits for the hand, which the players' clock
        bounds.
        """
        active = self._open()
        table_of(request)  # refused before play is interrupted
        await self._lifecycle.end_session(active)
        if self._open() is not active:
            raise CommandRefused(
                Reason.TABLE_BUSY, "The table was taken meanwhile; use another table."
            )
        if active.state.hand is not None:
            raise CommandRefused(
                Reason.HAND_RUNNING, "The running hand was interrupted; try again when it is over."
            )
        state, facts = reset(active.state, request)
        vacated = active.table.seats.values()
        with _refusing():
            active.reset(state, facts)
        for seat in vacated:
            self._lifecycle.players.forget(seat.card_url)
        logger.info("table_reset", table=state.table.table_id, seats=len(vacated))
        return active.summary()

    async def register(self, player: SeatPlayerInput) -> PlayerSeat:
        """Seat a player; a seated player keeps the seat. Does not wait for a session.

        Raises CommandRefused: NOT_CONFIGURED, CLOSING, JOURNAL_FAILED, and those of `seat_for`.
        """
        active = self._open()
        seat, is_new = seat_for(active.table, player)
        seated = active.table.player_seat(seat)
        if is_new:
            self._lifecycle.players.forget(seat.card_url)
            payload = PlayerRegisteredPayload(
                **seated.model_dump(by_alias=False),
                agent_card_url=seat.card_url,
                action_skill=seat.action_skill,
                plays_any_game=seat.plays_any_game or None,
                clock_ms=seat.clock_ms,
            )
            message = f"{seat.display_name} takes seat {seat.number} with {seated.stack}"
            fact = TableFact("player_registered", message, payload)
            with _refusing():
                active.commit(PlayerSeated(player), [fact])
        return seated

    async def leave(self, request: LeaveTableInput) -> TableSummary:
        """Free a player's seat: at once between hands, else after the running hand.

        Raises CommandRefused: NOT_CONFIGURED, UNKNOWN_PLAYER, JOURNAL_FAILED.
        """
        active = self._configured()
        active.table.seat_of(request.player_id)  # raises UNKNOWN_PLAYER
        leaving = PlayerLeaving(request.player_id)
        with _refusing():
            if active.is_playing:
                active.commit(leaving)
            else:
                after = active.state.copy()
                leaving.apply(after)
                active.replace(after, "left", departures(after.table))
        return active.summary()

    async def start(self, start: StartGameInput) -> TableSummary:
        """Begin a session without waiting for its end; idempotent by `requestId`.

        Raises CommandRefused: NOT_CONFIGURED, CLOSING, JOURNAL_FAILED, and those of
        `session_start`.
        """
        active = self._open()
        if start.request_id is not None and start.request_id == active.table.started_by:
            return active.summary()
        self._lifecycle.refuse_while_draining()
        after = active.state.copy()
        after.table.begin(session_start(after.table, start))
        facts = session_opening(after.table)
        with _refusing():
            active.journal.compact()
            active.replace(after, "session", facts)
        self._lifecycle.play(active)
        return active.summary()

    async def summary(self) -> TableSummary:
        """Return the status of the table."""
        if self._active is None:
            return TableSummary(
                table_id="", status="waiting", hand_count=0, players=(), message="not configured"
            )
        return self._active.summary()

    async def hand_record(self, request: HandRecordInput) -> HandRecord:
        """Return the full record of a completed hand.

        Raises CommandRefused: NOT_CONFIGURED, UNKNOWN_HAND, HAND_RUNNING.
        """
        last = self._closed_hand(request.hand_id)
        records = last.existing_records() if last else self._configured().hand(request.hand_id)
        with_questions = request.questions is True
        return await asyncio.to_thread(record_of, records, with_questions=with_questions)

    def _closed_hand(self, hand_id: str) -> CompletedHand | None:
        """Return the last hand of the most recently closed table if it has this id."""
        last = self._lifecycle.last_hand
        is_match = last and last.hand_id == hand_id and self.table_id != last.table_id
        return last if is_match else None

    async def close(self) -> TableSummary:
        """Close the table after the running hand: all players leave with their chips.

        Does not wait for the hand. Raises CommandRefused: NOT_CONFIGURED, JOURNAL_FAILED.
        """
        active = self._configured()
        if not active.table.is_closing:
            with _refusing():
                active.commit(TableClosing())
            self._lifecycle.end(active)
        return active.summary()

    def room_moved(self, served: ActiveTable) -> None:
        """Free the table of a leased room that continues at another one."""
        if served.is_leased:
            self._lifecycle.free(served)

    async def wait_idle(self) -> None:
        """Wait until no session runs and the lobby has confirmed, or refused, all events."""
        await self._lifecycle.wait_idle()

    async def drain(self, limit: timedelta) -> bool:
        """Finish the running hand and deliver its events; see `TableLifecycle.drain`."""
        return await self._lifecycle.drain(limit)

    async def stop(self) -> None:
        """Stop serving and close the log, without waiting for a running hand."""
        await self._lifecycle.release()
        await self._lifecycle.notices.end()
        self._log.close()

    def _configured(self) -> ActiveTable:
        if self._active is None:
            raise CommandRefused(
                Reason.NOT_CONFIGURED, "No table is configured. Call configureTable first."
            )
        self._active.journal.flush()  # a reply tells nothing that is not committed
        return self._active

    def _open(self) -> ActiveTable:
        active = self._configured()
        if active.table.is_closing:
            raise CommandRefused(Reason.CLOSING, f"Table {active.table.table_id} is closing.")
        return active


@contextmanager
def _refusing() -> Iterator[None]:
    """Refuse a command whose change cannot be committed: JOURNAL_FAILED."""
    try:
        yield
    except JournalFailed as failed:
        raise _journal_refusal(failed) from failed


def _journal_refusal(failed: JournalFailed) -> CommandRefused:
    return CommandRefused(Reason.JOURNAL_FAILED, f"Nothing was changed: {failed}.")
