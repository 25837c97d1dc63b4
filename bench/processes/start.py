"""Start of a casino and of its processes: seconds, CPU and resident memory.

Prints one JSON line: when `casino up` has played its first hand, the CPU of `casino --help`, and
for each kind of process when it answers its first request, its CPU until then, and its memory. The
floor is the CPU of a Python process that imports what every service is built on. All runs repeat;
the figures are medians.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import psutil

sys.path.append(str(Path(__file__).parents[1]))

from rig import cpu_seconds, free_port, print_report, server

FOUNDATION = "import msgspec, orjson, prometheus_client, pydantic, starlette.applications, structlog, uvicorn, uvloop"  # noqa: E501  one program
IN_MEMORY = {"CASINO_LOBBY_DATABASE": "memory"}
ONE_PROCESS = {"CASINO_TABLE_PROCESSES": "1"}
PROCESSES: dict[str, tuple[list[str], dict[str, str]]] = {
    "player": (["casino_player_example", "caller"], {}),
    "64 players": (["casino_player_example", "caller"], {"CASINO_PLAYER_COUNT": "64"}),
    "8 tables": (["casino_table"], {**ONE_PROCESS, "CASINO_TABLE_COUNT": "8"}),
    "256 tables": (["casino_table"], {**ONE_PROCESS, "CASINO_TABLE_COUNT": "256"}),
    "lobby": (["casino_lobby"], IN_MEMORY),
}
MOST_UP_S = 4.0
MOST_HELP_CPU_S = 0.3
MOST_FIRST_REPLY_S = 3.0
PAUSE_S = 0.005


@dataclass(frozen=True)
class Start:
    """One start of a process, until its first reply."""

    seconds: float
    cpu_s: float
    megabytes: float


def started(command: list[str], settings: dict[str, str]) -> Start:
    """Start a service, and wait for the reply to a request of its last agent's card."""
    port = free_port()
    began = time.perf_counter()
    with server("-m", *command, "--port", str(port), environment=settings) as process:
        url = f"http://127.0.0.1:{port}{last_agent(command, settings)}/.well-known/agent-card.json"
        while True:
            try:
                with urllib.request.urlopen(url, timeout=60) as reply:
                    reply.read()
                break
            except OSError:
                if process.poll() is not None:
                    raise RuntimeError(f"{' '.join(command)} has ended") from None
                time.sleep(PAUSE_S)
        seconds = time.perf_counter() - began
        memory = psutil.Process(process.pid).memory_info().rss / 2**20
        return Start(seconds, cpu_seconds(process.pid), memory)


def last_agent(command: list[str], settings: dict[str, str]) -> str:
    """Return the base path of the agent of a process that is made last."""
    count = next((value for name, value in settings.items() if name.endswith("_COUNT")), "1")
    path = "players" if "casino_player_example" in command else "tables"
    return "" if count == "1" else f"/{path}/{count}"


def up_s() -> float:
    """Return the seconds after which `casino up` has played a hand."""
    with tempfile.TemporaryDirectory() as directory:
        began = time.perf_counter()
        command = [sys.executable, "-m", "casino", "up", "--hands", "1", "--exit", "--json"]
        port = ["--port", str(free_port())]
        with subprocess.Popen(
            [*command, *port], cwd=directory, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None  # noqa: S101  it is a pipe
            seconds = next(
                time.perf_counter() - began
                for line in process.stdout
                if json.loads(line)["event"] == "hand"
            )
            process.stdout.read()
        return seconds


def cpu_of(*arguments: str) -> float:
    """Return the CPU seconds of a Python program until it ends."""
    before = os.times()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    return (after.children_user + after.children_system) - (
        before.children_user + before.children_system
    )


def measure(rounds: int) -> dict[str, Any]:
    """Measure all starts in turns; the first round only fills the caches of files."""
    ups: list[float] = []
    helps: list[float] = []
    floors: list[float] = []
    starts: dict[str, list[Start]] = {name: [] for name in PROCESSES}
    for number in range(rounds + 1):
        taken = [up_s(), cpu_of("-m", "casino", "--help"), cpu_of("-c", FOUNDATION)]
        each = {name: started(*PROCESSES[name]) for name in PROCESSES}
        if number:
            for values, value in zip((ups, helps, floors), taken, strict=True):
                values.append(value)
            for name, start in each.items():
                starts[name].append(start)
    floor = median(floors)
    report = {
        name: {
            "first_reply_s": round(median(start.seconds for start in taken), 2),
            "cpu_s": round(median(start.cpu_s for start in taken), 2),
            "of_floor": round(median(start.cpu_s for start in taken) / floor, 1),
            "megabytes": round(median(start.megabytes for start in taken)),
        }
        for name, taken in starts.items()
    }
    missed = [name for name, each in report.items() if each["first_reply_s"] > MOST_FIRST_REPLY_S]
    if median(ups) > MOST_UP_S:
        missed.append("up_s")
    if median(helps) > MOST_HELP_CPU_S:
        missed.append("help_cpu_s")
    return {
        "bench": "start",
        "up_s": round(median(ups), 2),
        "help_cpu_s": round(median(helps), 2),
        "floor_cpu_s": round(floor, 2),
        "processes": report,
        "load": round(os.getloadavg()[0], 1),
        "limits": {
            "up_s": MOST_UP_S,
            "help_cpu_s": MOST_HELP_CPU_S,
            "first_reply_s": MOST_FIRST_REPLY_S,
        },
        "missed": missed,
    }


def main() -> None:
    """Parse the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    print_report(measure(parser.parse_args().rounds))


if __name__ == "__main__":
    main()
