"""The process of a worker: plays the blocks whose numbers it reads from a connection."""

import os
import signal
import sys
import threading
import traceback
from multiprocessing import connection, parent_process
from multiprocessing.connection import Connection
from typing import Any

from casino_match.errors import MatchError
from casino_match.executors.executor import Job


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
