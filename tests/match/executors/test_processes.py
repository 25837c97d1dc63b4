"""Blocks are played in processes or on a cluster; one that ends costs its block."""

import json
import multiprocessing
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest
from casino_match.errors import MatchError, MatchInterrupted, PlayerFailed
from casino_match.executors.executor import Executor, LocalExecutor, StopSignal
from casino_match.executors.worker_processes import WorkerProcesses
from match.executors.jobs import TextJob
from support.casino.members import ENVIRONMENT
from support.match.plans import played

pytestmark = pytest.mark.full


def never(number: int, reason: str) -> None:
    """Fail: no block is lost here."""
    raise AssertionError((number, reason))


def expected(numbers: range) -> dict[int, bytes]:
    return {number: f"block {number}".encode() for number in numbers}


@pytest.mark.parametrize(
    "executor",
    [LocalExecutor(), WorkerProcesses(1, never), WorkerProcesses(2, never, StopSignal())],
)
def test_every_block_is_played_once(executor: Executor) -> None:
    """In any order, also by a run that may be stopped."""
    played = list(executor.play(TextJob(), range(7)))
    assert len(played) == 7
    assert dict(played) == expected(range(7))


def test_numbers_are_taken_when_there_is_room() -> None:
    """So that few blocks are in flight, and an early stop plays few too many."""
    taken: list[int] = []

    def numbers() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    with closing(WorkerProcesses(2, never).play(TextJob(), numbers())) as played:
        for count, _ in enumerate(played, start=1):
            assert len(taken) <= count + 2
            if count == 5:
                break
    assert len(taken) <= 7


def test_a_process_that_ends_is_named_and_its_block_played_again(tmp_path: Path) -> None:
    lost: list[tuple[int, str]] = []
    pool = WorkerProcesses(2, lambda number, reason: lost.append((number, reason)))
    played = dict(pool.play(TextJob(fatal=(1, 4), folder=tmp_path), range(6)))
    assert played == expected(range(6))
    assert sorted(lost) == [(1, "killed by SIGKILL"), (4, "killed by SIGKILL")]


def test_a_block_that_ends_its_process_twice_ends_the_match() -> None:
    lost: list[int] = []
    pool = WorkerProcesses(2, lambda number, _: lost.append(number))
    with pytest.raises(MatchError, match=r"block 2 .* twice \(killed by SIGKILL\).* --jobs 1"):
        list(pool.play(TextJob(fatal=(2,)), range(4)))
    assert lost == [2]


def test_a_players_error_ends_the_match() -> None:
    with pytest.raises(MatchError, match="block 3 is wrong"):
        list(WorkerProcesses(2, never).play(TextJob(wrong=(3,)), range(9)))
    with pytest.raises(PlayerFailed, match="there is no player"):
        list(WorkerProcesses(2, never).play(TextJob(has_players=False), range(9)))


def test_processes_end_in_the_middle_of_a_block() -> None:
    stop = StopSignal()
    played = WorkerProcesses(1, never, stop).play(TextJob(lasts=True), range(2))
    assert next(played) == (0, b"block 0")
    Thread(target=stop.set).start()
    with pytest.raises(MatchInterrupted):
        next(played)
    assert multiprocessing.active_children() == []


def test_a_run_that_was_stopped_before_does_not_begin() -> None:
    stop = StopSignal()
    stop.set()
    stop.set()
    with pytest.raises(MatchInterrupted):
        list(WorkerProcesses(1, never, stop).play(TextJob(), range(2)))


def test_the_digest_is_the_same_if_one_of_two_nodes_is_killed(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "match.executors.ray_nodes", str(tmp_path)],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    report = json.loads(ended.stdout.splitlines()[-1])
    assert (report["nodes"], report["killedAt"]) == (2, [16])
    assert report["digest"] == played(tmp_path / "here").digest
