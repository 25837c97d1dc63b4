"""The life cycle of the table that an agent serves: recover, publish, play, close, release."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import structlog
from casino_agentkit import AgentClient, CommandRefused
from casino_agentkit.process.background_tasks import BackgroundTasks
from casino_contracts import Reason
from casino_games.shuffle import derive_seed
from casino_play.turn import Clock, PlayerDirectory

from casino_table.active_table import CLOSED, ActiveTable, CompletedHand
from casino_table.delivery.event_publisher import EventDelivery, Publisher
from casino_table.domain.lease import Lease
from casino_table.journal.journal import MAX_UNDELIVERED, Journal
from casino_table.journal.journal_log import Log
from casino_table.metrics import TableMetrics
from casino_table.play.changes import JournaledTable, decisions_in, recover
from casino_table.play.hand_notices import NoticeSender
from casino_table.play.session import Session

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
