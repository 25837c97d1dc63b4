"""A log on disk that keeps its newest hands: what stays is unchanged, what is older is gone."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from casino_agentkit import InvalidSettings
from casino_table.app import open_logs
from casino_table.journal.disk_log import SESSIONS_KEPT, DiskLog
from casino_table.settings import TableSettings
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


class TestKeptHands:
    """The newest hands stay, within one long session."""

    def test_nothing_is_deleted_up_to_the_slack(self, table: HandsLog) -> None:
        """So that hands are deleted together."""
        table.play(KEEP + SLACK, is_confirmed=True)
        assert table.stored() == list(range(1, KEEP + SLACK + 1))
        assert table.book.kept_from == 1

    def test_kept_hands_are_unchanged_and_older_ones_are_gone(self, table: HandsLog) -> None:
        """Record by record, with the seed and every decision."""
        table.play(KEEP + SLACK, is_confirmed=True)
        before = table.hands()
        table.play(is_confirmed=True)
        kept = list(range(12, KEEP + SLACK + 2))
        assert table.stored() == kept
        assert {number: table.log.hand(number) for number in kept[:-1]} == {
            number: before[number] for number in kept[:-1]
        }
        assert [record.kind for record in table.log.hand(12)] == [
            "settled",  # hand 11, whose state is the one before hand 12
            "hand",
            "decided",
            "decided",
            "settled",
        ]
        assert all(table.log.hand(number) == [] for number in range(1, 12))

    def test_the_newest_hands_stay_however_long_the_session_is(self, table: HandsLog) -> None:
        """At least as many as wanted, at most the slack more."""
        for number in range(1, 5 * KEEP + 1):
            table.play(is_confirmed=True)
            assert table.log.hand(max(1, number - KEEP + 1)) != [], number
            assert table.log.hand(max(0, number - KEEP - SLACK)) == [], number
        stored = table.stored()
        assert stored == list(range(stored[0], 501))
        assert KEEP <= len(stored) <= KEEP + SLACK

    def test_without_the_setting_everything_stays(self, path: Path) -> None:
        """As many hands as were played."""
        table = HandsLog.opened(path)
        table.play(3 * KEEP, is_confirmed=True)
        assert len(table.stored()) == 3 * KEEP
        assert table.book.kept_from == 1
        table.log.close()

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
    """What the lobby has not confirmed stays."""

    def test_a_lobby_that_confirms_nothing_loses_nothing(self, table: HandsLog) -> None:
        """Every event can be delivered, and every hand be read."""
        table.play(3 * KEEP)
        assert table.stored() == list(range(1, 3 * KEEP + 1))
        sequences = [entry.sequence for entry in table.log.events(1, 0, 10_000)]
        assert sequences == list(range(1, 3 * KEEP * 4 + 2))

    def test_what_it_confirms_later_is_deleted_later(self, table: HandsLog) -> None:
        """By the next hands, a bounded number by each of them."""
        table.play(3 * KEEP)
        table.confirm_all()
        table.play()
        assert table.stored()[0] == 2 * SLACK + 1
        table.play(2 * KEEP, is_confirmed=True)
        assert KEEP <= len(table.stored()) <= KEEP + SLACK

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

    def test_kept_events_are_delivered_again(self, table: HandsLog) -> None:
        """To a lobby that lost them, from the oldest kept one."""
        table.play(KEEP + SLACK + 1, is_confirmed=True)
        first, last = table.book.kept_from, table.book.last_sequence
        assert first == 1 + 4 * 10 + 1  # what settles hand 11 is stored with its other records
        assert [entry.sequence for entry in table.book.after(first - 1, 10_000)] == list(
            range(first, last + 1)
        )

    def test_what_an_earlier_room_confirmed_does_not_count(self, table: HandsLog) -> None:
        """Its epoch may have the same number."""
        table.play(KEEP, is_confirmed=True)
        table.log.forget()
        after = HandsLog(table.log)
        assert table.log.delivered_until(1) == 0
        after.play(KEEP + SLACK + 1)
        assert after.stored() == list(range(1, KEEP + SLACK + 2))

    def test_what_an_earlier_process_stored_of_an_earlier_room_does_not_count(
        self, path: Path
    ) -> None:
        """Also if the new room begins after a restart."""
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

    def test_short_sessions_keep_the_hands(self, table: HandsLog) -> None:
        """More sessions than are kept without the setting."""
        for _ in range(30):
            table.begin_session()
            table.play(5, is_confirmed=True)
        assert len(table.stored()) >= KEEP
        assert table.stored()[-1] == 150
        table.begin_session()
        assert table.stored() == list(range(51, 151))

    def test_what_lies_before_the_oldest_hand_is_deleted(self, table: HandsLog) -> None:
        """Sessions without a hand do not stay."""
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
