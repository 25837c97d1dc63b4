"""Play what a match lacks, and compute its result.

Blocks may be played in any order and by several processes or machines; they are read in order, so
that the result is the same however the match was run.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from casino_contracts.match_results import MatchResult

from casino_match.domain.block import PlayedBlock
from casino_match.domain.plan import Plan
from casino_match.errors import InvalidPlan
from casino_match.executors.executor import BlockJob, Executor, Job
from casino_match.match_directory import BlockFiles
from casino_match.results.match_result import Seal, result_of_running, signed_result
from casino_match.results.running_result import Describe, ResultProgress, RunningResult
from casino_match.run.match_start import StartedMatch
from casino_match.run.stored_match import StoredMatch, describe_of

_EVERYTHING: Final = (1, 1)


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is."""

    decks: int
    """Decks of all blocks that are played."""
    played: int
    """Of them, those that this run has played."""
    of: int
    """Decks that the run ends with, unless it is stopped early."""
    seen: ResultProgress | None
    """What the decks so far say, of all blocks before the first that lacks; None for a share."""


OnProgress = Callable[[RunProgress], None]


def share_of(text: str) -> tuple[int, int]:
    """Return the numbers of `I/N`: the share of an array job; raises InvalidPlan.

    >>> share_of("3/10")
    (3, 10)
    """
    number, slash, count = text.partition("/")
    if slash and number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count):
        return int(number), int(count)
    raise InvalidPlan(f"--block: {text!r} is no share: write 1/10 for the first of ten jobs")


class MatchRun:
    """One run of a match: the whole of it, or a share of its blocks."""

    def __init__(
        self,
        plan: Plan,
        blocks: BlockFiles,
        on_progress: OnProgress,
        share: tuple[int, int] = _EVERYTHING,
    ) -> None:
        self._plan = plan
        self._blocks = blocks
        self._on_progress = on_progress
        self._is_whole = share == _EVERYTHING
        first, step = share
        self._numbers = range(first - 1, plan.blocks, step)
        self._reading = RunningResult(plan)
        self._waiting: dict[int, PlayedBlock] = {}
        """Blocks that others come before."""
        self._decks = self._played = 0
        self._of = self._count(self._numbers)

    def play(self, executor: Executor, job: Job) -> None:
        """Play the missing blocks, each written whole, so it can be stopped; raises MatchError."""
        self._blocks.check_names()
        missing = [number for number in self._numbers if not self._blocks.has(number)]
        self._decks = self._of - self._count(missing)
        self._read_on()
        self._report()
        if self._is_over() or not missing:
            return
        with closing(executor.play(job, self._lacking(missing))) as played:
            for number, content in played:
                self._add(number, content)
                if self._is_over():
                    return

    def _is_over(self) -> bool:
        return self._reading.is_over

    def _add(self, number: int, content: bytes) -> None:
        block = self._blocks.write(number, content)
        self._decks += len(block.decks)
        self._played += len(block.decks)
        if self._is_whole:
            self._waiting[number] = block
            self._read_on()
        self._report()

    def result(
        self, *, describe: Describe | None = None, finished_at: datetime | None = None
    ) -> MatchResult | None:
        """Return the result of the blocks before the first gap, or None; raises StoreFailed."""
        self._read_on()
        if not self._reading.decks:
            return None
        return result_of_running(self._reading, describe=describe, finished_at=finished_at)

    def _lacking(self, numbers: Sequence[int]) -> Iterator[int]:
        """Yield the numbers of blocks to play, without those that another run has played since."""
        for number in numbers:
            if self._reading.is_over:
                return
            if not self._blocks.has(number):
                yield number
            else:
                self._decks += len(self._plan.decks_of(number))

    def _read_on(self) -> None:
        reading = self._reading
        while not reading.is_over:
            number = reading.next_block
            block = self._waiting.pop(number, None) or self._blocks.read(number)
            if block is None:
                return
            reading.add(block)

    def _report(self) -> None:
        seen = self._reading.progress if self._reading.decks else None
        self._on_progress(RunProgress(self._decks, self._played, self._of, seen))

    def _count(self, numbers: Iterable[int]) -> int:
        return sum(len(self._plan.decks_of(number)) for number in numbers)


def play_match(
    started: StartedMatch,
    executor: Executor,
    *,
    now: Callable[[], datetime],
    on_progress: OnProgress = lambda _: None,
    share: tuple[int, int] = (1, 1),
    seal: Seal | None = None,
) -> MatchResult | None:
    """Play what lacks and write the result, signed by `seal`, unless a share left blocks: None.

    Raises MatchError.
    """
    plan = started.written.plan
    run = MatchRun(plan, started.directory.blocks(plan), on_progress, share)
    run.play(executor, BlockJob(plan, started.written.folder))
    result = run.result(describe=describe_of(plan), finished_at=now())
    if result is None or not result.is_complete:
        return None
    written = StoredMatch(started.directory.path).written_result()
    if written is not None and written.digest == result.digest:
        return written
    result = result if seal is None else signed_result(result, seal)
    started.directory.write_result(result.wire())
    return result
