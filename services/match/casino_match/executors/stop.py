"""Ends a run of blocks from another thread."""

import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from threading import Lock
from typing import Any


class Stop:
    """A signal to an executor: it raises MatchInterrupted, and abandons the blocks in flight."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._is_set = False
        self._calls: list[Callable[[], object]] = []

    @property
    def is_set(self) -> bool:
        """Whether the run is to end."""
        return self._is_set

    def set(self) -> None:
        """End the run; may be called by any thread."""
        with self._lock:
            self._is_set = True
            for call in self._calls:
                call()

    @contextmanager
    def calling(self, call: Callable[[], object]) -> Iterator[None]:
        """Have a function called by `set` while the block runs, at once if it was called before.

        The function must not wait for anything.
        """
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
