"""The table that an agent runs: one epoch of it, with its journal, publisher, session and tasks."""

import asyncio
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import NamedTuple

import structlog
from casino_agentkit import AgentClient, AgentError, CommandRefused, TimedOut, Unreachable, Waits
from casino_agentkit.card_signing import CardSigner
from casino_contracts import (
    ConfigureTableInput,
    Reason,
    RoomKey,
    TableSummary,
    Waiting,
    WaitReason,
)
from casino_play.turn import Clock, PlayerDirectory

from casino_table.delivery.event_publisher import EventDelivery, Publisher
from casino_table.domain.table import Table
from casino_table.errors import JournalFailed
from casino_table.journal.journal import MAX_UNDELIVERED, EventDraft, Journal
from casino_table.journal.journal_log import JournalRecord, Log
from casino_table.play.changes import Change, ConfigurationBound, JournaledTable
from casino_table.play.contributions import DealOutlets
from casino_table.play.game_presenter import status
from casino_table.play.hand_notices import NoticeSender
from casino_table.play.hand_session import HandSession
from casino_table.play.lease import Lease
from casino_table.table_metrics import TableGauges, TableMetrics

_CLOSED = "closed"
_RETRY_S = 1.0
_NUMBER = re.compile("[1-9][0-9]{0,14}")

GONE_AFTER = timedelta(seconds=30)
"""How long a lobby with a room key and no lease does not answer before another one may have its
table: a lobby waits as long for a silent table."""
_CARD_TIMEOUT = timedelta(seconds=2)

FLUSH_LIMIT = timedelta(seconds=12)  # two delivery timeouts: the first one's reply may be lost

logger = structlog.get_logger(__name__)


class CompletedHand(NamedTuple):
    """The records of a completed hand, and the key of its room."""

    table_id: str
    hand_id: str
    room_key: RoomKey | None
    records: list[JournalRecord]

    def existing_records(self) -> list[JournalRecord]:
        if not self.records:
            raise CommandRefused(Reason.UNKNOWN_HAND, f"Hand {self.hand_id} was cancelled.")
        return self.records


@dataclass(frozen=True)
class TableDependencies:
    """What tables share; `entropy` returns a fresh seed. Play pauses above `max_undelivered`."""

    client: AgentClient
    clock: Clock
    delivery: EventDelivery
    entropy: Callable[[], str]
    metrics: TableMetrics
    max_undelivered: int = MAX_UNDELIVERED
    waits: Waits = field(default_factory=Waits)
    signer: CardSigner | None = None


