"""CPU of a match in one process and in several: `python bench/matches/executors.py [DECKS]`.

Plays `tight` against `caller` in this process, then in two, in the same run, and prints one line of
JSON: CPU seconds of all processes that play or coordinate, and their ratio. The digests are equal.
"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from casino_match.executors.executor import Executor, Job, LocalExecutor, PlayBlock, Played
from casino_match.executors.worker_processes import WorkerProcesses
from casino_match.run.match_run import play_match
from casino_match.run.match_start import MatchStarter

DECKS = 4_000
PROCESSES = 2


@dataclass(frozen=True)
class TimedJob:
    """A job whose processes note their CPU time after each block, without that of their start."""

    job: Job
    folder: Path

    @property
    def key(self) -> str:
        """Names the job."""
        return self.job.key

    def shipped(self) -> Job:
        """Return the job for another machine."""
        return TimedJob(self.job.shipped(), self.folder)

    def start(self) -> PlayBlock:
        """Return the function that plays."""
        play = self.job.start()
        began = time.process_time()

        def timed(number: int) -> bytes:
            content = play(number)
            (self.folder / str(os.getpid())).write_text(str(time.process_time() - began))
            return content

        return timed


@dataclass(frozen=True)
class Timed:
    """Plays timed jobs."""

    executor: Executor
    folder: Path

    def play(self, job: Job, numbers: Iterable[int]) -> Played:
        """Yield the blocks."""
        yield from self.executor.play(TimedJob(job, self.folder), numbers)


def cpu_of(executor: Executor, decks: int) -> tuple[float, float, str]:
    """Return the CPU and wall-clock seconds of a match, and its digest."""
    values = {"players": ["tight", "caller"], "deal": {"seed": "bench", "decks": decks}}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "times"
        folder.mkdir()
        begun = MatchStarter(lambda: "").begin(values, Path(), Path(name) / "match")
        cpu, wall = time.process_time(), time.monotonic()
        result = play_match(begun, Timed(executor, folder), now=lambda: datetime.now(UTC))
        cpu, wall = time.process_time() - cpu, time.monotonic() - wall
        own = folder / str(os.getpid())
        own.unlink(missing_ok=True)  # part of this process's time already
        cpu += sum(float(path.read_text()) for path in folder.iterdir())
    if result is None:
        raise SystemExit("the match is not complete")
    return cpu, wall, result.digest


def main() -> None:
    """Print the line."""
    decks = int(sys.argv[1]) if len(sys.argv) > 1 else DECKS
    one_s, one_wall_s, first = cpu_of(LocalExecutor(), decks)
    two_s, two_wall_s, second = cpu_of(WorkerProcesses(PROCESSES, lambda *_: None), decks)
    if first != second:
        raise SystemExit("the digests differ")
    print(
        json.dumps(
            {
                "decks": decks,
                "cpu_s": {"1": round(one_s, 2), str(PROCESSES): round(two_s, 2)},
                "wall_s": {"1": round(one_wall_s, 2), str(PROCESSES): round(two_wall_s, 2)},
                "cpu_ratio": round(two_s / one_s, 3),
                "load": os.getloadavg()[0],
            }
        )
    )


if __name__ == "__main__":
    main()
