"""Files that one process at a time may use, such as databases."""

import fcntl
import os
from pathlib import Path
from typing import Final

from casino_agentkit.process.private_directory import make_private

_OWNER_ONLY: Final = 0o600


def lock_file(path: Path) -> int:
    """Lock a file for this process, and create it and its directory, for its owner only.

    Returns the descriptor of the lock, a file beside it; closing it, and the end of the process,
    release the lock. Raises BlockingIOError if another process holds it, else OSError.
    """
    make_private(path.parent)
    lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _OWNER_ONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # A library that creates it later would let other users read it.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _OWNER_ONLY))
    except OSError:
        os.close(lock)
        raise
    return lock
