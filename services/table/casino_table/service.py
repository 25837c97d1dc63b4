"""Commands of one table agent: configure, seat, start, leave, close, and its queries."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import structlog
from casino_agentkit import CommandRefused
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

from casino_table.active_table import ActiveTable, CompletedHand
from casino_table.domain.admission import seat_for, session_start
from casino_table.domain.lease import Lease
from casino_table.errors import JournalFailed
from casino_table.hand_record import record_of
from casino_table.journal.journal import TableFact
from casino_table.journal.journal_log import CONFIGURED
from casino_table.lifecycle import TableLifecycle
from casino_table.metrics import TableGauges
from casino_table.play.between_hands import departures, session_opening
from casino_table.play.changes import JournaledTable, PlayerLeaving, PlayerSeated, TableClosing
from casino_table.setup import is_reset, is_same, opening, reset, table_of

logger = structlog.get_logger(__name__)


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
