"""A log that keeps its newest hands, over restarts, failures and epochs."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from casino_table.journal.disk_log import DiskLog
from casino_table.journal.journal_file import JournalFile
from casino_table.journal.table_tail import Block
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

    def delete(self, last: Block) -> None:
        """Do not even begin."""
        del last
        raise self.Killed


class TestRestart:
    """The rule goes on with the records of the file."""

    def test_a_reopened_log_goes_on(self, path: Path) -> None:
        """The hash chain is verified, and nothing is deleted too early or too late."""
        table = HandsLog.opened(path, KEEP)
        table.play(KEEP + SLACK + 5, is_confirmed=True)
        before, tail = table.hands(), table.log.tail()
        table.log.close()
        table = HandsLog.opened(path, KEEP)
        assert (table.hands(), table.log.tail()) == (before, tail)
        table.play(6, is_confirmed=True)
        assert table.stored()[0] == 12
        table.play(is_confirmed=True)
        assert table.stored()[0] == 23
        table.log.close()

    def test_a_log_of_which_everything_was_kept_is_shortened(self, path: Path) -> None:
        """By the hands that are played next."""
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
        """In the middle of hands and deletions."""
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
    """A deletion that fails does not affect the hand that was committed."""

    def test_it_is_logged_and_tried_again(self, path: Path) -> None:
        """At the next hand."""
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


class TestEpochs:
    """Hands that a new epoch voids do not take the place of others."""

    def test_void_hands_do_not_count(self, table: HandsLog) -> None:
        """The newest hands that can be read stay."""
        table.play(KEEP, is_confirmed=True)
        table.begin_epoch(KEEP - 20)
        table.confirm_all()
        assert table.stored() == list(range(1, KEEP - 19))
        table.play(20 + SLACK, is_confirmed=True)
        assert table.stored() == list(range(1, KEEP + SLACK + 1))
        table.play(is_confirmed=True)
        assert table.stored() == list(range(12, KEEP + SLACK + 2))

    def test_a_cancelled_hand_does_not_count(self, table: HandsLog) -> None:
        """Neither by the table nor by the lobby."""
        table.play(50, is_confirmed=True)
        table.cancel()
        table.play(50, is_confirmed=True)
        table.begin_epoch(101, cancelled=101)
        table.confirm_all()
        table.play(SLACK + 1, is_confirmed=True)
        assert 51 not in table.stored()
        assert 101 not in table.stored()
        assert len(table.stored()) == KEEP + SLACK
        table.play(is_confirmed=True)
        assert len(table.stored()) == KEEP
        assert table.stored()[0] == 12

    def test_events_of_the_new_epoch_stay_until_confirmed(self, table: HandsLog) -> None:
        """What the old epoch confirmed does not count for it."""
        table.play(KEEP, is_confirmed=True)
        table.begin_epoch(KEEP)
        table.play(3 * KEEP)
        assert [entry.sequence for entry in table.log.events(2, 0, 10_000)] == list(
            range(1, table.book.last_sequence + 1)
        )
        table.confirm_all()
        table.play(2 * KEEP, is_confirmed=True)
        assert KEEP <= len(table.stored()) <= KEEP + SLACK
        assert table.log.events(1, 0, 10) == []
