"""Time rounds of hands: in this process, or with the compiled rules in a process of this script."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

from casino_games.holdem import betting
from rules.plays import PLAYS, recorded

BENCH = Path(__file__).parents[1]
COMPILED = BENCH.parent / ".compiled"


class Stopwatch:
    """Times rounds in this process; each contender goes on with its own random numbers."""

    def __init__(self) -> None:
        self._generators: dict[tuple[str, int], random.Random] = {}

    def rate(self, name: str, seats: int) -> float:
        """Return a contender's hands per second."""
        play, hands = PLAYS[name]
        hands //= seats
        generator = self._generators.setdefault((name, seats), random.Random(seats))
        if name == "game_alone":
            recorded(seats, hands)
        started = time.perf_counter()
        play(seats, hands, generator)
        return hands / (time.perf_counter() - started)


class CompiledStopwatch:
    """Times rounds in another process, with the compiled rules."""

    def __init__(self) -> None:
        process = subprocess.Popen(
            [sys.executable, __file__],
            env={**os.environ, "PYTHONPATH": f"{COMPILED}:{BENCH}"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        if process.stdin is None or process.stdout is None:
            raise BrokenPipeError
        self._requests, self._rates = process.stdin, process.stdout

    def rate(self, name: str, seats: int) -> float:
        """Return a contender's hands per second; raises `ValueError` if the process is broken."""
        self._requests.write(f"{name} {seats}\n")
        self._requests.flush()
        return float(self._rates.readline())


def serve() -> None:
    """Time the rounds that `CompiledStopwatch` asks for, until it ends."""
    if str(betting.__file__).endswith(".py"):
        raise SystemExit(f"{COMPILED} has no compiled rules: make compiled")
    stopwatch = Stopwatch()
    for line in sys.stdin:
        name, seats = line.split()
        print(stopwatch.rate(name, int(seats)), flush=True)


if __name__ == "__main__":
    serve()
