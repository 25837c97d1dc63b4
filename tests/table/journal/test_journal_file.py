"""The file of a process: atomic commits, detected damage, one process."""

import re
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from casino_contracts import StatusPayload
from casino_table.errors import JournalDamaged, JournalFailed, JournalHeld
from casino_table.journal.disk_log import DiskLog, GroupCommit
from casino_table.journal.exclusive_file import Synchronous
from casino_table.journal.journal import EventDraft, Journal
from casino_table.journal.journal_file import MOST_BYTES, JournalFile
from casino_table.journal.journal_log import JournalRecord, SequencedEvent
from support.table.disk_log import end_process

DRAFT = EventDraft("table_status", "hm", StatusPayload(status="running", kind="started"), "t1/1")

DAMAGED = re.compile(r"is damaged at (record \d+ of table \d|commit \d+|its beginning|one of its)")


class SeveralLogs:
    """The open logs of some tables, and a journal of each, by the number of the table."""

    def __init__(self, file: JournalFile, tables: int = 2) -> None:
        self.file = file
        group = GroupCommit(file)
        self.logs = {number: DiskLog(group, number) for number in range(1, tables + 1)}
        self.journals = {
            number: Journal(f"t{number}", 1, lambda: "now", log)
            for number, log in self.logs.items()
        }

    @classmethod
    def opened(cls, path: Path, tables: int = 2) -> "SeveralLogs":
        return cls(JournalFile(path), tables)

    def commit(self, records: int, *, hand: int = 5, drafts: int = 2, text: str = "") -> None:
        """Commit records of all tables in turn; each `hand` records one has the full state."""
        for number in range(records):
            state = {"hand_number": number} if number % hand == 0 else None
            content = {"number": number, "text": text}
            for book in self.journals.values():
                book.commit(JournalRecord("note", content, state), [DRAFT] * drafts)

    def events(self) -> dict[int, list[SequencedEvent]]:
        return {number: log.events(1, 0, 100_000) for number, log in self.logs.items()}

    def close(self) -> None:
        """Close the logs, and with the last of them the file."""
        for log in self.logs.values():
            log.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "tables-1-of-1.journal"


def written(path: Path, records: int) -> None:
    logs = SeveralLogs.opened(path)
    logs.commit(records)
    logs.close()


class LimitedFile(JournalFile):
    """A file that says its settings, and can be kept from growing, as by a full disk."""

    def setting(self, name: str) -> int:
        (value,) = self._sql.execute(f"PRAGMA {name}").fetchone()
        return int(value)

    def limit_to_used_pages(self) -> None:
        self._sql.execute(f"PRAGMA max_page_count = {self.setting('page_count')}")

    def lift_limit(self) -> None:
        self._sql.execute("PRAGMA max_page_count = 1000000")


