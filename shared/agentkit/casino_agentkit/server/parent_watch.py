"""The tie between a supervising process and its child: when the parent dies, so does the child.

The parent holds the write end of the child's standard input and never writes.
However the parent ends, SIGKILL included, the kernel closes the pipe, and the child sees the end.
"""

import os
import signal
import threading
import time
from datetime import timedelta

_STDIN = 0
GRACE = timedelta(seconds=15)
"""How long an orphan may take to end in order before it is cut off."""


def exit_with_parent(grace: timedelta = GRACE) -> None:
    """End this process when its standard input ends: in order at first, after `grace` at once.

    A thread watches, so that even a process whose event loop hangs leaves no orphan.
    """
    threading.Thread(target=_watch, args=(grace,), name="lifeline", daemon=True).start()


def _watch(grace: timedelta) -> None:
    # os.read: a thread inside sys.stdin would hold its lock while the interpreter shuts down.
    while os.read(_STDIN, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(grace.total_seconds())
    os._exit(1)
