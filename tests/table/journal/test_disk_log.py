"""The journal on disk: atomic commits, detected damage, one process."""

import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from casino_contracts import StatusPayload, TableEvent
from casino_table.errors import JournalFailed
from casino_table.journal.disk_log import SESSIONS_KEPT, DiskLog
from casino_table.journal.journal import Journal, JournalRecord, TableFact

FACT = TableFact("table_status", "hm", StatusPayload(status="running", kind="started"), "t1/1")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of the log."""
    return tmp_path / "deep" / "table-1.journal"


def journal(log: DiskLog, epoch: int = 1) -> Journal:
    """Return a journal on a log."""
    return Journal("t1", epoch, lambda: "now", log)


def written(path: Path, records: int, facts: int = 2) -> None:
    """Write records with facts, and close the log."""
    log = DiskLog(path)
    book = journal(log)
    for number in range(records):
        table = {"hand_number": number} if number % 5 == 0 else None
        book.commit(JournalRecord("note", {"number": number}, table), [FACT] * facts)
    log.close()


def fill(book: Journal) -> None:
    """Commit more than fits."""
    for _ in range(100):
        book.commit(JournalRecord("note", {"text": "x" * 5000}), [FACT])


class LimitedLog(DiskLog):
    """A log whose file can be kept from growing, as by a full disk."""

    def limit_to_used_pages(self) -> None:
        """Allow no further page."""
        (pages,) = self._sql.execute("PRAGMA page_count").fetchone()
        self._sql.execute(f"PRAGMA max_page_count = {pages}")

    def lift_limit(self) -> None:
        """Allow further pages."""
        self._sql.execute("PRAGMA max_page_count = 1000000")


class TestKeeping:
    """What was committed is read back."""

    def test_the_tail_begins_at_the_last_whole_state(self, path: Path) -> None:
        """With all records since."""
        written(path, 13)
        log = DiskLog(path)
        epoch, records = log.tail()
        assert epoch == 1
        assert [record.content for record in records] == [{"number": n} for n in (10, 11, 12)]
        assert records[0].table == {"hand_number": 10}
        assert records[1].table is None
        log.close()

    def test_an_empty_log_has_no_tail(self, path: Path) -> None:
        """It has no record of a table."""
        log = DiskLog(path)
        assert log.tail() == (1, [])
        log.close()

    def test_sequences_continue_after_a_restart(self, path: Path) -> None:
        """Without a gap; confirmed events are not delivered again."""
        written(path, 4)
        log = DiskLog(path)
        book = journal(log)
        assert (book.last_sequence, book.undelivered) == (8, 8)
        book.delivered(5)
        book.commit(JournalRecord("note"), [FACT])
        log.close()
        log = DiskLog(path)
        book = journal(log)
        assert (book.delivered_until, book.last_sequence) == (5, 9)
        assert [entry.sequence for entry in book.after(5, 10)] == [6, 7, 8, 9]
        (entry,) = book.after(8, 10)
        assert TableEvent.model_validate_json(entry.content).sequence == 9
        log.close()

    def test_delivered_events_can_be_read_again(self, path: Path) -> None:
        """From the file, in order, with a limit."""
        written(path, 4)
        log = DiskLog(path)
        book = journal(log)
        book.delivered(8)
        assert [entry.sequence for entry in book.after(0, 3)] == [1, 2, 3]
        assert [entry.sequence for entry in book.after(2, 100)] == [3, 4, 5, 6, 7, 8]
        log.close()

    def test_a_new_epoch_begins_at_sequence_one(self, path: Path) -> None:
        """Events of the old epoch are unchanged."""
        written(path, 2)
        log = DiskLog(path)
        book = journal(log, epoch=2)
        assert book.last_sequence == 0
        book.commit(JournalRecord("configured", table={}), [FACT])
        assert [entry.sequence for entry in log.entries(1, 0, 100)] == [1, 2, 3, 4]
        assert [entry.sequence for entry in log.entries(2, 0, 100)] == [1]
        assert log.tail()[0] == 2
        log.close()

    def test_forgetting_deletes_all_records(self, path: Path) -> None:
        """Seeds among them; the hash chain continues."""
        written(path, 6)
        log = DiskLog(path)
        log.forget()
        assert log.tail() == (1, [])
        journal(log).commit(JournalRecord("configured", table={}), [FACT])
        log.close()
        log = DiskLog(path)
        assert [record.kind for record in log.tail()[1]] == ["configured"]
        log.close()

    def test_old_sessions_are_deleted_once_delivered(self, path: Path) -> None:
        """The newest are kept whole."""
        log = DiskLog(path)
        book = journal(log)
        for number in range(SESSIONS_KEPT + 2):
            book.commit(JournalRecord("session", {"number": number}, {}), [FACT])
            book.commit(JournalRecord("hand"), [FACT])
        log.compact()
        assert len(log.entries(1, 0, 100)) == 2 * (SESSIONS_KEPT + 2)
        book.delivered(book.last_sequence)
        log.compact()
        assert log.entries(1, 0, 1)[0].sequence == 5
        log.close()
        log = DiskLog(path)
        assert log.last_sequence(1) == 2 * (SESSIONS_KEPT + 2)
        log.close()


class TestHolding:
    """Access to the file."""

    def test_only_the_owner_may_read_the_files(self, path: Path) -> None:
        """They contain hole cards."""
        log = DiskLog(path)
        journal(log).commit(JournalRecord("note"), [FACT])
        for file in path.parent.iterdir():
            assert stat.S_IMODE(file.stat().st_mode) == 0o600, file.name
        log.close()

    def test_a_second_process_is_refused(self, path: Path) -> None:
        """Until the first has ended, in whatever way."""
        script = (
            "import sys, pathlib; from casino_table.journal.disk_log import DiskLog;"
            "log = DiskLog(pathlib.Path(sys.argv[1])); print('held', flush=True);"
            "sys.stdin.read()"
        )
        with subprocess.Popen(
            [sys.executable, "-c", script, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as holder:
            assert holder.stdout is not None
            assert holder.stdout.readline() == b"held\n"
            with pytest.raises(JournalFailed, match="held by another process"):
                DiskLog(path)
            holder.kill()
            holder.wait()
        DiskLog(path).close()

    def test_a_path_that_cannot_be_written_is_refused(self, tmp_path: Path) -> None:
        """The message has the path."""
        (tmp_path / "file").write_text("")
        with pytest.raises(JournalFailed, match="cannot be opened"):
            DiskLog(tmp_path / "file" / "table.journal")


class TestDamage:
    """A changed record is never read."""

    def test_every_flipped_byte_is_detected_or_harmless(self, path: Path) -> None:
        """The file is refused, or every record is unchanged."""
        written(path, 40)
        whole = path.read_bytes()
        log = DiskLog(path)
        true = [entry.content for entry in log.entries(1, 0, 1000)]
        log.close()
        refused = 0
        for position in range(0, len(whole), 97):
            damaged = bytearray(whole)
            damaged[position] ^= 0x41
            path.write_bytes(damaged)
            try:
                log = DiskLog(path)
            except JournalFailed as failed:
                refused += 1
                assert "damaged at record" in str(failed)  # noqa: PT017
                continue
            assert [entry.content for entry in log.entries(1, 0, 1000)] == true, position
            assert len(log.tail()[1]) == 5
            log.close()
        assert refused > 100

    def test_a_truncated_file_is_refused(self, path: Path) -> None:
        """Its committed part is incomplete."""
        written(path, 60)
        whole = path.read_bytes()
        for length in range(4096, len(whole), 4096):
            path.write_bytes(whole[:length])
            with pytest.raises(JournalFailed, match="damaged at record"):
                DiskLog(path)

    def test_a_truncated_write_ahead_log_shortens_the_tail(self, path: Path) -> None:
        """Wherever it is cut or changed, the remaining records are true."""
        log = DiskLog(path)
        book = journal(log)
        for number in range(30):
            book.commit(JournalRecord("note", {"number": number}, {}), [FACT])
        wal = path.with_name(path.name + "-wal")
        main, ahead = path.read_bytes(), wal.read_bytes()
        true = [entry.content for entry in log.entries(1, 0, 1000)]
        log.close()
        lengths = set()
        for position in range(0, len(ahead), 509):
            for cut in (ahead[:position], ahead[:position] + b"\xff" + ahead[position + 1 :]):
                path.write_bytes(main)
                wal.write_bytes(cut)
                log = DiskLog(path)
                found = [entry.content for entry in log.entries(1, 0, 1000)]
                assert found == true[: len(found)]
                lengths.add(len(found))
                log.close()
        assert {0, 29} <= lengths

    def test_a_rewritten_record_is_refused_by_its_number(self, path: Path) -> None:
        """Also if it was changed by SQL."""
        written(path, 8)
        with sqlite3.connect(path) as sql:
            sql.execute(
                "UPDATE record SET body = CAST(replace(body, '4', '5') AS BLOB) WHERE number = 5"
            )
        sql.close()
        with pytest.raises(JournalFailed, match="damaged at record 5"):
            DiskLog(path)

    def test_a_deleted_record_is_detected(self, path: Path) -> None:
        """The next record does not follow."""
        written(path, 8)
        with sqlite3.connect(path) as sql:
            sql.execute("DELETE FROM record WHERE number = 3")
        sql.close()
        with pytest.raises(JournalFailed, match="damaged at record 3"):
            DiskLog(path)


class TestFullDisk:
    """Commits on a full disk."""

    def test_a_commit_fails_as_a_whole_and_works_again(self, path: Path) -> None:
        """When there is space again."""
        log = LimitedLog(path)
        book = journal(log)
        book.commit(JournalRecord("note"), [FACT])
        log.limit_to_used_pages()
        with pytest.raises(JournalFailed, match="cannot be written: database or disk is full"):
            fill(book)
        held = book.last_sequence
        log.lift_limit()
        book.commit(JournalRecord("note"), [FACT])
        assert book.last_sequence == held + 1
        log.close()
        again = DiskLog(path)
        assert journal(again).last_sequence == held + 1
        again.close()

    def test_disk_space_is_what_a_hand_needs(self, path: Path) -> None:
        """Less is reported before a hand is dealt."""
        log = DiskLog(path)
        assert log.has_disk_space()
        log.close()
        free = os.statvfs(path.parent)
        log = DiskLog(path, min_free_bytes=2 * free.f_bavail * free.f_frsize)
        assert not log.has_disk_space()
        log.close()
