"""Terminate a child process when its parent ends.

The parent holds the write end of the child's standard input open and never writes to it. When the
parent ends, even by SIGKILL, the kernel closes the pipe, and the child reads the end of file.
"""

import os
import signal
import threading
import time
from datetime import timedelta

_STDIN = 0
GRACE = timedelta(seconds=15)
"""Time for an orphan to shut down gracefully before it exits."""


def exit_with_parent(grace: timedelta = GRACE) -> None:
    """Shut this process down when its standard input ends; exit after `grace`.

    A thread watches, so that a process with a blocked event loop ends as well.
    """
    threading.Thread(target=_watch, args=(grace,), name="lifeline", daemon=True).start()


def _watch(grace: timedelta) -> None:
    # os.read: a thread inside sys.stdin would hold its lock while the interpreter shuts down.
    while os.read(_STDIN, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(grace.total_seconds())
    os._exit(1)
