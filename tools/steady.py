"""Runs a command while all its processes are stopped and continued at random.

    python tools/steady.py --seed 7 python -m pytest -m "core or system"

A busy hypervisor does the same to a machine. What passes here depends on no speed.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import time

import psutil

BETWEEN_S = (0.3, 2.5)
STOPPED_S = (0.03, 0.5)
RUN = "CASINO_STEADY_RUN"
"""Environment variable by which the processes of a run are known, whoever their parent is."""


def processes_of(run: str) -> list[psutil.Process]:
    """Return the processes of a run that nobody has stopped."""
    running = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(RUN) == run and process.status() != psutil.STATUS_STOPPED:
                running.append(process)
        except psutil.Error:  # it ended, or is another user's
            continue
    return running


def send(processes: list[psutil.Process], number: signal.Signals) -> None:
    """Send a signal to all that are still there."""
    for process in processes:
        try:
            process.send_signal(number)
        except psutil.Error:
            continue


def main() -> int:
    """Run the command; returns its exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)  # noqa: S311 - a seed repeats the run
    run = f"{os.getpid()}-{arguments.seed}"
    stops = 0
    with subprocess.Popen(  # noqa: S603 - the command of whoever calls
        arguments.command, env={**os.environ, RUN: run}
    ) as command:
        while command.poll() is None:
            time.sleep(chance.uniform(*BETWEEN_S))
            stopped = processes_of(run)
            send(stopped, signal.SIGSTOP)
            time.sleep(chance.uniform(*STOPPED_S))
            send(stopped, signal.SIGCONT)
            stops += 1
    result = f"seed {arguments.seed}, stopped {stops} times, exit code {command.returncode}"
    sys.stdout.write(f"steady: {result}\n")
    return command.returncode


if __name__ == "__main__":
    sys.exit(main())
