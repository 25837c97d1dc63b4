"""What plays the blocks of a job, in any order: its interface, and the one that uses this process.

`StopSignal` ends a run of blocks from another thread.
"""

import multiprocessing
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from multiprocessing.connection import Connection
from threading import Lock
from typing import Any, Protocol

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

    def start(self) -> PlayBlock:
        """Load the players; called once in each process. Raises MatchError."""

    def shipped(self) -> "Job":
        """Return the job for a machine that lacks this machine's files; raises MatchError."""


class Executor(Protocol):
    """Plays the blocks of a job."""

    def play(self, job: Job, numbers: Iterable[int]) -> Played:
        """Yield numbered blocks as they are done, few ahead of the reader; raises MatchError."""


class LocalExecutor:
    """Plays in this process; what players print goes to standard error."""

    def play(self, job: Job, numbers: Iterable[int]) -> Played:
        with redirect_stdout(sys.stderr):
            play = job.start()
        for number in numbers:
            with redirect_stdout(sys.stderr):
                content = play(number)
            yield number, content


class StopSignal:
    """A signal to an executor: it raises MatchInterrupted, and abandons the blocks in flight."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._is_set = False
        self._calls: list[Callable[[], object]] = []

    @property
    def is_set(self) -> bool:
        return self._is_set

    def set(self) -> None:
        """End the run; may be called by any thread."""
        with self._lock:
            self._is_set = True
            for call in self._calls:
                call()

    @contextmanager
    def calling(self, call: Callable[[], object]) -> Iterator[None]:
        """Have `set` call a function, which must not wait, while the block runs, or at once."""
        with self._lock:
            self._calls.append(call)
            if self._is_set:
                call()
        try:
            yield
        finally:
            with self._lock:
                self._calls.remove(call)

    @contextmanager
    def readable(self) -> Iterator["Connection[Any, Any]"]:
        """Return a connection that can be read from once `set` was called."""
        reader, writer = multiprocessing.Pipe(duplex=False)
        with reader, writer, self.calling(lambda: writer.send_bytes(b"stop")):
            yield reader
