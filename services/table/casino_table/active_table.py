"""A table with all that belongs to its epoch: its journal, the way to its lobby, what runs."""

import asyncio
import re
from dataclasses import dataclass
from typing import NamedTuple

import structlog
from casino_agentkit import CommandRefused
from casino_contracts import ConfigureTableInput, RoomKey, TableSummary

from casino_table.clock import Clock
from casino_table.delivery.publisher import Publisher
from casino_table.domain.table import Table
from casino_table.journal.journal import Journal, JournalFailed, JournalRecord
from casino_table.metrics import TableGauges
from casino_table.play.session import Session
from casino_table.presenters.status import status

CLOSED = "closed"
_RETRY_S = 1.0
_NUMBER = re.compile("[1-9][0-9]{0,14}")

logger = structlog.get_logger(__name__)


class CompletedHand(NamedTuple):
    """A hand that the operator may read, and the key of its room."""

    table_id: str
    hand_id: str
    room_key: RoomKey | None
    records: list[JournalRecord]

    def kept(self) -> list[JournalRecord]:
        """Return its records; raises CommandRefused: UNKNOWN_HAND."""
        if not self.records:
            raise CommandRefused("UNKNOWN_HAND", f"Hand {self.hand_id} was cancelled.")
        return self.records


@dataclass
class ActiveTable:
    """One epoch of one table at this agent."""

    by: ConfigureTableInput
    table: Table
    journal: Journal
    publisher: Publisher
    publishing: asyncio.Task[None]
    session: Session | None = None
    playing: asyncio.Task[None] | None = None
    closing: asyncio.Task[None] | None = None

    @property
    def room_key(self) -> RoomKey | None:
        """The key of the room, None where the lobby sent none."""
        secret = self.by.casino_callback.secret
        return RoomKey(secret) if secret else None

    @property
    def is_playing(self) -> bool:
        """Whether a session runs."""
        return self.playing is not None and not self.playing.done()

    def record(self, kind: str) -> JournalRecord:
        """Return a record with all that the fold needs to begin there."""
        return JournalRecord(kind, {"by": self.by.model_dump(mode="json")}, self.table.to_json())

    def summary(self) -> TableSummary:
        """Return how the table stands."""
        stands = {"sequence": self.journal.last_sequence, "kept_from": self.journal.kept_from}
        return self.table.summary().model_copy(update=stands)

    def hand(self, hand_id: str) -> list[JournalRecord]:
        """Return the records of a completed hand.

        Raises CommandRefused: UNKNOWN_HAND, HAND_RUNNING.
        """
        table_id, _, number = hand_id.rpartition("/")
        is_ours = table_id == self.table.table_id and _NUMBER.fullmatch(number)
        records = self.journal.hand(int(number)) if is_ours else []
        if records:
            return records
        running = self.session and self.session.hand
        if running and running.id == hand_id:
            raise CommandRefused(
                "HAND_RUNNING", f"Hand {hand_id} is being played; ask when it is over."
            )
        raise CommandRefused(
            "UNKNOWN_HAND",
            f"Table {self.table.table_id} has no completed hand {hand_id}: it was cancelled,"
            " is kept no more, or never was.",
        )

    def gauges(self) -> TableGauges:
        """Return what the process's metrics tell of it."""
        chips = sum(seat.stack for seat in self.table.seats.values())
        return TableGauges(
            self.table.status, self.table.unit.amount(chips), self.journal.undelivered
        )

    def last_hand(self) -> CompletedHand:
        """Return the newest hand, for the time when the table is closed and all else forgotten."""
        table_id, number = self.table.table_id, self.table.hand_number
        return CompletedHand(
            table_id,
            f"{table_id}/{number}",
            self.room_key,
            self.journal.hand(number),
        )

    def rebind(self, given: ConfigureTableInput) -> None:
        """Publish to another address from now on."""
        self.by = given
        self.publisher.callback = given.casino_callback
        try:
            self.journal.commit(JournalRecord("bound", {"by": given.model_dump(mode="json")}))
        except JournalFailed as failed:  # it serves until a restart, and the lobby says it again
            logger.warning("journal_failed", table=self.table.table_id, error=str(failed))

    def redeliver_last(self) -> None:
        """Deliver the newest event once more, where nothing else is on its way.

        A lobby whose last moments were lost would not hear of them before something new happens.
        """
        journal = self.journal
        if journal.is_durable and not journal.undelivered and not self.publishing.done():
            self.publishing.cancel()  # it waits for news
            self.publisher.step_back()
            self.publishing = asyncio.ensure_future(self.publisher.run())

    async def cash_out_all(self, clock: Clock) -> None:
        """Let everybody leave with his chips."""
        self.table.clear()
        self.table.status, self.table.state = "idle", CLOSED
        told = status(self.table, "closed", f"table {self.table.table_id} is closed")
        while True:
            try:
                return self.journal.commit(self.record("closed"), [told])
            except JournalFailed as failed:
                logger.error(  # noqa: TRY400  no fault here
                    "journal_failed", table=self.table.table_id, error=str(failed)
                )
                await clock.sleep(_RETRY_S)

    async def end(self) -> None:
        """End all that runs."""
        ours = (self.playing, self.publishing, self.closing)
        tasks = [task for task in ours if task and not task.done()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
