"""A run is ended from another thread: at once, and nothing remains of it."""

import multiprocessing
from threading import Thread
from time import monotonic

import pytest
from casino_match.errors import MatchInterrupted
from casino_match.executors.processes import Processes
from casino_match.executors.stop import Stop
from support.match.jobs import SleepingJob, TextJob

pytestmark = pytest.mark.full


def never(number: int, reason: str) -> None:
    """Fail: no block is lost here."""
    raise AssertionError((number, reason))


def test_processes_end_in_the_middle_of_a_block() -> None:
    """The block after the first would last for a minute."""
    stop = Stop()
    played = Processes(1, never, stop).play(SleepingJob(), range(2))
    assert next(played) == (0, b"block 0")
    Thread(target=stop.set).start()
    began = monotonic()
    with pytest.raises(MatchInterrupted):
        next(played)
    assert monotonic() - began < 20
    assert multiprocessing.active_children() == []


def test_a_run_that_was_stopped_before_does_not_begin() -> None:
    """And may be stopped twice."""
    stop = Stop()
    stop.set()
    stop.set()
    with pytest.raises(MatchInterrupted):
        list(Processes(1, never, stop).play(TextJob(), range(2)))


def test_a_run_that_is_not_stopped_plays_everything() -> None:
    """A stop after its end reaches nobody."""
    stop = Stop()
    played = dict(Processes(2, never, stop).play(TextJob(), range(4)))
    stop.set()
    assert sorted(played) == [0, 1, 2, 3]
