"""What executors have in common: they play blocks of a job, some at a time, in any order."""

from collections.abc import Callable, Generator, Iterable
from typing import Protocol

PlayBlock = Callable[[int], bytes]
"""Plays the block with a number, and returns its JSON."""
Played = Generator[tuple[int, bytes], None, None]
"""Blocks with their numbers, as they are done; closing it abandons those in flight."""
OnLost = Callable[[int, str], None]
"""Called when a block is played again, with the reason."""


class Job(Protocol):
    """What is played; it can be pickled."""

    @property
    def key(self) -> str:
        """Names the job: players that were loaded for it serve all its blocks."""
        ...

    def start(self) -> PlayBlock:
        """Load the players; called once in each process. Raises MatchError."""
        ...

    def shipped(self) -> "Job":
        """Return the job for a machine that lacks this machine's files; raises MatchError."""
        ...


class Executor(Protocol):
    """Plays the blocks of a job."""

    def play(self, job: Job, numbers: Iterable[int]) -> Played:
        """Yield each block as it is done, with its number.

        Numbers are taken one after the other when there is room, so that few blocks are in flight.
        Raises MatchError.
        """
