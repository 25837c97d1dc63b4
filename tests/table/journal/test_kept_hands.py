"""A log on disk that keeps its newest hands: what stays is unchanged, what is older is gone."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from casino_agentkit import InvalidSettings
from casino_table.app import open_logs
from casino_table.journal.codec import RecordBlock
from casino_table.journal.disk_log import SESSIONS_KEPT, DiskLog
from casino_table.journal.journal_file import JournalFile
from casino_table.settings import TableSettings
from structlog.testing import capture_logs
from support.table.disk_log import disk_log, end_process, log_in
from table.journal.hands_log import SLACK, HandsLog

KEEP = 100


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tables-1-of-1.journal"


@pytest.fixture
def table(path: Path) -> Iterator[HandsLog]:
    """Return an empty log that keeps 100 hands."""
    table = HandsLog.opened(path, KEEP)
    yield table
    table.log.close()


def refuse_deletions(log: DiskLog, *, refuses: bool) -> None:
    """Let SQLite refuse deletions from now on, or allow them again."""

    def verdict(action: int, *_names: str | None) -> int:
        is_refused = refuses and action == sqlite3.SQLITE_DELETE
        return sqlite3.SQLITE_DENY if is_refused else sqlite3.SQLITE_OK

    log._file._sql.set_authorizer(verdict)


class KilledFile(JournalFile):
    """A file whose process is killed between the commit of a hand and the deletion after it."""

    class Killed(BaseException):
        """The process was killed."""

    def delete(self, last: RecordBlock) -> None:
        """Do not even begin."""
        del last
        raise self.Killed


class TestKeptHands:
    def test_the_file_stops_growing(self, path: Path) -> None:
        """Pages of deleted records are used again; the write-ahead log is bounded as well."""

        def size() -> int:
            files = (path, path.with_name(f"{path.name}-wal"))
            return sum(file.stat().st_size for file in files)

        table, sizes = HandsLog.opened(path, KEEP, detail=16_000), []
        for _ in range(6):
            table.play(KEEP + SLACK, is_confirmed=True)
            sizes.append(size())
        table.log.close()
        assert sizes[2] > 6_000_000
        assert max(sizes) <= 1.1 * sizes[2]

    def test_the_setting_reaches_the_journals(self, tmp_path: Path) -> None:
        """Of every table of the process; fewer than 100 hands are refused."""
        environment = {"CASINO_TABLE_DATA": str(tmp_path), "CASINO_TABLE_COUNT": "2"}
        settings = TableSettings.load({**environment, "CASINO_TABLE_KEEP_HANDS": "100"})
        for log in open_logs(settings)[0]:
            assert isinstance(log, DiskLog)
            table = HandsLog(log)
            table.play(KEEP + SLACK + 1, is_confirmed=True)
            assert table.stored()[0] == 12
            log.close()
        with pytest.raises(InvalidSettings, match="CASINO_TABLE_KEEP_HANDS: must be at least 100"):
            TableSettings.load({**environment, "CASINO_TABLE_KEEP_HANDS": "99"})


class TestConfirmation:
    def test_a_single_unconfirmed_event_stays(self, table: HandsLog) -> None:
        """With its record; after it is confirmed, the next hand deletes."""
        table.play(KEEP + SLACK)
        # Hand 11 is settled in the run from which on all is kept: up to event 1 + 4 * 10 may go.
        table.confirm(4 * 10)
        table.play()
        assert table.stored()[0] == 1
        table.confirm(4 * 12)
        table.play()
        assert table.stored()[0] == 13
        assert table.book.kept_from == 1 + 4 * 11 + 1
        assert [entry.sequence for entry in table.book.after(table.book.delivered_until, 1)] == [
            4 * 12 + 1
        ]

    def test_what_an_earlier_process_stored_of_an_earlier_room_does_not_count(
        self, path: Path
    ) -> None:
        table = HandsLog.opened(path, KEEP)
        table.play(KEEP, is_confirmed=True)
        table.log.forget()
        table.log.close()
        table = HandsLog.opened(path, KEEP)
        assert table.log.delivered_until(1) == 0
        table.play(KEEP + SLACK + 1)
        assert table.stored()[0] == 1
        table.log.close()


class TestSessions:
    """The start of a session deletes old sessions, but no hand that is kept."""

    def test_what_lies_before_the_oldest_hand_is_deleted(self, table: HandsLog) -> None:
        for _ in range(SESSIONS_KEPT + 10):
            table.begin_session()
            table.confirm_all()
        assert table.log.events(1, 0, 1)[0].sequence == SESSIONS_KEPT + 8
        table.play(is_confirmed=True)
        for _ in range(SESSIONS_KEPT + 10):
            table.begin_session()
            table.confirm_all()
        assert table.stored() == [1]
        # The hand begins at the record of the session before it: the event after `configured` and
        # the sessions before that.
        assert table.book.kept_from == 1 + SESSIONS_KEPT + 10


class TestRestart:
    def test_a_log_of_which_everything_was_kept_is_shortened(self, path: Path) -> None:
        table = HandsLog.opened(path)
        table.play(3 * KEEP, is_confirmed=True)
        table.log.close()
        table = HandsLog.opened(path, KEEP)
        assert len(table.stored()) == 3 * KEEP
        table.play(is_confirmed=True)
        assert table.stored()[0] == 2 * SLACK + 1
        table.play(SLACK - 1, is_confirmed=True)
        assert table.stored()[0] == 2 * SLACK * SLACK + 1
        table.log.close()

    def test_a_kill_before_the_deletion_costs_nothing(self, path: Path) -> None:
        """The committed hand stays; the next one deletes."""
        log = log_in(KilledFile(path, synchronous="off"), keep_hands=KEEP)
        table = HandsLog(log)
        table.play(KEEP + SLACK, is_confirmed=True)
        with pytest.raises(KilledFile.Killed):
            table.play()
        end_process(log)
        table = HandsLog.opened(path, KEEP)
        assert table.stored() == list(range(1, KEEP + SLACK + 2))
        table.confirm_all()
        table.play()
        assert table.stored()[0] == 13
        table.log.close()

    @pytest.mark.full
    def test_a_killed_process_leaves_a_whole_journal(self, path: Path) -> None:
        program = (
            "import sys; from pathlib import Path; from table.journal.hands_log import HandsLog;"
            "table = HandsLog.opened(Path(sys.argv[1]), 100, detail=500)\n"
            "while True:\n    table.play(is_confirmed=True); print(table.number, flush=True)"
        )
        played = 0
        for hands in (150, 173, 211):
            with subprocess.Popen(
                [sys.executable, "-c", program, str(path)],
                stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            ) as process:
                assert process.stdout is not None
                while played < hands:
                    played = int(process.stdout.readline())
                process.kill()
                process.communicate()
            table = HandsLog.opened(path, KEEP)
            stored = table.stored()
            assert stored[-1] >= played
            assert stored == list(range(stored[0], stored[-1] + 1))
            assert KEEP <= len(stored) <= KEEP + SLACK + 1
            for number, records in table.hands().items():
                state, dealt, *decided, settled = records
                assert (state.table or {})["hand_number"] == number - 1
                assert (dealt.kind, settled.kind) == ("hand", "settled")
                assert {record.kind for record in decided} <= {"decided"}
            table.log.close()


class TestFailure:
    def test_it_is_logged_and_tried_again(self, path: Path) -> None:
        log = disk_log(path, synchronous="off", keep_hands=KEEP)
        table = HandsLog(log)
        table.play(KEEP + SLACK, is_confirmed=True)
        refuse_deletions(log, refuses=True)
        with capture_logs() as logs:
            table.play(2, is_confirmed=True)
        assert [entry["event"] for entry in logs] == ["journal_not_trimmed"] * 2
        assert "not authorized" in logs[0]["error"]
        assert table.stored() == list(range(1, KEEP + SLACK + 3))
        refuse_deletions(log, refuses=False)
        table.play(is_confirmed=True)
        assert table.stored()[0] == 14
        hands = table.hands()
        log.close()
        table = HandsLog.opened(path, KEEP)
        assert table.hands() == hands
        table.log.close()
