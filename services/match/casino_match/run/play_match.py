"""Play what a match lacks, and compute its result.

Blocks may be played in any order and by several processes or machines; they are read in order, so
that the result is the same however the match was run.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from casino_contracts.matches.results import MatchResult

from casino_match.domain.block import Block
from casino_match.domain.block_json import block_of
from casino_match.domain.plan import Plan
from casino_match.errors import InvalidPlan, StoreFailed
from casino_match.executors.executor import Executor, Job
from casino_match.results.match_result import result_of_reading
from casino_match.results.notable import Describe
from casino_match.results.reading import Progress, Reading
from casino_match.store.match_directory import MatchDirectory

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
    seen: Progress | None
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
        directory: MatchDirectory,
        on_progress: OnProgress,
        share: tuple[int, int] = _EVERYTHING,
    ) -> None:
        self._plan = plan
        self._digest = plan.digest
        self._directory = directory
        self._on_progress = on_progress
        self._is_whole = share == _EVERYTHING
        first, step = share
        self._numbers = range(first - 1, plan.blocks, step)
        self._reading = Reading(plan)
        self._waiting: dict[int, Block] = {}
        """Blocks that others come before."""
        self._decks = self._played = 0

    def play(self, executor: Executor, job: Job) -> None:
        """Play the blocks that are not there; raises MatchError.

        It can be interrupted at any time: what is written stays, and nothing is written in part.
        """
        self._directory.check_names(self._digest)
        missing = [number for number in self._numbers if not self._is_there(number)]
        self._decks = sum(len(self._plan.decks_of(number)) for number in self._numbers)
        self._decks -= sum(len(self._plan.decks_of(number)) for number in missing)
        self._read_on()
        self._report()
        if self._reading.is_over or not missing:
            return
        for number, content in executor.play(job, self._lacking(missing)):
            block = self._checked(number, content)
            self._directory.write_block(self._digest, number, content)
            self._decks += len(block.decks)
            self._played += len(block.decks)
            if self._is_whole:
                self._waiting[number] = block
                self._read_on()
            self._report()
            if self._reading.is_over:
                return

    def result(
        self, *, describe: Describe | None = None, finished_at: datetime | None = None
    ) -> MatchResult | None:
        """Return the result of the blocks before the first that lacks; None without any.

        Raises StoreFailed.
        """
        self._read_on()
        if not self._reading.decks:
            return None
        return result_of_reading(self._reading, describe=describe, finished_at=finished_at)

    def lacking(self) -> list[int]:
        """Return the numbers of the blocks that are not played."""
        return [number for number in range(self._plan.blocks) if not self._is_there(number)]

    def _lacking(self, numbers: Sequence[int]) -> Iterator[int]:
        """Yield the numbers of blocks to play, without those that another run has played since."""
        for number in numbers:
            if self._reading.is_over:
                return
            if not self._is_there(number):
                yield number
            else:
                self._decks += len(self._plan.decks_of(number))

    def _is_there(self, number: int) -> bool:
        return self._directory.has_block(self._digest, number)

    def _read_on(self) -> None:
        """Read the blocks that come next, as far as they are there."""
        reading = self._reading
        while not reading.is_over:
            number = reading.next_block
            block = self._waiting.pop(number, None) or self._stored(number)
            if block is None:
                return
            try:
                reading.add(block)
            except StoreFailed as error:
                raise self._directory.damaged(self._digest, number, str(error)) from error

    def _stored(self, number: int) -> Block | None:
        content = self._directory.read_block(self._digest, number)
        return None if content is None else self._checked(number, content)

    def _checked(self, number: int, content: bytes) -> Block:
        try:
            block = block_of(content)
        except StoreFailed as error:
            raise self._directory.damaged(self._digest, number, str(error)) from error
        if (block.plan, block.number) != (self._digest, number):
            raise self._directory.damaged(self._digest, number, "it is another block")
        return block

    def _report(self) -> None:
        of = sum(len(self._plan.decks_of(number)) for number in self._numbers)
        seen = self._reading.progress if self._reading.decks else None
        self._on_progress(RunProgress(self._decks, self._played, of, seen))
