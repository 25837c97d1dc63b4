"""One table agent: the commands and queries of the table that it serves, and that table's end.

A killed table goes on in `TableService.resume`: `recover` (`play/changes.py`) makes its state of
the journal's tail, and `HandSession.run` (`play/hand_session.py`) finishes its hand.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta

import structlog
from casino_agentkit import CommandRefused, KitReason
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
from casino_contracts.table_commands import Visitors
from casino_play.turn import PlayerDirectory

from casino_table.domain.admission import seat_for, session_start
from casino_table.errors import JournalFailed
from casino_table.hand_record import record_of
from casino_table.journal.journal import EventDraft
from casino_table.journal.journal_log import CONFIGURED, Log
from casino_table.play.changes import (
    JournaledTable,
    PlayerLeaving,
    PlayerSeated,
    TableClosing,
    decisions_in,
    recover,
)
from casino_table.play.hand_notices import NoticeSender
from casino_table.play.lease import Lease
from casino_table.play.seat_changes import departures, session_opening
from casino_table.running_table import CompletedHand, RunningTable, TableDependencies
from casino_table.setup import is_reset, is_same, opening, reset, table_of
from casino_table.table_metrics import TableGauges

logger = structlog.get_logger(__name__)


class TableService:
    """Serves at most one table at a time: `running`."""

    def __init__(self, dependencies: TableDependencies, log: Log) -> None:
        self._dependencies = dependencies
        self._log = log
        self._players = PlayerDirectory(dependencies.client)
        self.notices = NoticeSender(self._players, dependencies.clock)
        self.running: RunningTable | None = None
        self._last_hand: CompletedHand | None = None
        """The last hand of the most recently closed table."""
        self._is_draining = False
        """Whether the process ends: no other room is taken, no session is begun."""
        self._endings = BackgroundTasks(_log_failure)

    @property
    def table_id(self) -> str | None:
        return self.running.table.table_id if self.running else None

    @property
    def room_key(self) -> RoomKey | None:
        return self.running.room_key if self.running else None

    @property
    def visitors(self) -> Visitors | None:
        return self.running.configuration.visitors if self.running else None

    @property
    def is_quiet(self) -> bool:
        return self.running is not None and self.running.is_quiet(self._now())

    @property
    def is_free(self) -> bool:
        return self.running is None or self.running.is_free(self._now())

    def _now(self) -> float:
        return self._dependencies.clock.now()

    def record_key(self, hand_id: str) -> RoomKey | None:
        last = self._closed_hand(hand_id)
        return last.room_key if last else self.room_key

    def gauges(self) -> TableGauges:
        return self.running.gauges(self._now()) if self.running else TableGauges("free")

    async def resume(self) -> None:
        """Recover the table from its journal and go on with the same hand and decision."""
        _epoch, records = self._log.tail()
        if not records:
            return
        recovered = recover(records)
        running = self._run(recovered, Lease.of_journal(recovered.configuration.lease_ms))
        running.redeliver_last()  # by its number the lobby sees whether the journal lost its tail
        logger.info(
            "table_resumed",
            table=running.table.table_id,
            hand=running.table.hand_number,
            decisions=len(decisions_in(records)),
        )
        if running.table.status == "running":
            running.play(self._players, self.notices)
        if running.table.is_closing:
            self._end(running)

    def _run(self, state: JournaledTable, lease: Lease) -> RunningTable:
        self.running = RunningTable(state, lease, self._log, self._dependencies, self._on_refused)
        return self.running

    def _refuse_while_draining(self) -> None:
        if self._is_draining:
            raise CommandRefused(
                Reason.TABLE_BUSY, "The process of this table ends; use another table."
            )

    async def configure(
        self, request: ConfigureTableInput, *, is_owner: bool = True
    ) -> TableSummary:
        """Configure the table of a room.

        `is_owner`: the caller has the right of the served room. Otherwise it gets a table that is
        free, or whose lobby is gone, and the hand records of the previous room are deleted.

        Repeated with the same table, epoch and config, it returns the same summary and updates the
        callback. The newest event is delivered again, so that a lobby with lost events replays.
        A higher epoch from the same lobby replaces the table, with the seats of the request.
        Without an epoch the same lobby resets the table, after the running hand.
        Raises CommandRefused: TABLE_BUSY, FORBIDDEN, CLOSING, HAND_RUNNING, JOURNAL_FAILED, and
        those of `table_of`.
        """
        arrived_at, running = self._now(), self.running
        if running is not None:
            is_free = running.is_free(arrived_at)
            if is_owner or is_free:
                current, is_refused = running.configuration, running.publisher.is_refused
                if is_reset(current, request) and not is_refused:
                    return await self._reset(request)
                if is_same(current, request):
                    running.configure_again(request, arrived_at)
                    return running.summary()
            if not is_free and not (is_owner and running.is_succeeded_by(request)):
                reason = Reason.TABLE_BUSY if is_owner else KitReason.FORBIDDEN
                await running.refuse_unless_abandoned(reason)
                if self.running is not running or not running.is_quiet(self._now()):
                    raise _taken()
        self._refuse_while_draining()
        table = table_of(request)
        await self._release()
        try:
            if running is None or running.table.table_id != table.table_id or not is_owner:
                self._log.forget()
            lease = Lease.of_configuration(arrived_at, request.lease_ms)
            running = self._run(JournaledTable(request, table), lease)
            running.journal.commit(running.state.record(CONFIGURED), opening(request, table))
        except JournalFailed as failed:
            await self._release()
            raise _journal_refusal(failed) from failed
        logger.info("table_configured", table=table.table_id, epoch=table.epoch)
        return running.summary()

    async def _reset(self, request: ConfigureTableInput) -> TableSummary:
        """Reset the table: the running hand is played to its end, and all seats are given back.

        The protocol document knows no refusal of `configureTable` and no later attempt: where it
        replies, the table is reset. So the reply waits for the hand, which the players' clock
        bounds.
        """
        running = self._open()
        table_of(request)  # refused before play is interrupted
        await running.end_session()
        if self._open() is not running:
            raise _taken()
        if running.state.hand is not None:
            raise CommandRefused(
                Reason.HAND_RUNNING, "The running hand was interrupted; try again when it is over."
            )
        state, drafts = reset(running.state, request)
        vacated = running.table.seats.values()
        with _refusing():
            running.reset(state, drafts)
        for seat in vacated:
            self._players.forget(seat.card_url)
        logger.info("table_reset", table=state.table.table_id, seats=len(vacated))
        return running.summary()

    async def register(self, player: SeatPlayerInput) -> PlayerSeat:
        """Raise CommandRefused: NOT_CONFIGURED, CLOSING, JOURNAL_FAILED, or as `seat_for`."""
        running = self._open()
        seat, is_new = seat_for(running.table, player)
        seated = running.table.player_seat(seat)
        if is_new:
            self._players.forget(seat.card_url)
            payload = PlayerRegisteredPayload(
                **seated.model_dump(by_alias=False),
                agent_card_url=seat.card_url,
                action_skill=seat.action_skill,
                plays_any_game=seat.plays_any_game or None,
                clock_ms=seat.clock_ms,
            )
            message = f"{seat.display_name} takes seat {seat.number} with {seated.stack}"
            draft = EventDraft("player_registered", message, payload)
            with _refusing():
                running.commit(PlayerSeated(player), [draft])
        return seated

    async def leave(self, request: LeaveTableInput) -> TableSummary:
        """Raise CommandRefused: NOT_CONFIGURED, UNKNOWN_PLAYER, JOURNAL_FAILED."""
        running = self._configured()
        running.table.seat_of(request.player_id)  # raises UNKNOWN_PLAYER
        leaving = PlayerLeaving(request.player_id)
        with _refusing():
            if running.is_playing:
                running.commit(leaving)
            else:
                after = running.state.copy()
                leaving.apply(after)
                running.replace(after, "left", departures(after.table))
        return running.summary()

    async def start(self, start: StartGameInput) -> TableSummary:
        """Begin a session without waiting for its end; idempotent by `requestId`.

        Raises CommandRefused: NOT_CONFIGURED, CLOSING, JOURNAL_FAILED, and those of
        `session_start`.
        """
        running = self._open()
        if start.request_id is not None and start.request_id == running.table.started_by:
            return running.summary()
        self._refuse_while_draining()
        after = running.state.copy()
        after.table.begin(session_start(after.table, start))
        after.deal = replace(after.deal, left_out=())
        drafts = session_opening(after.table)
        with _refusing():
            running.journal.compact()
            running.replace(after, "session", drafts)
        running.play(self._players, self.notices)
        return running.summary()

    async def summary(self) -> TableSummary:
        if self.running is None:
            return TableSummary(
                table_id="", status="waiting", hand_count=0, players=(), message="not configured"
            )
        return self.running.summary()

    async def hand_record(self, request: HandRecordInput) -> HandRecord:
        """Raise CommandRefused: NOT_CONFIGURED, UNKNOWN_HAND, HAND_RUNNING."""
        last = self._closed_hand(request.hand_id)
        records = last.existing_records() if last else self._configured().hand(request.hand_id)
        with_questions = request.questions is True
        return await asyncio.to_thread(record_of, records, with_questions=with_questions)

    def _closed_hand(self, hand_id: str) -> CompletedHand | None:
        last = self._last_hand
        is_match = last and last.hand_id == hand_id and self.table_id != last.table_id
        return last if is_match else None

    async def close(self) -> TableSummary:
        """Let it close after the hand. Raises CommandRefused: NOT_CONFIGURED, JOURNAL_FAILED."""
        running = self._configured()
        if not running.table.is_closing:
            with _refusing():
                running.commit(TableClosing())
            self._end(running)
        return running.summary()

    # The end of a table.

    def _end(self, running: RunningTable) -> None:
        """Close a table after its hand, without waiting for it."""
        if running.session:
            running.session.ends_after_hand = True
        running.closing = self._endings.begin(self._closed(running))

    async def _closed(self, running: RunningTable) -> None:
        if await running.pay_out() and self.running is running:
            # The lobby may request this record after it received the last event.
            self._last_hand = running.last_hand()
            self._log.forget()
            running.closing = None  # the current task, which `_release` must not cancel
            await self._release()

    async def _release(self) -> None:
        """Stop serving the table; undelivered events stay in the journal."""
        running, self.running = self.running, None
        if running is not None:
            await running.end()

    def _on_refused(self, reason: str) -> None:
        """Stop play: the lobby permanently refuses the events of this table.

        A room that continues at another table frees this one; without a lease the room is this
        table's, and its lobby begins a new epoch here.
        """
        running = self.running
        if running is None:
            return
        has_moved = reason == Reason.STALE_EPOCH and running.is_leased
        if has_moved or reason == Reason.ROOM_CLOSED:  # the lobby has the record
            self._free(running)
        else:
            running.stop(reason)

    def room_moved(self, running: RunningTable) -> None:
        """Free the table of a leased room that continues at another one."""
        if running.is_leased:
            self._free(running)

    def _free(self, running: RunningTable) -> None:
        """Stop play for good and forget the room: it is closed, or continues at another table."""
        if self.running is not running:
            return
        self.running = None
        running.lease.surrender()
        self._log.forget()
        self._endings.begin(running.end())
        logger.warning("room_released", table=running.table.table_id, epoch=running.table.epoch)

    async def wait_idle(self) -> None:
        if self.running is not None:
            await self.running.wait_idle()

    async def drain(self, limit: timedelta) -> bool:
        self._is_draining = True
        return self.running is None or await self.running.drain(limit)

    async def stop(self) -> None:
        """Stop serving and close the log, without waiting for a running hand."""
        await self._release()
        await self.notices.end()
        self._log.close()

    def _configured(self) -> RunningTable:
        if self.running is None:
            raise CommandRefused(
                Reason.NOT_CONFIGURED, "No table is configured. Call configureTable first."
            )
        self.running.journal.flush()  # a reply tells nothing that is not committed
        return self.running

    def _open(self) -> RunningTable:
        running = self._configured()
        if running.table.is_closing:
            raise CommandRefused(Reason.CLOSING, f"Table {running.table.table_id} is closing.")
        return running


@contextmanager
def _refusing() -> Iterator[None]:
    """Refuse a command whose change cannot be committed: JOURNAL_FAILED."""
    try:
        yield
    except JournalFailed as failed:
        raise _journal_refusal(failed) from failed


def _taken() -> CommandRefused:
    return CommandRefused(Reason.TABLE_BUSY, "The table was taken meanwhile; use another table.")


def _journal_refusal(failed: JournalFailed) -> CommandRefused:
    return CommandRefused(Reason.JOURNAL_FAILED, f"Nothing was changed: {failed}.")


def _log_failure(error: BaseException) -> None:
    logger.error("close_failed", error=repr(error))
