"""Commands of one table agent: configure, seat, start, leave, close, and its queries."""

import asyncio
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

import structlog
from casino_agentkit import AgentClient, CommandRefused
from casino_contracts import (
    ConfigureTableInput,
    HandRecord,
    HandRecordInput,
    LeaveTableInput,
    PlayerRegisteredPayload,
    PlayerSeat,
    RoomKey,
    SeatPlayerInput,
    StartGameInput,
    TableSummary,
)
from casino_games.shuffle import derive_seed

from casino_table.active_table import CLOSED, ActiveTable, CompletedHand
from casino_table.clock import Clock
from casino_table.decisions.player_directory import PlayerDirectory
from casino_table.decisions.recorded import decisions_in
from casino_table.delivery.publisher import Publisher
from casino_table.hand_records.record import record_of
from casino_table.journal.journal import (
    CONFIGURED,
    Journal,
    JournalFailed,
    Log,
    TableFact,
)
from casino_table.metrics import TableGauges, TableMetrics
from casino_table.play.changes import PlayerLeaving, PlayerSeated, TableClosing, TableState
from casino_table.play.recovery import recover
from casino_table.play.session import Session, departures, session_opening
from casino_table.setup import is_same, opening, table_of

_ROOM_CLOSED = "ROOM_CLOSED"
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
    rng: random.Random
    entropy: Callable[[], str]
    metrics: TableMetrics
    max_undelivered: int = 50_000


