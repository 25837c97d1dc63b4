"""The event loop of core tests: where nothing can happen any more, it goes to the next timer.

Its clock stands still while anything works, so that no limit depends on the speed of the machine,
and a limit of an hour costs nothing.
"""

import asyncio
import fcntl
import re
import selectors
import socket
import struct
import threading
import time
from asyncio import Future
from contextlib import suppress
from queue import Queue
from typing import Any, Final

import aiosqlite.core
import pytest
from anyio._backends import _asyncio as anyio_threads
from casino_lobby.store import lobby_database
from typing_extensions import override

from support.processes import PATIENCE_S

_COUNTED: Final = re.compile(
    r"MainThread|asyncio[_-]|ThreadPoolExecutor-|AnyIO worker|store rows"
    r"|.*_connection_worker_thread"
)
"""Names of threads whose jobs the loop counts, or that wait for processes of other tests' fixtures.

While others are there, real time passes.
"""

_A_DAY_S: Final = 86_400.0
_SIOCOUTQNSD: Final = 0x894B
"""Linux: how many bytes of a TCP socket the kernel has not sent yet."""
_SIOCOUTQ: Final = 0x5411
"""Linux: the same, with those that were sent and not taken yet."""
_A_MOMENT_S: Final = 1.0
"""Longer than the kernel waits before it sends again, and than a run is stopped at once."""
_TURNS_OF_A_MOMENT: Final = 1_000_000
"""More than any test's tasks take while the clock stands."""


class VirtualLoop(asyncio.SelectorEventLoop):
    """asyncio's own loop on a clock of its own.

    - While jobs run in threads (executors, SQLite), it waits for them and the clock stands, until
      `PATIENCE_S` of one wait has passed: a busy machine takes seconds for a job.
    - While a thread that it does not know is there, such as a server's, time is real.
    - Else the clock jumps to the next timer; without a timer nothing could ever happen again,
      and RuntimeError says so.
    """

    def __init__(self) -> None:
        self._now_s = 0.0
        self._day_began_s = 0.0
        self._turns = 0
        self._jobs = 0
        self._wire: tuple[socket.socket, socket.socket] | None = None
        super().__init__(_VirtualSelector(self))

    def time(self) -> float:
        """Return the seconds that have passed on the clock of this loop."""
        return self._now_s

    def pass_time(self, seconds: float) -> None:
        """Put the clock forward; raises RuntimeError after a day: the awaited never happens."""
        self._now_s += seconds
        self._turns = 0
        if self._now_s > self._day_began_s + _A_DAY_S:
            msg = "a day has passed on the virtual clock: what the test awaits never happens"
            raise RuntimeError(msg)

    def count_turn(self) -> None:
        """Count a turn on which no time passes; raises RuntimeError when none ever will."""
        self._turns += 1
        if self._turns > _TURNS_OF_A_MOMENT:
            msg = f"the clock stands at {self._now_s!r}: a call sets itself again for this moment"
            raise RuntimeError(msg)

    def begin_day(self) -> None:
        """Let a day begin: for the next case of a test whose cases last longer together."""
        self._day_began_s = self._now_s

    @property
    def timers(self) -> int:
        """The number of timers that are set."""
        scheduled: list[asyncio.TimerHandle] = self._scheduled  # type: ignore[attr-defined]
        return sum(not timer.cancelled() for timer in scheduled)

    def run_in_executor(self, *args: Any) -> Future[Any]:  # type: ignore[override]
        """Run in an executor, and let no time pass until it is done."""
        done = super().run_in_executor(*args)
        self.count(done)
        return done

    def count(self, job: Future[Any]) -> None:
        """Let no time pass until this job of a thread is done: its result wakes the loop."""
        self._jobs += 1
        job.add_done_callback(self._job_done)

    def _job_done(self, _job: Future[Any]) -> None:
        self._jobs -= 1

    @property
    def is_awaited(self) -> bool:
        """Whether a thread works whose result wakes the loop."""
        return self._jobs > 0

    def deliver(self) -> None:
        """Return when what this process has sent to itself over loopback has arrived.

        The kernel delivers in order, so it has when a byte that is sent now arrives.
        """
        if self._wire is None:
            with socket.create_server(("127.0.0.1", 0)) as listener:
                near = socket.create_connection(listener.getsockname())
                self._wire = near, listener.accept()[0]
        self._wire[0].sendall(b".")
        self._wire[1].recv(1)

    def close(self) -> None:
        for end in self._wire or ():
            end.close()
        self._wire = None
        super().close()


class _VirtualSelector(selectors.DefaultSelector):
    def __init__(self, loop: VirtualLoop) -> None:
        super().__init__()
        self._loop = loop
        self._unread: dict[int, int] = {}
        """Bytes that the kernel keeps because nobody reads, by their socket."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready or (timeout is not None and timeout <= 0):
            self._loop.count_turn()
            return ready
        if self._loop.is_awaited:
            ready = super().select(None if timeout is None else PATIENCE_S)
            return ready or self._real(timeout)
        if any(not _COUNTED.match(one.name) for one in threading.enumerate()):
            return self._real(timeout)
        if len(self.get_map() or ()) > 1:  # the first is the loop's own waker
            self._loop.deliver()
        ready = super().select(0) or self._kept_back()  # or a thread woke the loop and ended
        if ready:
            return ready
        if timeout is None:
            msg = "everything waits for something else: no timer, thread or socket can end this"
            raise RuntimeError(msg)
        self._loop.pass_time(timeout)
        return []

    def _kept_back(self) -> list[tuple[selectors.SelectorKey, int]]:
        """Wait for what the kernel sends later: pieces to join with others, or sent again."""
        unsent: dict[int, int] = {}
        for key in self.get_map().values():
            # Who waits until it can write waits for what was sent to be taken.
            request = _SIOCOUTQ if key.events & selectors.EVENT_WRITE else _SIOCOUTQNSD
            with suppress(OSError):  # it is no TCP connection
                (count,) = struct.unpack("i", fcntl.ioctl(key.fd, request, bytes(4)))
                unsent |= {key.fd: count} if count else {}
        if unsent == self._unread:
            return []
        ready = super().select(_A_MOMENT_S) if unsent else []
        self._unread = {} if ready else unsent
        return ready

    def _real(self, timeout: float | None) -> list[tuple[selectors.SelectorKey, int]]:
        began = time.monotonic()
        ready = super().select(timeout)
        passed = time.monotonic() - began if ready or timeout is None else timeout
        self._loop.pass_time(passed)
        return ready


class _CountedJobs(Queue[Any]):
    """A queue of a thread, whose jobs carry the futures that await them."""

    @override
    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        """Queue a job, and let the loop wait for it."""
        for part in item if isinstance(item, tuple) else ():
            if isinstance(part, Future) and isinstance(running := part.get_loop(), VirtualLoop):
                running.count(part)
        super().put(item, block, timeout)


def count_jobs_of_threads(patch: pytest.MonkeyPatch) -> None:
    """Let virtual loops see the jobs of SQLite's and AnyIO's threads and of the lobby's rows."""
    patch.setattr(aiosqlite.core, "SimpleQueue", _CountedJobs)
    patch.setattr(lobby_database, "SimpleQueue", _CountedJobs)
    patch.setattr(anyio_threads, "Queue", _CountedJobs)


def loop() -> VirtualLoop:
    """Return the running loop of a core test."""
    running = asyncio.get_running_loop()
    assert isinstance(running, VirtualLoop)
    return running
