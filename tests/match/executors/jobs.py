"""Jobs that executors play in other processes, and that end those processes."""

import os
import signal
import threading
from dataclasses import dataclass
from pathlib import Path

from casino_match.errors import MatchError, PlayerFailed
from casino_match.executors.executor import Job, PlayBlock
from support.processes import PATIENCE_S


@dataclass(frozen=True)
class TextJob:
    """Returns a text for each block; a process that meets a block of `fatal` is killed.

    It is killed once for each file that it can make in `folder`, or always without a folder.
    """

    fatal: tuple[int, ...] = ()
    wrong: tuple[int, ...] = ()
    folder: Path | None = None
    has_players: bool = True
    lasts: bool = False
    """Whether every block but the first lasts as long as any patience."""

    @property
    def key(self) -> str:
        return "text"

    def start(self) -> PlayBlock:
        if not self.has_players:
            raise PlayerFailed("there is no player")
        return self._play

    def shipped(self) -> Job:
        """Return the same job: it has no files."""
        return self

    def _play(self, number: int) -> bytes:
        if number in self.wrong:
            raise MatchError(f"block {number} is wrong")
        if number in self.fatal and self._is_first(number):
            os.kill(os.getpid(), signal.SIGKILL)
        if self.lasts and number:
            threading.Event().wait(PATIENCE_S)
        return f"block {number}".encode()

    def _is_first(self, number: int) -> bool:
        if self.folder is None:
            return True
        try:
            (self.folder / str(number)).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True
