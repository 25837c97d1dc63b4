"""Play blocks in several processes of this machine, which read the numbers from connections."""

import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import connection, parent_process, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, SpawnContext
from multiprocessing.process import BaseProcess
from typing import Any, Final

from casino_match.errors import MatchError, MatchInterrupted
from casino_match.executors.executor import Job, OnLost, Played, StopSignal

_PRELOADED: Final = ["casino_match.executors.executor"]
_SECONDS_TO_END: Final = 2.0


def work(numbers: "Connection[Any, Any]", job: Job) -> None:
    """Answer each number with its block's JSON, or with a MatchError, until the end of input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's
    sys.stdout = sys.stderr
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        play = job.start()
    except MatchError as error:
        numbers.send(error)
        return
    while True:
        try:
            number = numbers.recv()
        except EOFError:
            return
        numbers.send(_played(play, number))


def _played(play: Any, number: int) -> bytes | MatchError:
    try:
        content: bytes = play(number)
    except MatchError as error:
        return error
    except Exception:  # noqa: BLE001  sent to the parent, which ends the match
        return MatchError(f"block {number} cannot be played:\n{traceback.format_exc()}")
    return content


def _end_with_parent() -> None:
    """End this process when its parent has ended, whatever a player is doing."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


@dataclass
class _Worker:
    process: BaseProcess
    connection: "Connection[Any, Any]"
    number: int


@dataclass(frozen=True, slots=True)
class WorkerProcesses:
    """Plays in up to `jobs` processes; a block whose process ends is played again, once."""

    jobs: int
    on_lost: OnLost
    stop: StopSignal | None = None

    def play(self, job: Job, numbers: Iterable[int]) -> Played:
        with ExitStack() as stack:
            stops = [stack.enter_context(self.stop.readable())] if self.stop else []
            pool = _Pool(job, iter(numbers), self.jobs, self.on_lost)
            stack.callback(pool.close)
            yield from pool.blocks(stops)


class _Pool:
    """The processes of one run."""

    def __init__(self, job: Job, numbers: Iterator[int], jobs: int, on_lost: OnLost) -> None:
        self._job = job
        self._numbers = numbers
        self._jobs = jobs
        self._on_lost = on_lost
        self._again: deque[int] = deque()
        self._lost: set[int] = set()
        self._workers: dict[Connection[Any, Any], _Worker] = {}
        self._idle: list[_Worker] = []
        self._context = _context()

    def blocks(self, stops: "list[Connection[Any, Any]]") -> Iterator[tuple[int, bytes]]:
        """Yield each block; raises MatchInterrupted once one of `stops` can be read from."""
        while True:
            self._assign()
            if not self._workers:
                return
            for ready in connection.wait([*stops, *self._workers]):
                if ready in stops:
                    raise MatchInterrupted("the run was stopped")
                worker = self._workers.pop(ready)  # type: ignore[call-overload]
                try:
                    answer = worker.connection.recv()
                except (EOFError, OSError):
                    self._replay(worker)
                    continue
                if isinstance(answer, MatchError):
                    self._end(worker)
                    raise answer
                self._idle.append(worker)
                yield worker.number, answer

    def close(self) -> None:
        """End the processes, whatever they play."""
        running, self._workers = [*self._workers.values(), *self._idle], {}
        self._idle = []
        for worker in running:
            worker.process.terminate()
        for worker in running:
            self._end(worker)

    def _assign(self) -> None:
        while self._idle or len(self._workers) < self._jobs:
            number = self._again.popleft() if self._again else next(self._numbers, None)
            if number is None:
                return
            worker = self._idle.pop() if self._idle else self._started()
            worker.number = number
            self._workers[worker.connection] = worker
            with suppress(OSError):  # a process that has ended is noticed by its connection
                worker.connection.send(number)

    def _started(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=work, args=(theirs, self._job), daemon=True)
        with _without_ctrl_c():
            process.start()
        theirs.close()
        return _Worker(process, ours, -1)

    def _replay(self, worker: _Worker) -> None:
        self._end(worker)
        reason = _reason(worker.process.exitcode)
        number = worker.number
        if number in self._lost:
            raise MatchError(
                f"block {number} ended its process twice ({reason}). With --jobs 1 it is played in"
                " this process, where a debugger can follow it"
            )
        self._lost.add(number)
        self._again.append(number)
        self._on_lost(number, reason)

    @staticmethod
    def _end(worker: _Worker) -> None:
        worker.connection.close()
        worker.process.join(_SECONDS_TO_END)
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()


@contextmanager
def _without_ctrl_c() -> Iterator[None]:
    """Start processes that do not get Ctrl-C, which a terminal sends to all; it comes after."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # its start would unblock the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _context() -> SpawnContext | ForkServerContext:
    """Return how processes begin: as copies of a process that has imported what they need."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_PRELOADED)
    return context


def _reason(code: int | None) -> str:
    if code is not None and code < 0:
        with suppress(ValueError):
            return f"killed by {signal.Signals(-code).name}"
    return f"exit code {code}"
