"""One table agent's life: configured, seated, started, closed; the use cases behind its faces."""

import asyncio
import random
from collections.abc import Callable
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
from casino_table.domain.table import Table
from casino_table.hand_records.record import record_of
from casino_table.journal.journal import (
    CONFIGURED,
    Journal,
    JournalFailed,
    JournalRecord,
    Log,
    TableFact,
)
from casino_table.metrics import TableGauges, TableMetrics
from casino_table.play.hand import RunningHand
from casino_table.play.recovery import recover
from casino_table.play.session import Session, departures
from casino_table.setup import is_same, opening, table_of

_ROOM_CLOSED = "ROOM_CLOSED"
FLUSH_LIMIT = timedelta(seconds=12)
"""Longer than two deliveries take: the reply to the first may be lost."""

logger = structlog.get_logger(__name__)


@dataclass(frozen=True)
class TableDependencies:
    """What every table of a process is given from outside: time, chance, and the way to others.

    `entropy` returns a fresh secret seed.
    """

    client: AgentClient
    clock: Clock
    rng: random.Random
    entropy: Callable[[], str]
    metrics: TableMetrics
    max_undelivered: int = 50_000


class TableService:
    """Holds at most one table at a time; `log` is where its journal is kept."""

    def __init__(self, dependencies: TableDependencies, log: Log) -> None:
        self._dependencies = dependencies
        self._log = log
        self._players = PlayerDirectory(dependencies.client)
        self._active: ActiveTable | None = None
        self._last_hand: CompletedHand | None = None
        """The last one of the table that was closed last."""
        self._freeing: asyncio.Task[None] | None = None

    @property
    def table_id(self) -> str | None:
        """The table that is served at the moment."""
        return self._active.table.table_id if self._active else None

    @property
    def room_key(self) -> RoomKey | None:
        """The key of the room that is served; None: no room, or one without a key."""
        return self._active.room_key if self._active else None

    @property
    def epoch(self) -> int | None:
        """The epoch of the table that is served."""
        return self._active.table.epoch if self._active else None

    @property
    def is_free(self) -> bool:
        """Whether another room may have this table: nobody is seated and nothing is played."""
        active = self._active
        return active is None or (not active.table.seats and active.table.status != "running")

    def record_key(self, hand_id: str) -> RoomKey | None:
        """Return the key of the room in which a hand was played, None where there is none."""
        last = self._closed_hand(hand_id)
        return last.room_key if last else self.room_key

    def gauges(self) -> TableGauges:
        """Return what the process's metrics tell of it."""
        return self._active.gauges() if self._active else TableGauges("free")

    async def resume(self) -> None:
        """Stand where the journal ends: the same hand, the same decision."""
        _epoch, records = self._log.tail()
        if not records:
            return
        recovered = recover(records)
        active = self._begin(recovered.by, recovered.table)
        logger.info(
            "table_resumed",
            table=active.table.table_id,
            hand=active.table.hand_number,
            decisions=len(decisions_in(records)),
        )
        if active.table.status == "running":
            self._play(active, recovered.hand)
        if active.table.is_closing:
            self._end(active)

    async def configure(self, given: ConfigureTableInput, *, is_owner: bool = True) -> TableSummary:
        """Take over a room's table.

        `is_owner` tells whether the caller showed the right of the room that is served: whoever
        did not gets a table without the hands of the room before.

        The same table, epoch and config again is the same answer, and a new callback is taken; the
        newest event is told again, so that a lobby that has lost some asks for them.
        A higher epoch from the same lobby takes the table over, with the seats it gives.
        Raises CommandRefused: TABLE_BUSY, STALE_EPOCH, UNKNOWN_GAME, INVALID_GAME_CONFIG,
        INVALID_SEATS, JOURNAL_FAILED.
        """
        active = self._active
        if active is not None:
            if is_same(active.by, given):
                if given.casino_callback != active.by.casino_callback:
                    active.rebind(given)
                active.redeliver_last()
                return active.summary()
            self._refuse_unless_free(active, given)
        table = table_of(given)
        await self._release()
        try:
            if active is None or active.table.table_id != table.table_id or not is_owner:
                self._log.forget()
            active = self._begin(given, table)
            active.journal.commit(active.record(CONFIGURED), opening(given, table))
        except JournalFailed as failed:
            await self._release()
            raise _no_journal(failed) from failed
        logger.info("table_configured", table=table.table_id, epoch=table.epoch)
        return active.summary()

    async def register(self, player: SeatPlayerInput) -> PlayerSeat:
        """Seat a player; he is dealt in when his turn comes. Never waits for a game.

        Raises CommandRefused: NOT_CONFIGURED, CLOSING, JOURNAL_FAILED, and those of
        `Table.take_seat`.
        """
        active = self._open()
        seat, is_new = active.table.take_seat(player)
        seated = active.table.player_seat(seat)
        if is_new:
            self._players.forget(seat.card_url)
            payload = PlayerRegisteredPayload(
                **seated.model_dump(by_alias=False),
                agent_card_url=seat.card_url,
                action_skill=seat.action_skill,
                plays_any_game=seat.plays_any_game or None,
            )
            told = f"{seat.display_name} takes seat {seat.number} with {seated.stack}"
            record = JournalRecord("seated", {"player": player.model_dump(mode="json")})
            try:
                active.journal.commit(record, [TableFact("player_registered", told, payload)])
            except JournalFailed as failed:
                active.table.take_back_seat(seat)
                raise _no_journal(failed) from failed
        return seated

    async def leave(self, given: LeaveTableInput) -> TableSummary:
        """Free a player's seat: at once between hands, else when the running hand is over.

        Raises CommandRefused: NOT_CONFIGURED, UNKNOWN_PLAYER, JOURNAL_FAILED.
        """
        active = self._configured()
        seat = active.table.seat_of(given.player_id)
        is_playing = active.is_playing
        before = active.table.to_json()
        try:
            if is_playing:  # the hand has hold of the seats: nothing is to be undone
                active.journal.commit(JournalRecord("leaving", {"player_id": seat.player_id}))
                seat.is_leaving = True
            else:
                seat.is_leaving = True
                facts = departures(active.table)
                active.journal.commit(active.record("left"), facts)
        except JournalFailed as failed:
            if not is_playing:
                active.table.restore(before)
            raise _no_journal(failed) from failed
        return active.summary()

    async def start(self, start: StartGameInput) -> TableSummary:
        """Begin a session and answer at once; the same `requestId` again is the same session.

        Raises CommandRefused: NOT_CONFIGURED, CLOSING, JOURNAL_FAILED, and those of `Table.begin`.
        """
        active = self._open()
        if start.request_id is not None and start.request_id == active.table.started_by:
            return active.summary()
        before = active.table.to_json()
        active.table.begin(start)
        session = self._session(active)
        facts = session.opening()
        try:
            active.journal.compact()
            active.journal.commit(active.record("session"), facts)
        except JournalFailed as failed:
            active.table.restore(before)
            raise _no_journal(failed) from failed
        self._play(active, None, session)
        return active.summary()

    async def summary(self) -> TableSummary:
        """Return how the table stands."""
        if self._active is None:
            return TableSummary(
                table_id="", status="waiting", hand_count=0, players=(), message="not configured"
            )
        return self._active.summary()

    async def hand_record(self, given: HandRecordInput) -> HandRecord:
        """Return the whole record of a completed hand.

        Raises CommandRefused: NOT_CONFIGURED, UNKNOWN_HAND, HAND_RUNNING.
        """
        last = self._closed_hand(given.hand_id)
        records = last.kept() if last else self._configured().hand(given.hand_id)
        return await asyncio.to_thread(record_of, records)

    def _closed_hand(self, hand_id: str) -> CompletedHand | None:
        """Return the last hand of the table that was closed last, if that is the one."""
        last = self._last_hand
        is_it = last and last.hand_id == hand_id and self.table_id != last.table_id
        return last if is_it else None

    async def close(self) -> TableSummary:
        """End after the running hand: everybody leaves with his chips, the table is free again.

        Answers at once. Raises CommandRefused: NOT_CONFIGURED, JOURNAL_FAILED.
        """
        active = self._configured()
        if not active.table.is_closing:
            try:
                active.journal.commit(JournalRecord("closing"))
            except JournalFailed as failed:
                raise _no_journal(failed) from failed
            active.table.is_closing = True
            active.table.state = "closing"
            self._end(active)
        return active.summary()

    async def drain(self, limit: timedelta) -> None:
        """Finish the running hand and deliver what happened: the process is about to end.

        A hand that takes longer than `limit` is played on after the restart where the journal
        outlives the process; else it is cancelled, and its stacks are as before it.
        """
        active = self._active
        if active is None:
            return
        if active.session and active.playing:
            if active.journal.is_durable:
                active.session.rests_after_hand = True
            else:
                active.table.is_closing = active.session.ends_after_hand = True
            _, late = await asyncio.wait([active.playing], timeout=limit.total_seconds())
            if late:
                active.playing.cancel()
                await asyncio.wait(late)
        await active.publisher.flush(FLUSH_LIMIT)

    async def stop(self) -> None:
        """End at once."""
        await self._release()
        self._log.close()

    # Within.

    def _begin(self, by: ConfigureTableInput, table: Table) -> ActiveTable:
        """Let a table publish."""
        journal = Journal(
            table.table_id, table.epoch, self._dependencies.clock.timestamp, self._log
        )
        publisher = Publisher(
            journal,
            self._dependencies.client,
            by.casino_callback,
            self._dependencies.clock,
            self._dependencies.rng,
            self._on_refused,
            self._dependencies.metrics,
        )
        publishing = asyncio.ensure_future(publisher.run())
        self._active = ActiveTable(by, table, journal, publisher, publishing)
        return self._active

    def _session(self, active: ActiveTable) -> Session:
        secret = active.table.config.seed
        return Session(
            active.table,
            active.journal,
            self._players,
            self._dependencies.clock,
            record=active.record,
            seed_of=lambda number: (
                derive_seed(secret, "hand", str(number)) if secret else self._dependencies.entropy()
            ),
            max_undelivered=self._dependencies.max_undelivered,
            metrics=self._dependencies.metrics,
        )

    def _play(
        self, active: ActiveTable, hand: RunningHand | None, session: Session | None = None
    ) -> None:
        active.session = session or self._session(active)
        active.playing = asyncio.ensure_future(active.session.run(hand))

    def _configured(self) -> ActiveTable:
        if self._active is None:
            raise CommandRefused("NOT_CONFIGURED", "Call configureTable first.")
        return self._active

    def _open(self) -> ActiveTable:
        active = self._configured()
        if active.table.is_closing:
            raise CommandRefused("CLOSING", f"Table {active.table.table_id} is closing.")
        return active

    def _refuse_unless_free(self, active: ActiveTable, given: ConfigureTableInput) -> None:
        if self.is_free:
            return
        is_same_room = (
            given.table_id == active.table.table_id
            and given.casino_name == active.table.casino_name
        )
        if is_same_room and (given.epoch or 1) > active.table.epoch:
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
        if active.table.state != CLOSED:  # else that was told before a restart
            await active.cash_out_all(self._dependencies.clock)
        # However long the lobby is away: it has to know who left with how much.
        if await active.publisher.flush(None) and self._active is active:
            self._last_hand = (
                active.last_hand()
            )  # the lobby may ask for it when it heard of the end
            self._log.forget()
            active.closing = None  # it is this one
            await self._release()

    async def _release(self) -> None:
        """Stop serving the table; what is undelivered stays in the journal."""
        active, self._active = self._active, None
        if active is not None:
            await active.end()

    def _on_refused(self, reason: str) -> None:
        """Stop playing for a lobby that has another table in this room's place.

        What is played beyond the lobby's record is void.
        """
        active = self._active
        if active is None:
            return
        if active.playing:
            active.playing.cancel()
        if reason == _ROOM_CLOSED:  # the lobby keeps the record; nobody plays here any more
            self._log.forget()
            self._freeing = asyncio.ensure_future(self._release())
            return
        active.table.status, active.table.state = "error", "replaced"
        active.table.message = f"the lobby takes no more events of this table: {reason}"
        logger.error("table_replaced", table=active.table.table_id, reason=reason)


def _no_journal(failed: JournalFailed) -> CommandRefused:
    return CommandRefused("JOURNAL_FAILED", f"Nothing was changed: {failed}.")


def _log_failure(task: "asyncio.Future[None]") -> None:
    if not task.cancelled() and (error := task.exception()):
        logger.error("close_failed", error=repr(error))