class RunningTable:
    """One epoch of a table, and its publishing; `on_refused` gets a permanent refusal's reason."""

    def __init__(
        self,
        state: JournaledTable,
        lease: Lease,
        log: Log,
        dependencies: TableDependencies,
        on_refused: Callable[[str], None],
    ) -> None:
        table, clock, metrics = state.table, dependencies.clock, dependencies.metrics
        self._dependencies = dependencies
        self.state = state
        self.lease = lease
        self.journal = Journal(
            table.table_id, table.epoch, clock.timestamp, log, dependencies.max_undelivered
        )
        callback = state.configuration.casino_callback
        self.publisher = Publisher(
            self.journal, callback, dependencies.delivery, on_refused, metrics
        )
        self.session: HandSession | None = None
        self.playing: asyncio.Task[None] | None = None
        self.closing: asyncio.Task[None] | None = None
        self._silent_since: float | None = None
        """Since when the lobby's card cannot be read."""
        self.publisher.start()

    @property
    def configuration(self) -> ConfigureTableInput:
        return self.state.configuration

    @property
    def table(self) -> Table:
        return self.state.table

    @property
    def room_key(self) -> RoomKey | None:
        secret = self.configuration.casino_callback.secret
        return RoomKey(secret) if secret else None

    @property
    def is_playing(self) -> bool:
        return self.playing is not None and not self.playing.done()

    def is_free(self, now: float) -> bool:
        """Return whether another room may take this table: it is empty, and has no lease.

        While a lease runs the room has its table, also without players: another lobby of a group
        may not know yet that the table is taken.
        """
        is_held = self.lease.is_limited and self.lease.is_valid(now)
        return not is_held and not self.table.seats and self.table.status != "running"

    def is_quiet(self, now: float) -> bool:
        """Return whether another lobby may have it if its own is gone: it has to ask nobody."""
        return not self.lease.is_valid(now) if self.is_leased else self.table.status != "running"

    @property
    def is_leased(self) -> bool:
        """Whether the lobby may give the room to another table."""
        return self.configuration.lease_ms is not None

    def commit(self, change: Change, drafts: Sequence[EventDraft] = ()) -> None:
        """Commit a command's change, then apply it. Raises JournalFailed, with nothing changed."""
        self.journal.commit(change.record(), drafts)
        change.apply(self.state)

    def replace(self, state: JournaledTable, kind: str, drafts: Sequence[EventDraft]) -> None:
        """Commit another state between hands, then use it. Raises JournalFailed, with no change."""
        self.journal.commit(state.record(kind), drafts)
        self.state = state

    def reset(self, state: JournaledTable, drafts: Sequence[EventDraft]) -> None:
        """Begin anew with a state, between hands. Raises JournalFailed, with nothing changed."""
        self.replace(state, "reset", drafts)
        self.journal.table_id = state.table.table_id
        self.session = self.playing = None

    def summary(self) -> TableSummary:
        journal, waits = self.journal, self._told_waits() or None
        journal.flush()
        own = {"sequence": journal.last_sequence, "kept_from": journal.kept_from, "waits": waits}
        return self.table.summary().model_copy(update=own)

    def _told_waits(self) -> tuple[Waiting, ...]:
        waits = self._dependencies.waits.of(self.table.table_id)
        return tuple(Waiting.of(wait.reason, wait.since, wait.detail) for wait in waits)

    @contextmanager
    def waiting(self, reason: WaitReason, detail: str) -> Iterator[None]:
        """Say why the table does not go on, while the block runs: in its summary and to its lobby.

        A pause on purpose is in the metrics only.
        """
        table, waits = self.table, self._dependencies.waits
        if reason.gravity == "pause":
            with waits.during(reason, table.table_id, detail):
                yield
            return
        before = table.state, table.message
        if reason.gravity != "part":
            table.pause("paused" if reason.gravity == "wait" else reason.value, reason.what)
        paused = table.state, table.message
        try:
            with waits.during(reason, table.table_id, detail):
                self.publisher.tell(self._told_waits())
                yield
        finally:
            if (table.state, table.message) == paused:  # else it closes
                table.pause(*before)
            self.publisher.tell(self._told_waits())

    def hand(self, hand_id: str) -> list[JournalRecord]:
        """Return a completed hand. Raises CommandRefused: UNKNOWN_HAND, HAND_RUNNING."""
        table_id, _, number = hand_id.rpartition("/")
        is_own = table_id == self.table.table_id and _NUMBER.fullmatch(number)
        records = self._records(int(number)) if is_own else []
        if records:
            return records
        running = self.state.hand
        if running and running.id == hand_id:
            raise CommandRefused(
                Reason.HAND_RUNNING,
                f"Hand {hand_id} is being played; try again after it is completed.",
            )
        raise CommandRefused(
            Reason.UNKNOWN_HAND,
            f"Table {self.table.table_id} has no completed hand {hand_id}: it was cancelled,"
            " its record was deleted, or it does not exist.",
        )

    def _records(self, number: int) -> list[JournalRecord]:
        records = self.journal.hand(number)
        before = (records[0].table if records else None) or {}
        return records if before.get("table_id") == self.table.table_id else []

    def gauges(self, now: float) -> TableGauges:
        chips = sum(seat.stack for seat in self.table.seats.values())
        return TableGauges(
            self.table.status,
            self.table.unit.amount(chips),
            self.journal.undelivered,
            has_lease=self.lease.is_valid(now),
        )

    def answered(self, sent_at: float, now: float, lease_ms: int | None) -> None:
        """Note the lobby's answer to an announcement of this room, which was sent at `sent_at`.

        An answer without a lease does not prolong one. After its end the newest event is delivered
        again: by its answer the lobby says whether the room has moved.
        """
        if lease_ms is not None:
            if not self.is_leased:  # remembered: after a restart nobody is asked without an answer
                self.rebind(self.configuration.model_copy(update={"lease_ms": lease_ms}))
            self.lease.grant(sent_at, lease_ms)
        elif not self.lease.is_valid(now):
            self.redeliver_last()

    def last_hand(self) -> CompletedHand:
        table_id, number = self.table.table_id, self.table.hand_number
        return CompletedHand(table_id, f"{table_id}/{number}", self.room_key, self._records(number))

    def is_succeeded_by(self, request: ConfigureTableInput) -> bool:
        """Return whether a request is of a higher epoch of the room."""
        is_same_room = (
            request.table_id == self.table.table_id
            and request.casino_name == self.table.casino_name
        )
        return is_same_room and (request.epoch or 1) > self.table.epoch

    async def refuse_unless_abandoned(self, reason: str) -> None:
        """Raise CommandRefused, with a reason, unless the lobby of a quiet table is gone.

        It is if its card cannot be read; with a room key and without a lease, which say that it
        keeps the room and returns, if the card could not be read `GONE_AFTER` ago either, at an
        earlier attempt.
        """
        now, advice = self._dependencies.clock.now(), "use another table."
        if not self.is_quiet(now) or await self._lobby_answers():
            self._silent_since = None
        else:
            self._silent_since = now if self._silent_since is None else self._silent_since
            silent_s, wanted_s = now - self._silent_since, GONE_AFTER.total_seconds()
            if self.is_leased or self.room_key is None or silent_s >= wanted_s:
                logger.warning("table_abandoned", table=self.table.table_id)
                return
            advice = (
                f"its lobby does not answer; repeat this after {wanted_s - silent_s:.0f} s, or"
                f" {advice}"
            )
        raise CommandRefused(reason, f"This table serves {self.table.table_id}; {advice}")

    async def _lobby_answers(self) -> bool:
        card_url = self.configuration.casino_callback.agent_card_url
        try:
            await self._dependencies.client.resolve(card_url, timeout=_CARD_TIMEOUT)
        except AgentError as error:  # somebody may be there all the same
            return not isinstance(error, Unreachable | TimedOut)
        return True

    def rebind(self, request: ConfigureTableInput) -> None:
        bound = ConfigurationBound(request)
        bound.apply(self.state)
        self.publisher.rebind(request.casino_callback)
        try:
            self.journal.commit(bound.record())
        except JournalFailed as failed:  # lost on a restart only, and the lobby configures again
            logger.warning("journal_failed", table=self.table.table_id, error=str(failed))

    def configure_again(self, request: ConfigureTableInput, arrived_at: float) -> None:
        """Take over callback, lease and visitors; deliver the newest event again.

        A lease that runs is not prolonged: such a call may have waited in a stopped process.
        """
        current = self.configuration
        renewed = ("casino_callback", "lease_ms", "visitors")
        if any(getattr(request, name) != getattr(current, name) for name in renewed):
            self.rebind(request)
            if request.lease_ms is None:
                self.lease.lift()
            elif not self.lease.is_limited:
                self.lease.grant(arrived_at, request.lease_ms)
        if self.journal.is_durable:  # else no earlier event can be delivered again
            self.redeliver_last()

    def redeliver_last(self) -> None:
        """Deliver the newest event if none is undelivered: so a lobby notices that it lost some."""
        if not self.journal.undelivered and not self.publisher.is_refused:
            self.publisher.redeliver_newest()

    # Play and its end.

    def play(self, players: PlayerDirectory, notices: NoticeSender) -> None:
        """Play a session, or go on with the recovered one, in a task."""
        shared = self._dependencies
        self.session = HandSession(
            self.state,
            self.journal,
            players,
            shared.clock,
            lease=self.lease,
            outlets=DealOutlets(shared.entropy, self.publisher.flush, shared.signer),
            metrics=shared.metrics,
            notices=notices,
            waiting=self.waiting,
        )
        self.playing = asyncio.create_task(self.session.run())

    async def end_session(self) -> None:
        while self.session and self.playing and not self.playing.done():
            self.session.ends_after_hand = True
            await asyncio.wait([self.playing])

    async def wait_idle(self) -> bool:
        """Wait until no session runs and the lobby has confirmed, or refused, all events.

        Returns False if it refuses them. There is no timeout: the lobby needs the final stacks,
        however long it is unreachable.
        """
        if self.playing:
            await asyncio.wait([self.playing])
        return await self.publisher.flush(None)

    async def pay_out(self) -> bool:
        """Close the table after its session; return whether the lobby has all events."""
        if self.playing:
            await asyncio.wait([self.playing])
        if self.table.state != _CLOSED:  # else the event was committed before a restart
            await self._cash_out_all()
        return await self.wait_idle()

    async def _cash_out_all(self) -> None:
        """Pay out all stacks and commit the end of the table; retries while the journal fails."""
        self.table.close(_CLOSED)
        closed = status(self.table, "closed", f"table {self.table.table_id} is closed")
        while True:
            try:
                return self.journal.commit(self.state.record("closed"), [closed])
            except JournalFailed as failed:
                with self.waiting(WaitReason.JOURNAL_FAILED, str(failed)):
                    await self._dependencies.clock.sleep(_RETRY_S)

    async def drain(self, limit: timedelta) -> bool:
        """Finish the running hand before the process ends; return whether the lobby has its events.

        The session of a leased room is suspended: it continues at another table. So is that of a
        durable journal: it continues after the restart. Any other session ends.
        A hand that takes longer than `limit` stops at its decision. With a durable journal it can
        be resumed; otherwise it is cancelled, and the stacks are as before it.
        """
        if self.session and self.playing:
            if self.journal.is_durable or self.is_leased:
                self.session.suspends_after_hand = True
            else:
                self.table.begin_closing()
                self.session.ends_after_hand = True
            _, pending = await asyncio.wait([self.playing], timeout=limit.total_seconds())
            if pending:
                self.playing.cancel()
                await asyncio.wait(pending)
        if self.is_leased:
            self.lease.surrender()
        return await self.publisher.flush(FLUSH_LIMIT)

    def stop(self, reason: str) -> None:
        """Stop play: the lobby permanently refuses the events. Hands that it lacks are void."""
        if self.playing:
            self.playing.cancel()
        self.table.stop(f"the lobby refuses the events of this table: {reason}", "replaced")
        logger.error("table_replaced", table=self.table.table_id, reason=reason)

    async def end(self) -> None:
        """Stop publishing; cancel the running tasks and wait for their end."""
        self.publisher.stop()
        candidates = (self.playing, self.closing)
        tasks = [task for task in candidates if task and not task.done()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