class TestHolding:
    def test_only_the_owner_may_read_the_files(self, path: Path) -> None:
        """They contain hole cards."""
        logs = SeveralLogs.opened(path)
        logs.commit(1)
        for file in path.parent.iterdir():
            assert stat.S_IMODE(file.stat().st_mode) == 0o600, file.name
        logs.close()

    @pytest.mark.parametrize(("synchronous", "number"), [("off", 0), ("normal", 1), ("full", 2)])
    def test_commits_are_as_safe_as_was_wanted(
        self, path: Path, synchronous: Synchronous, number: int
    ) -> None:
        file = LimitedFile(path, synchronous=synchronous)
        assert file.setting("synchronous") == number
        file.close()

    @pytest.mark.full
    def test_a_second_process_is_refused(self, path: Path) -> None:
        script = (
            "import sys, pathlib; from casino_table.journal.journal_file import JournalFile;"
            "file = JournalFile(pathlib.Path(sys.argv[1])); print('held', flush=True);"
            "sys.stdin.read()"
        )
        with subprocess.Popen(
            [sys.executable, "-c", script, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as holder:
            assert holder.stdout is not None
            assert holder.stdout.readline() == b"held\n"
            with pytest.raises(JournalHeld, match="held by another process"):
                JournalFile(path)
            holder.kill()
            holder.wait()
        JournalFile(path).close()

    def test_a_path_that_cannot_be_written_is_refused(self, tmp_path: Path) -> None:
        """The message has the path."""
        (tmp_path / "file").write_text("")
        with pytest.raises(JournalFailed, match="cannot be opened"):
            JournalFile(tmp_path / "file" / "tables-1-of-1.journal")


class TestTables:
    def test_each_table_has_its_own_records(self, path: Path) -> None:
        """Also after a restart, with those of a hand that is not over."""
        logs = SeveralLogs.opened(path, 3)
        logs.commit(8)
        logs.journals[2].commit(JournalRecord("note", {"only": "two"}), [DRAFT])
        tails, events = {n: log.tail() for n, log in logs.logs.items()}, logs.events()
        assert [len(found) for found in events.values()] == [16, 17, 16]
        logs.close()
        again = SeveralLogs.opened(path, 3)
        assert {n: log.tail() for n, log in again.logs.items()} == tails
        assert again.events() == events
        again.close()

    def test_forgetting_one_table_leaves_the_others(self, path: Path) -> None:
        logs = SeveralLogs.opened(path)
        logs.commit(8)
        events = logs.events()
        logs.logs[1].forget()
        assert logs.logs[1].tail() == (1, [])
        assert logs.events() == {1: [], 2: events[2]}
        logs.close()
        again = SeveralLogs.opened(path)
        assert again.events() == {1: [], 2: events[2]}
        again.journals[1].commit(JournalRecord("configured", {}, {"hand_number": 0}), [DRAFT])
        again.close()
        again = SeveralLogs.opened(path)
        assert [record.kind for record in again.logs[1].tail()[1]] == ["configured"]
        assert again.events()[2] == events[2]
        again.close()

    def test_a_table_that_is_not_served_keeps_its_records(self, path: Path) -> None:
        """A process that serves fewer tables trims what others have not completed, too."""
        logs = SeveralLogs.opened(path, 2)
        logs.commit(3)
        events = logs.events()
        logs.close()
        alone = SeveralLogs.opened(path, 1)
        fill_recent(alone)
        alone.close()
        again = SeveralLogs.opened(path, 2)
        assert again.events()[2] == events[2]
        assert [record.content for record in again.logs[2].tail()[1]] == [
            {"number": number, "text": ""} for number in range(3)
        ]
        again.close()


def fill_recent(logs: SeveralLogs) -> None:
    """Commit so much of the running hand of table 1 that older commits are trimmed."""
    before = recent_bytes(logs.file)
    noise = "".join(map(chr, range(0x4E00, 0x4E00 + 8_000)))
    for count in range(1000):
        logs.journals[1].commit(JournalRecord("note", {"text": f"{count} {noise}"}), [DRAFT])
        if recent_bytes(logs.file) < before:
            return
        before = recent_bytes(logs.file)
    raise AssertionError("nothing was trimmed")


def recent_bytes(file: JournalFile) -> int:
    """Return the size of what is stored by commit."""
    (size,) = file._sql.execute("SELECT total(length(body)) FROM recent").fetchone()
    return int(size)


class TestRecent:
    def test_they_are_bounded(self, path: Path) -> None:
        """Also within one endless hand, of which nothing is lost."""
        logs = SeveralLogs.opened(path)
        logs.commit(7)
        fill_recent(logs)
        assert recent_bytes(logs.file) < MOST_BYTES
        tails, events = {n: log.tail() for n, log in logs.logs.items()}, logs.events()
        end_process(logs.logs[1])
        again = SeveralLogs.opened(path)
        assert {n: log.tail() for n, log in again.logs.items()} == tails
        assert again.events() == events
        fill_recent(again)
        for number, found in again.events().items():
            assert found[: len(events[number])] == events[number]
            assert [event.sequence for event in found] == list(range(1, len(found) + 1))
        again.close()

    def test_a_trim_that_fails_costs_nothing(self, path: Path) -> None:
        logs = SeveralLogs(LimitedFile(path))
        logs.commit(1)

        def verdict(action: int, *_names: str | None) -> int:
            return sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_DELETE else sqlite3.SQLITE_OK

        logs.file._sql.set_authorizer(verdict)
        with pytest.raises(AssertionError, match="nothing was trimmed"):
            fill_recent(logs)
        logs.file._sql.set_authorizer(None)
        fill_recent(logs)
        assert recent_bytes(logs.file) < 2 * MOST_BYTES
        logs.close()


class TestDamage:
    def test_every_flipped_byte_is_detected_or_harmless(self, path: Path) -> None:
        written(path, 43)
        whole = path.read_bytes()
        logs = SeveralLogs.opened(path)
        true, tails = logs.events(), [len(log.tail()[1]) for log in logs.logs.values()]
        logs.close()
        refused = 0
        for position in range(0, len(whole), 61):
            damaged = bytearray(whole)
            damaged[position] ^= 0x41
            path.write_bytes(damaged)
            try:
                logs = SeveralLogs.opened(path)
            except JournalDamaged as failed:
                refused += 1
                assert DAMAGED.search(str(failed)), failed  # noqa: PT017
                continue
            assert logs.events() == true, position
            assert [len(log.tail()[1]) for log in logs.logs.values()] == tails
            logs.close()
        assert refused > 100

    def test_a_truncated_file_is_refused(self, path: Path) -> None:
        written(path, 60)
        whole = path.read_bytes()
        for length in range(4096, len(whole), 4096):
            path.write_bytes(whole[:length])
            with pytest.raises(JournalDamaged, match=DAMAGED):
                JournalFile(path)

    def test_a_truncated_write_ahead_log_shortens_the_tails(self, path: Path) -> None:
        """Wherever it is cut or changed, the remaining records are true."""
        logs = SeveralLogs.opened(path)
        logs.commit(15)
        wal = path.with_name(path.name + "-wal")
        main, ahead = path.read_bytes(), wal.read_bytes()
        true = logs.events()
        logs.close()
        lengths = set()
        for position in range(0, len(ahead), 509):
            for cut in (ahead[:position], ahead[:position] + b"\xff" + ahead[position + 1 :]):
                path.write_bytes(main)
                wal.write_bytes(cut)
                logs = SeveralLogs.opened(path)
                found = logs.events()
                for number, events in found.items():
                    assert events == true[number][: len(events)]
                lengths.add(len(found[1]) + len(found[2]))
                logs.close()
        assert {0, 58} <= lengths  # two of each record

    @pytest.mark.parametrize(
        ("statement", "where"),
        [
            (
                "UPDATE block SET body = zeroblob(9) WHERE place = 2 << 40 | 6",
                "record 2 of table 2",
            ),
            ("UPDATE block SET hand = 6 WHERE place = 1 << 40 | 6", "record 2 of table 1"),
            ("DELETE FROM block WHERE place = 2 << 40 | 1", "record 1 of table 2"),
            ("DELETE FROM recent WHERE number = 9", "commit 9"),
            ("UPDATE recent SET hash = zeroblob(16) WHERE number = 12", "record 8 of table 2"),
            ("UPDATE recent SET body = zeroblob(9) WHERE number = 11", "commit 11"),
        ],
    )
    def test_what_was_changed_by_sql_is_named(self, path: Path, statement: str, where: str) -> None:
        """Each table has a block of its first record, one of five more, and two recent records."""
        written(path, 8)
        with sqlite3.connect(path) as sql:
            assert sql.execute(statement).rowcount == 1
        sql.close()
        with pytest.raises(JournalDamaged, match=f"is damaged at {where}: "):
            JournalFile(path)


class TestFullDisk:
    def test_a_commit_fails_as_a_whole_and_works_again(self, path: Path) -> None:
        file = LimitedFile(path)
        logs = SeveralLogs(file)
        logs.commit(1)
        file.limit_to_used_pages()
        with pytest.raises(JournalFailed, match="cannot be written: database or disk is full"):
            logs.commit(100, text="".join(map(chr, range(0x4E00, 0x4E00 + 5_000))))
        held = {number: book.last_sequence for number, book in logs.journals.items()}
        file.lift_limit()
        logs.commit(1)
        grown = {number: sequence + 2 for number, sequence in held.items()}
        assert {n: book.last_sequence for n, book in logs.journals.items()} == grown
        logs.close()
        again = SeveralLogs.opened(path)
        assert {n: book.last_sequence for n, book in again.journals.items()} == grown
        again.close()
