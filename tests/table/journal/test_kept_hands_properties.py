"""A log that keeps its newest hands answers as one that keeps everything, in any sequence."""

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from casino_table.journal.journal_log import JournalRecord
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from support.table.disk_log import end_process
from table.journal.hands_log import HandsLog

KEEP = 4
SLACK = 1
"""The slack of four kept hands."""

Step = tuple[str, int]
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("play"), st.integers(1, 4)),
        st.tuples(st.just("confirm"), st.integers(0, 100)),
        st.tuples(st.sampled_from(["deal", "decide", "cancel", "session", "seat"]), st.just(0)),
        st.tuples(st.sampled_from(["epoch", "cancelling epoch"]), st.integers(0, 3)),
        st.tuples(st.sampled_from(["reopen", "kill"]), st.just(0)),
    ),
    min_size=5,
    max_size=40,
)
LONG: list[Step] = [("play", 4), ("confirm", 100)] * 8
VOIDED: list[Step] = [*LONG, ("cancelling epoch", 1), ("play", 1), ("epoch", 2), *LONG, ("kill", 0)]
SUPERSEDED: list[Step] = [("play", 4), ("epoch", 0)]
"""The old epoch's events are never confirmed."""


class Pair:
    """A log that keeps its newest hands, and one that keeps everything; both get all records."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._open()

    def _open(self) -> None:
        self.bounded = HandsLog.opened(self._directory / "bounded", KEEP)
        self.whole = HandsLog.opened(self._directory / "whole")

    @property
    def both(self) -> tuple[HandsLog, HandsLog]:
        return self.bounded, self.whole

    def take(self, step: Step) -> None:
        kind, value = step
        if kind in {"reopen", "kill"}:
            self.close(is_killed=kind == "kill")
            self._open()
        elif kind == "session":
            self.bounded.begin_session()
            self.whole.begin_session(compacts=False)
        else:
            for table in self.both:
                _COMMANDS[kind](table, value)

    def close(self, *, is_killed: bool = False) -> None:
        """Close both files; a killed process does not store what was confirmed last."""
        for table in self.both:
            if is_killed:
                end_process(table.log)
            else:
                table.log.close()


def _confirm(table: HandsLog, percent: int) -> None:
    table.confirm(table.book.delivered_until + table.book.undelivered * percent // 100)


def _begin_epoch(table: HandsLog, back: int) -> None:
    table.begin_epoch(max(0, table.number - back))


def _begin_cancelling_epoch(table: HandsLog, back: int) -> None:
    number = max(0, table.number - back)
    table.begin_epoch(number, cancelled=number or None)


_COMMANDS: dict[str, Callable[[HandsLog, int], None]] = {
    "play": lambda table, hands: table.play(hands),
    "confirm": _confirm,
    "deal": lambda table, _: table.deal(),
    "decide": lambda table, _: table.decide(),
    "cancel": lambda table, _: table.cancel(),
    "seat": lambda table, _: table.note_seat(),
    "epoch": _begin_epoch,
    "cancelling epoch": _begin_cancelling_epoch,
}


def _records(table: HandsLog) -> list[tuple[int, list[JournalRecord]]]:
    """Return the hands that can be read, the newest first."""
    return sorted(table.hands().items(), reverse=True)


class Promise:
    """The hands that must be readable: the newest ones; a void hand is not replaced by an older."""

    def __init__(self) -> None:
        self._hands: list[int] = []
        self._seen: list[int] = []

    def after_step(self, played: list[int]) -> list[int]:
        """Return them, the newest first; `played` are all hands that are not void."""
        hands = [number for number in played if number in self._hands or number not in self._seen]
        self._hands, self._seen = hands[:KEEP], played
        return self._hands


@pytest.mark.full
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example(LONG)
@example(VOIDED)
@example(SUPERSEDED)
@given(STEPS)
def test_the_newest_hands_and_all_unconfirmed_events_are_equal(steps: list[Step]) -> None:
    """Over cancelled hands, sessions, epochs, restarts and kills, with any part confirmed."""
    with tempfile.TemporaryDirectory() as directory:
        pair = Pair(Path(directory))
        promise = Promise()
        for step in steps:
            pair.take(step)
            bounded, whole = pair.both
            assert bounded.log.tail() == whole.log.tail()
            assert bounded.book.delivered_until == whole.book.delivered_until
            kept, played = _records(bounded), _records(whole)
            assert kept == played[: len(kept)]
            assert len(kept) >= len(promise.after_step([number for number, _ in played]))
            epoch, confirmed = whole.epoch, whole.book.delivered_until
            undelivered = whole.log.events(epoch, confirmed, 10_000)
            assert bounded.log.events(epoch, confirmed, 10_000) == undelivered
            assert bounded.book.after(confirmed, 10_000) == undelivered
            assert bounded.log.last_sequence(epoch) == whole.log.last_sequence(epoch)
            assert bounded.book.kept_from <= confirmed + 1
        for _ in range(20):
            pair.bounded.play(is_confirmed=True)
        assert KEEP <= len(pair.bounded.stored()) <= KEEP + SLACK, steps
        pair.close()
