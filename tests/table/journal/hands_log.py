"""A log that is filled with the records of hands, as a table writes them."""

import random
from pathlib import Path

from casino_contracts import StatusPayload
from casino_table.journal.disk_log import DiskLog
from casino_table.journal.journal import EventDraft, Journal
from casino_table.journal.journal_log import CONFIGURED, SETTLED, JournalRecord
from support.table.disk_log import disk_log

SLACK = 10
"""Hands beyond 100 kept ones that are stored before they are deleted together."""


class HandsLog:
    """A table's journal on a log, with commands that write what a table writes.

    `detail` is the number of characters of each decision's reasoning, which cannot be compressed
    to less than half.
    """

    def __init__(self, log: DiskLog, detail: int = 0) -> None:
        self.log = log
        self._detail = detail
        self._dice = random.Random(1)
        epoch, records = log.tail()
        self.number: int = (records[0].table or {})["hand_number"] if records else 0
        self._is_dealt = "hand" in {record.kind for record in records}
        self.number += self._is_dealt
        self.epoch = epoch
        self.book = Journal("t1", epoch, lambda: "now", log)
        if not records:
            self._begin(epoch, None)

    @classmethod
    def opened(cls, path: Path, keep_hands: int | None = None, detail: int = 0) -> "HandsLog":
        return cls(disk_log(path, synchronous="off", keep_hands=keep_hands), detail)

    def _begin(self, epoch: int, cancelled: int | None) -> None:
        self.epoch = epoch
        by = {"continuation": {"handNumber": self.number, "cancelledHand": cancelled}}
        self._commit(CONFIGURED, {"by": by}, has_state=True)

    def _commit(
        self, kind: str, content: dict[str, object] | None = None, *, has_state: bool = False
    ) -> None:
        table = {"hand_number": self.number} if has_state else None
        payload = StatusPayload(status="running", kind="started")
        fact = EventDraft("table_status", f"{kind} {self.number}", payload)
        self.book.commit(JournalRecord(kind, content, table), [fact])

    def deal(self, decisions: int = 2) -> None:
        """Begin a hand and decide in it, without completing it; not while one runs."""
        if self._is_dealt:
            return
        self._is_dealt = True
        self.number += 1
        self._commit("hand", {"seed": f"seed of {self.epoch}/{self.number}"})
        for _ in range(decisions):
            self.decide()

    def decide(self) -> None:
        """Decide in the running hand, or in a new one."""
        self.deal(0)
        self._commit("decided", {"reasoning": self._dice.randbytes(self._detail // 2).hex()})

    def settle(self) -> None:
        self._is_dealt = False
        self._commit(SETTLED, {"hand": self.number}, has_state=True)

    def play(self, hands: int = 1, *, is_confirmed: bool = False) -> None:
        """Play hands, a running one first.

        With `is_confirmed` the lobby confirms all events of a hand before the next one.
        """
        for _ in range(hands):
            self.deal()
            self.settle()
            if is_confirmed:
                self.confirm_all()

    def cancel(self) -> None:
        """Cancel the running hand, or another one; its number is not used again."""
        self.deal()
        self._is_dealt = False
        self._commit("cancelled", {}, has_state=True)

    def begin_session(self, *, compacts: bool = True) -> None:
        """Begin a session between hands, which deletes what is not needed."""
        if self._is_dealt:
            self.settle()
        if compacts:
            self.log.compact()
        self._commit("session", {}, has_state=True)

    def note_seat(self) -> None:
        self._commit("seated", {"player": self.number})

    def begin_epoch(self, number: int, cancelled: int | None = None) -> None:
        """Continue after a hand in a new epoch, whose lobby may have cancelled a hand."""
        self.number, self._is_dealt = number, False
        self.book = Journal("t1", self.epoch + 1, lambda: "now", self.log)
        self._begin(self.epoch + 1, cancelled)

    def confirm(self, sequence: int) -> None:
        """Confirm the events up to a sequence, as the lobby does."""
        self.book.delivered(sequence)

    def confirm_all(self) -> None:
        self.confirm(self.book.last_sequence)

    def stored(self) -> list[int]:
        """Return the numbers of the hands that can be read."""
        return [number for number in range(1, self.number + 1) if self.log.hand(number)]

    def hands(self) -> dict[int, list[JournalRecord]]:
        return {number: self.log.hand(number) for number in self.stored()}
