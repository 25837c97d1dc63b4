"""What plays the blocks of a job, in any order, and a job: the plan and the files of its players.

`StopSignal` ends a run of blocks from another thread.
"""

import multiprocessing
import sys
import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

from casino_match.domain.block import block_to_json
from casino_match.domain.plan import Entrant, Plan
from casino_match.domain.plan_file import file_of, is_function
from casino_match.errors import PlayerFailed
from casino_match.play.played_block import play_block
from casino_match.player_files import files_of_players, function_version, style_version
from casino_match.players.local_players import local_players
from casino_match.players.match_player import Player

PlayBlock = Callable[[int], bytes]
"""Plays the block with a number, and returns its JSON."""
Played = Generator[tuple[int, bytes], None, None]
"""Blocks with their numbers, as they are done; closing it abandons those in flight."""
OnLost = Callable[[int, str], None]
"""Called when a block is played again, with the reason."""


class Job(Protocol):
    """What is played; it can be pickled."""

    @property
    def key(self) -> str:
        """Names the job: players that were loaded for it serve all its blocks."""

    def start(self) -> PlayBlock:
        """Load the players; called once in each process. Raises MatchError."""

    def shipped(self) -> "Job":
        """Return the job for a machine that lacks this machine's files; raises MatchError."""


class Executor(Protocol):
    """Plays the blocks of a job."""

    def play(self, job: Job, numbers: Iterable[int]) -> Played:
        """Yield numbered blocks as they are done, few ahead of the reader; raises MatchError."""


class LocalExecutor:
    """Plays in this process; what players print goes to standard error."""

    def play(self, job: Job, numbers: Iterable[int]) -> Played:
        with redirect_stdout(sys.stderr):
            play = job.start()
        for number in numbers:
            with redirect_stdout(sys.stderr):
                content = play(number)
            yield number, content


class StopSignal:
    """A signal to an executor: it raises MatchInterrupted, and abandons the blocks in flight."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._is_set = False
        self._calls: list[Callable[[], object]] = []

    @property
    def is_set(self) -> bool:
        return self._is_set

    def set(self) -> None:
        """End the run; may be called by any thread."""
        with self._lock:
            self._is_set = True
            for call in self._calls:
                call()

    @contextmanager
    def calling(self, call: Callable[[], object]) -> Iterator[None]:
        """Have `set` call a function, which must not wait, while the block runs, or at once."""
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


Files = Mapping[str, Mapping[str, bytes]]


@dataclass(frozen=True, slots=True)
class BlockJob:
    """Plays blocks of a plan whose players all run in one process."""

    plan: Plan
    folder: Path
    """Where the relative paths of players start."""
    files: Files | None = None
    """The files of functions, for a machine that does not have the folder."""

    @property
    def key(self) -> str:
        return self.plan.digest

    def shipped(self) -> "BlockJob":
        return BlockJob(self.plan, self.folder, files_of_players(self.plan, self.folder))

    def start(self) -> PlayBlock:
        """Load the players; raises PlayerFailed, also if they are of another version."""
        entrants = self.plan.players
        if self.files is not None:
            root = Path(tempfile.mkdtemp(prefix="casino-match-"))
            entrants = tuple(
                _unpacked(entrant, root / str(number), self.files)
                for number, entrant in enumerate(entrants)
            )
        for entrant in entrants:
            self._check_version(entrant)
        players = local_players(self.plan.model_copy(update={"players": entrants}), self.folder)
        return partial(_played, self.plan, players)

    def _check_version(self, entrant: Entrant) -> None:
        if entrant.version is None:
            return
        if is_function(entrant.player):
            version = function_version(self.folder, entrant.player)
        else:
            version = style_version()
        if version != entrant.version:
            raise PlayerFailed(
                f"{entrant.name}: {entrant.player} is not what the plan says here: it has the"
                f" version {version[:15]}…, the plan {entrant.version[:15]}…"
            )


def _played(plan: Plan, players: tuple[Player, ...], number: int) -> bytes:
    return block_to_json(play_block(plan, number, players))


def _unpacked(entrant: Entrant, folder: Path, files: Files) -> Entrant:
    """Write a function's files into a folder of their own, and return the player that is there."""
    if not is_function(entrant.player):
        return entrant
    file = file_of(entrant.player)
    for name, content in files[file].items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    there = folder / Path(file).name
    return entrant.model_copy(update={"player": there.as_posix() + entrant.player[len(file) :]})
