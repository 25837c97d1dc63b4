"""Time limits of calls into a third party's game, which may take for ever."""

import ctypes
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from datetime import timedelta
from math import inf
from threading import Event, Thread
from time import monotonic
from typing import Any

CALL_LIMIT = timedelta(seconds=5)
"""How long one call may take; play of this process waits for it."""
REHEARSAL_LIMIT = timedelta(seconds=10)
"""How long all calls of a rehearsal may take together."""
_ATTEMPTS, _AGAIN_S = 10, 1.0


class TimeLimit:
    """Calls functions in threads of their own, each for at most `limit`.

    `total` limits all calls together, from now on.
    A late thread is ended as soon as it executes Python code, and is not waited for.
    """

    def __init__(self, limit: timedelta = CALL_LIMIT, *, total: timedelta | None = None) -> None:
        self._seconds = limit.total_seconds()
        self._ends = monotonic() + total.total_seconds() if total else inf

    def __call__(self, function: Callable[[], Any]) -> Any:
        """Return the function's result, or raise its exception; raises `TimeoutError`."""
        work = _Work(function)
        work.start()
        if not work.ended.wait(max(0.0, min(self._seconds, self._ends - monotonic()))):
            work.end()
            raise TimeoutError("no result in time")
        if work.error is not None:
            raise work.error
        return work.result


class _LateCall(BaseException):
    """Ends a late thread; no `except Exception` of the game stops it."""


class _Work(Thread):
    """One call; a daemon, so that a process can end without it."""

    def __init__(self, function: Callable[[], Any]) -> None:
        super().__init__(name="game", daemon=True)
        self._function = function
        self.ended = Event()
        self.result: Any = None
        self.error: BaseException | None = None

    def run(self) -> None:
        """Call the function; what it prints goes to the log, not to the supervisor's pipe."""
        try:
            with redirect_stdout(sys.stderr):
                self.result = self._function()
        except BaseException as error:  # noqa: BLE001  raised again where it was called
            self.error = error
        finally:
            self.ended.set()

    def end(self) -> None:
        """Raise in this thread, and again if it goes on: what a finalizer raises is ignored."""
        Thread(name="game's end", target=self._end, daemon=True).start()

    def _end(self) -> None:
        number = ctypes.c_ulong(self.ident or 0)
        for _ in range(_ATTEMPTS):
            ctypes.pythonapi.PyThreadState_SetAsyncExc(number, ctypes.py_object(_LateCall))
            if self.ended.wait(_AGAIN_S):
                return
