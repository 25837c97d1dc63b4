"""One table's log on disk: what was committed is read back, what is old is deleted."""

import os
from pathlib import Path

import pytest
from casino_contracts import StatusPayload, TableEvent
from casino_table.journal.disk_log import SESSIONS_KEPT, DiskLog
from casino_table.journal.journal import EventDraft, Journal
from casino_table.journal.journal_log import JournalRecord
from support.table.disk_log import disk_log

DRAFT = EventDraft("table_status", "hm", StatusPayload(status="running", kind="started"), "t1/1")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "tables-1-of-1.journal"


def journal(log: DiskLog, epoch: int = 1) -> Journal:
    return Journal("t1", epoch, lambda: "now", log)


def written(path: Path, records: int, drafts: int = 2) -> None:
    log = disk_log(path)
    book = journal(log)
    for number in range(records):
        table = {"hand_number": number} if number % 5 == 0 else None
        book.commit(JournalRecord("note", {"number": number}, table), [DRAFT] * drafts)
    log.close()


class TestKeeping:
    def test_the_tail_begins_at_the_last_whole_state(self, path: Path) -> None:
        written(path, 13)
        log = disk_log(path)
        epoch, records = log.tail()
        assert epoch == 1
        assert [record.content for record in records] == [{"number": n} for n in (10, 11, 12)]
        assert records[0].table == {"hand_number": 10}
        assert records[1].table is None
        log.close()

    def test_sequences_continue_after_a_restart(self, path: Path) -> None:
        """Without a gap; confirmed events are not delivered again."""
        written(path, 4)
        log = disk_log(path)
        book = journal(log)
        assert (book.last_sequence, book.undelivered) == (8, 8)
        book.delivered(5)
        book.commit(JournalRecord("note"), [DRAFT])
        log.close()
        log = disk_log(path)
        book = journal(log)
        assert (book.delivered_until, book.last_sequence) == (5, 9)
        assert [entry.sequence for entry in book.after(5, 10)] == [6, 7, 8, 9]
        (entry,) = book.after(8, 10)
        assert TableEvent.model_validate_json(entry.content).sequence == 9
        log.close()

    def test_a_new_epoch_begins_at_sequence_one(self, path: Path) -> None:
        written(path, 2)
        log = disk_log(path)
        book = journal(log, epoch=2)
        assert book.last_sequence == 0
        book.commit(JournalRecord("configured", table={"hand_number": 0}), [DRAFT])
        assert [entry.sequence for entry in log.events(1, 0, 100)] == [1, 2, 3, 4]
        assert [entry.sequence for entry in log.events(2, 0, 100)] == [1]
        assert log.tail()[0] == 2
        log.close()

    def test_old_sessions_are_deleted_once_delivered(self, path: Path) -> None:
        log = disk_log(path)
        book = journal(log)
        for number in range(SESSIONS_KEPT + 2):
            book.commit(JournalRecord("session", {"number": number}, {"hand_number": 0}), [DRAFT])
            book.commit(JournalRecord("hand"), [DRAFT])
        log.compact()
        assert len(log.events(1, 0, 100)) == 2 * (SESSIONS_KEPT + 2)
        book.delivered(book.last_sequence)
        log.compact()
        assert log.events(1, 0, 1)[0].sequence == 4  # in the run that the session ends
        log.close()
        log = disk_log(path)
        assert log.last_sequence(1) == 2 * (SESSIONS_KEPT + 2)
        log.close()


def test_disk_space_is_what_a_hand_needs(path: Path) -> None:
    log = disk_log(path)
    assert log.has_disk_space()
    log.close()
    free = os.statvfs(path.parent)
    log = disk_log(path, min_free_bytes=2 * free.f_bavail * free.f_frsize)
    assert not log.has_disk_space()
    log.close()
