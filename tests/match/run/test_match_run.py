"""The result is the same however a match was run: at once, in parts, in any order."""

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pytest
from casino_match.errors import StoreFailed
from casino_match.executors.executor import Job, LocalExecutor, Played
from casino_match.executors.worker_processes import WorkerProcesses
from casino_match.match_directory import MatchDirectory
from casino_match.run.match_run import RunProgress, play_match
from casino_match.run.match_start import MatchStarter
from support.match.plans import VALUES, played, small_plan, today


class InReverse:
    """Plays all numbers, the last first."""

    def play(self, job: Job, numbers: Iterable[int]) -> Played:
        yield from LocalExecutor().play(job, reversed(list(numbers)))


class Interrupted:
    """Ctrl-C after some blocks."""

    def __init__(self, after: int) -> None:
        self.after = after

    def play(self, job: Job, numbers: Iterable[int]) -> Played:
        with closing(LocalExecutor().play(job, numbers)) as blocks:
            for number, block in enumerate(blocks):
                if number == self.after:
                    raise KeyboardInterrupt
                yield block


class Uncalled:
    """Plays nothing: there is nothing to play."""

    def play(self, job: Job, numbers: Iterable[int]) -> Played:
        for number in numbers:
            raise AssertionError(job, number)
        yield from ()


@pytest.fixture(scope="module")
def digest(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the digest of the result when it is played at once in this process."""
    return played(tmp_path_factory.mktemp("here") / "match").digest


def never(number: int, reason: str) -> None:
    raise AssertionError((number, reason))


@pytest.mark.full
def test_two_processes_have_the_same_digest(digest: str, tmp_path: Path) -> None:
    assert played(tmp_path / "match", executor=WorkerProcesses(2, never)).digest == digest


def test_any_order_has_the_same_digest(digest: str, tmp_path: Path) -> None:
    seen: list[RunProgress] = []
    result = played(tmp_path / "match", executor=InReverse(), on_progress=seen.append)
    assert result.digest == digest
    assert [progress.decks for progress in seen] == list(range(0, 41, 4))
    assert [progress.seen is None for progress in seen] == [True] * 10 + [False]


def test_a_match_that_is_interrupted_five_times_has_the_same_digest(
    digest: str, tmp_path: Path
) -> None:
    counts = []
    for after in (0, 1, 1, 2, 3):
        seen: list[RunProgress] = []
        with pytest.raises(KeyboardInterrupt):
            played(tmp_path / "match", executor=Interrupted(after), on_progress=seen.append)
        counts.append(seen[-1].decks)
    assert counts == [0, 4, 8, 16, 28]
    seen = []
    assert played(tmp_path / "match", on_progress=seen.append).digest == digest
    assert (seen[-1].played, seen[-1].decks) == (12, 40)
    written = (tmp_path / "match/result.json").read_bytes()
    assert played(tmp_path / "match", executor=Uncalled()).digest == digest
    assert (tmp_path / "match/result.json").read_bytes() == written


def test_shares_of_an_array_job_have_the_same_digest(digest: str, tmp_path: Path) -> None:
    """The last plain run computes the result, and plays nothing."""
    begun = MatchStarter(lambda: "").begin(VALUES, tmp_path, tmp_path / "match")
    for number in (3, 1, 2):
        seen: list[RunProgress] = []
        result = play_match(
            begun, LocalExecutor(), now=today, on_progress=seen.append, share=(number, 3)
        )
        assert (result is None) == (number != 2)
        assert seen[-1].of == {1: 16, 2: 12, 3: 12}[number]
    assert played(tmp_path / "match", executor=Uncalled()).digest == digest


def test_blocks_of_another_run_are_not_played_again(digest: str, tmp_path: Path) -> None:
    directory = tmp_path / "match"
    runs = 0

    class Twice:
        """Lets another run play everything after the first block."""

        def play(self, job: Job, numbers: Iterable[int]) -> Played:
            nonlocal runs
            for block in LocalExecutor().play(job, numbers):
                runs += 1
                yield block
                if runs == 1:
                    assert played(directory).digest == digest

    assert played(directory, executor=Twice()).digest == digest
    assert runs == 1


def test_an_early_stop_ignores_the_blocks_behind_it(tmp_path: Path) -> None:
    """Also those that are played already: they are no part of the digest."""
    stop = {"rule": "sprt", "low": -2000, "high": -1000}
    values = {
        **VALUES, "stop": stop, "deal": {"seed": "a", "decks": 600, "decks_per_block": 30}
    }  # fmt: skip
    results = [
        played(tmp_path / name, values, executor)
        for name, executor in (("forward", LocalExecutor()), ("backward", InReverse()))
    ]
    assert results[0].digest == results[1].digest
    assert {result.decks for result in results} == {210}
    assert all(result.is_complete for result in results)
    assert len(list((tmp_path / "forward/blocks").iterdir())) == 7
    assert len(list((tmp_path / "backward/blocks").iterdir())) == 20


def test_a_damaged_block_is_refused_by_its_name(tmp_path: Path) -> None:
    plan = small_plan()
    directory = MatchDirectory(tmp_path / "match")
    digest = played(tmp_path / "match").digest
    path = next((tmp_path / "match/blocks").glob("000003-*.json"))
    content = path.read_bytes()
    for damaged in (b"", content[:-20], content.replace(b'"net":[', b'"net":[1', 1)):
        path.write_bytes(damaged)
        with pytest.raises(StoreFailed, match=rf"{path.name} is damaged: .* Delete the file"):
            played(tmp_path / "match")
    path.unlink()
    assert played(tmp_path / "match").digest == digest
    assert directory.blocks(plan).path(3).name != path.name, "the plan here has no versions"


def test_a_foreign_block_is_refused_by_its_name(tmp_path: Path) -> None:
    """A block of another match, or one under the number of another."""
    played(tmp_path / "match")
    played(tmp_path / "other", {**VALUES, "players": ["caller", "maniac"]})
    path = next((tmp_path / "other/blocks").glob("000003-*.json"))
    foreign = tmp_path / "match/blocks" / path.name
    foreign.write_bytes(path.read_bytes())
    with pytest.raises(StoreFailed, match=rf"{path.name} is no block of this match"):
        played(tmp_path / "match")
    foreign.unlink()
    third, fourth = (
        next((tmp_path / "match/blocks").glob(f"00000{number}-*.json")) for number in (3, 4)
    )
    third.write_bytes(fourth.read_bytes())
    with pytest.raises(StoreFailed, match=f"{third.name} is damaged"):
        played(tmp_path / "match")
