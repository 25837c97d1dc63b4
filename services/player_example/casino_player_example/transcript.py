"""The transcript of a process's model: every prompt, answer and action as a line of JSON.

It has cards, so only its owner can read the file. A full one becomes `FILE.1`, so that two files
bound what is kept.
"""

import os
import stat
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import structlog
from casino_agentkit import InvalidSettings
from pydantic_core import to_json

MOST_BYTES = 64 * 1024 * 1024
_OWNER_ONLY = 0o600
_OPEN_TO_OTHERS = stat.S_IRWXG | stat.S_IRWXO

logger = structlog.get_logger(__name__)


def _now() -> datetime:
    return datetime.now(UTC)


class Transcript:
    """Appends records to a file; `now` is the wall clock."""

    def __init__(
        self, path: Path, *, most_bytes: int = MOST_BYTES, now: Callable[[], datetime] = _now
    ) -> None:
        self._path, self._most_bytes, self._now = path, most_bytes, now
        self._descriptor = self._open()

    def write(self, record: dict[str, Any]) -> None:
        """Append a record with the time; a disk that fails is logged, and the game goes on."""
        at = self._now().isoformat(timespec="milliseconds")
        line = to_json({"at": at, **record}) + b"\n"
        try:
            if os.fstat(self._descriptor).st_size + len(line) > self._most_bytes:
                self._turn_over()
            os.write(self._descriptor, line)
        except OSError as error:
            logger.warning("transcript_failed", why=error.strerror)

    def close(self) -> None:
        os.close(self._descriptor)

    def _turn_over(self) -> None:
        self._path.replace(self._path.with_name(f"{self._path.name}.1"))
        os.close(self._descriptor)
        self._descriptor = self._open()

    def _open(self) -> int:
        """Open the file for its owner only; raises InvalidSettings."""
        flags = (
            os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        )
        try:
            descriptor = os.open(self._path, flags, _OWNER_ONLY)
        except OSError as error:
            raise InvalidSettings(f"the transcript cannot be written: {error.strerror}") from error
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode) or mode & _OPEN_TO_OTHERS:
            os.close(descriptor)
            raise InvalidSettings(
                f"the transcript must be a file that only its owner can read, as it has cards:"
                f" `chmod 600` it, or name another one (mode {stat.S_IMODE(mode):04o})"
            )
        return descriptor