class TableService:
    """Serve at most one table at a time; its journal is written to `log`."""

    def __init__(self, dependencies: TableDependencies, log: Log) -> None:
        self._dependencies = dependencies
        self._log = log
        self._players = PlayerDirectory(dependencies.client)
        self._active: ActiveTable | None = None
        self._last_hand: CompletedHand | None = None
        """The last hand of the most recently closed table."""
        self._freeing: asyncio.Task[None] | None = None

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
    def is_free(self) -> bool:
        """Whether another room may take this table: no seat is taken and no session runs."""
        active = self._active
        return active is None or (not active.table.seats and active.table.status != "running")

    def record_key(self, hand_id: str) -> RoomKey | None:
        """Return the key of the room in which a hand was played; None if the room has none."""
        last = self._closed_hand(hand_id)
        return last.room_key if last else self.room_key

    def gauges(self) -> TableGauges:
        """Return the values of this table for the metrics of the process."""
        return self._active.gauges() if self._active else TableGauges("free")

    async def resume(self) -> None:
        """Recover the table from its journal and go on with the same hand and decision."""
        _epoch, records = self._log.tail()
        if not records:
            return
        recovered = recover(records)
        active = self._activate(recovered)
        logger.info(
            "table_resumed",
            table=active.table.table_id,
            hand=active.table.hand_number,
            decisions=len(decisions_in(records)),
        )
        if active.table.status == "running":
            self._play(active)
        if active.table.is_closing:
            self._end(active)

    async def configure(
        self, request: ConfigureTableInput, *, is_owner: bool = True
    ) -> TableSummary:
        """Configure the table of a room.

        `is_owner`: the caller has the right of the served room. Otherwise the hand records of the
        previous room are deleted.

        Repeated with the same table, epoch and config, it returns the same summary and updates the
        callback. The newest event is delivered again, so that a lobby with lost events replays.
        A higher epoch from the same lobby replaces the table, with the seats of the request.
        Raises CommandRefused: TABLE_BUSY, STALE_EPOCH, UNKNOWN_GAME, INVALID_GAME_CONFIG,
        INVALID_SEATS, JOURNAL_FAILED.
        """
        active = self._active
        if active is not None:
            if is_same(active.configuration, request):
                if request.casino_callback != active.configuration.casino_callback:
                    active.rebind(request)
                active.redeliver_last()
                return active.summary()
            self._refuse_unless_free(active, request)
        table = table_of(request)
        await self._release()
        try:
            if active is None or active.table.table_id != table.table_id or not is_owner:
                self._log.forget()
            active = self._activate(TableState(request, table))
            active.journal.commit(active.state.record(CONFIGURED), opening(request, table))
        except JournalFailed as failed:
            await self._release()
            raise _journal_refusal(failed) from failed
        logger.info("table_configured", table=table.table_id, epoch=table.epoch)
        return active.summary()

    async def register(self, player: SeatPlayerInput) -> PlayerSeat:
        """Seat a player; a seated player keeps the seat. Does not wait for a session.

        Raises CommandRefused: NOT_CONFIGURED, CLOSING, JOURNAL_FAILED, and those of
        `Table.take_seat`.
        """
        active = self._open()
        seat, is_new = active.table.seat_for(player)
        seated = active.table.player_seat(seat)
        if is_new:
            self._players.forget(seat.card_url)
            payload = PlayerRegisteredPayload(
                **seated.model_dump(by_alias=False),
                agent_card_url=seat.card_url,
                action_skill=seat.action_skill,
                plays_any_game=seat.plays_any_game or None,
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
        leaving = PlayerLeaving(active.table.seat_of(request.player_id).player_id)
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

        Raises CommandRefused: NOT_CONFIGURED, CLOSING, JOURNAL_FAILED, and those of `Table.begin`.
        """
        active = self._open()
        if start.request_id is not None and start.request_id == active.table.started_by:
            return active.summary()
        after = active.state.copy()
        after.table.begin(start)
        facts = session_opening(after.table)
        with _refusing():
            active.journal.compact()
            active.replace(after, "session", facts)
        self._play(active)
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
        return await asyncio.to_thread(record_of, records)

    def _closed_hand(self, hand_id: str) -> CompletedHand | None:
        """Return the last hand of the most recently closed table if it has this id."""
        last = self._last_hand
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
            self._end(active)
        return active.summary()

    async def drain(self, limit: timedelta) -> None:
        """Finish the running hand and deliver its events before the process ends.

        A hand that takes longer than `limit` is resumed after the restart if the journal is
        durable. Otherwise it is cancelled and the stacks are as before it.
        """
        active = self._active
        if active is None:
            return
        if active.session and active.playing:
            if active.journal.is_durable:
                active.session.suspends_after_hand = True
            else:
                active.table.is_closing = active.session.ends_after_hand = True
            _, pending = await asyncio.wait([active.playing], timeout=limit.total_seconds())
            if pending:
                active.playing.cancel()
                await asyncio.wait(pending)
        await active.publisher.flush(FLUSH_LIMIT)

    async def stop(self) -> None:
        """Stop serving and close the log, without waiting for a running hand."""
        await self._release()
        self._log.close()

    # Lifecycle of the served table.

    def _activate(self, state: TableState) -> ActiveTable:
        """Serve a table and start its publisher."""
        table = state.table
        journal = Journal(
            table.table_id, table.epoch, self._dependencies.clock.timestamp, self._log
        )
        publisher = Publisher(
            journal,
            self._dependencies.client,
            state.configuration.casino_callback,
            self._dependencies.clock,
            self._dependencies.rng,
            self._on_refused,
            self._dependencies.metrics,
        )
        publishing = asyncio.ensure_future(publisher.run())
        self._active = ActiveTable(state, journal, publisher, publishing)
        return self._active

    def _session(self, active: ActiveTable) -> Session:
        secret = active.table.config.seed
        return Session(
            active.state,
            active.journal,
            self._players,
            self._dependencies.clock,
            seed_of=lambda number: (
                derive_seed(secret, "hand", str(number)) if secret else self._dependencies.entropy()
            ),
            max_undelivered=self._dependencies.max_undelivered,
            metrics=self._dependencies.metrics,
        )

    def _play(self, active: ActiveTable) -> None:
        active.session = self._session(active)
        active.playing = asyncio.ensure_future(active.session.run())

    def _configured(self) -> ActiveTable:
        if self._active is None:
            raise CommandRefused(
                "NOT_CONFIGURED", "No table is configured. Call configureTable first."
            )
        return self._active

    def _open(self) -> ActiveTable:
        active = self._configured()
        if active.table.is_closing:
            raise CommandRefused("CLOSING", f"Table {active.table.table_id} is closing.")
        return active

    def _refuse_unless_free(self, active: ActiveTable, request: ConfigureTableInput) -> None:
        if self.is_free:
            return
        is_same_room = (
            request.table_id == active.table.table_id
            and request.casino_name == active.table.casino_name
        )
        if is_same_room and (request.epoch or 1) > active.table.epoch:
            return
        raise CommandRefused(
            "TABLE_BUSY",
            f"This table serves {active.table.table_id} and has players; use another table.",
        )

    def _end(self, active: ActiveTable) -> None:
        if active.session:
            active.session.ends_after_hand = True
        active.closing = asyncio.ensure_future(self._closed(active))
        active.closing.add_done_callback(_log_failure)

    async def _closed(self, active: ActiveTable) -> None:
        if active.playing:
            await asyncio.wait([active.playing])
        if active.table.state != CLOSED:  # else the event was committed before a restart
            await active.cash_out_all(self._dependencies.clock)
        # No timeout: the lobby needs the final stacks, however long it is unreachable.
        if await active.publisher.flush(None) and self._active is active:
            # The lobby may request this record after it received the last event.
            self._last_hand = active.last_hand()
            self._log.forget()
            active.closing = None  # the current task, which `_release` must not cancel
            await self._release()

    async def _release(self) -> None:
        """Stop serving the table; undelivered events stay in the journal."""
        active, self._active = self._active, None
        if active is not None:
            await active.end()

    def _on_refused(self, reason: str) -> None:
        """Stop play: the lobby permanently refuses the events of this table.

        Hands that the lobby has not recorded are void.
        """
        active = self._active
        if active is None:
            return
        if active.playing:
            active.playing.cancel()
        if reason == _ROOM_CLOSED:  # the lobby has the record; play does not go on
            self._log.forget()
            self._freeing = asyncio.ensure_future(self._release())
            return
        active.table.status, active.table.state = "error", "replaced"
        active.table.message = f"the lobby refuses the events of this table: {reason}"
        logger.error("table_replaced", table=active.table.table_id, reason=reason)


@contextmanager
def _refusing() -> Iterator[None]:
    """Refuse a command whose change cannot be committed: JOURNAL_FAILED."""
    try:
        yield
    except JournalFailed as failed:
        raise _journal_refusal(failed) from failed


def _journal_refusal(failed: JournalFailed) -> CommandRefused:
    return CommandRefused("JOURNAL_FAILED", f"Nothing was changed: {failed}.")


def _log_failure(task: "asyncio.Future[None]") -> None:
    if not task.cancelled() and (error := task.exception()):
        logger.error("close_failed", error=repr(error))
