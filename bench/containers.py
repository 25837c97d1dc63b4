"""The casino in containers: image sizes, start and stop time, memory.

Builds the images, starts the Compose file as a separate project, waits until the demo room has
played 50 hands, stops all containers, and prints one JSON line. 1 MB is a million bytes.
Limits: 280 MB more than the base image, the player 360; healthy 60 s after `up`.
"""

import os
import subprocess
import time
from collections.abc import Callable
from typing import Any

import httpx
from rig import BENCH, print_report

BASE = "python:3.11-slim-bookworm"
MOST_MB = {
    "lobby": 280,
    "table": 280,
    "player_example": 360,  # with the clients of models
    "gateway": 280,
    "evaluator": 280,
    "console": 280,
}
MOST_UP_S = 60
HANDS = 50
UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("CASINO_")},
    "COMPOSE_PROJECT_NAME": "casino-bench",
    "CASINO_TAG": "bench",
    "CASINO_PORT": "0",
    "CASINO_PLAYER_THINK": "0ms",
}


def docker(*arguments: str) -> str:
    """Run docker and return its output; raises CalledProcessError."""
    return subprocess.run(
        ["docker", *arguments],  # noqa: S607  docker of the operator's PATH
        env=ENVIRONMENT,
        cwd=BENCH.parent,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout.strip()


def seconds(work: Callable[[], object]) -> float:
    """Return how many seconds a function takes."""
    began = time.perf_counter()
    work()
    return round(time.perf_counter() - began, 1)


def megabytes(image: str) -> float:
    """Return the size of an image in MB."""
    return int(docker("image", "inspect", "--format", "{{.Size}}", image)) / 1e6


def play() -> None:
    """Wait until the demo room has completed its hands."""
    address = docker("compose", "port", "lobby", "4000")
    with httpx.Client(base_url=f"http://{address}", trust_env=False) as http:
        while http.get("/v1/rooms/demo").json()["summary"]["handCount"] < HANDS:
            time.sleep(0.1)


def memory() -> dict[str, float]:
    """Return the memory in MB by service, without the file cache of the engine."""
    ids = docker("compose", "ps", "--quiet", "--status", "running").split()
    output = docker("stats", "--no-stream", "--format", "{{.Name}} {{.MemUsage}}", *ids)
    used = {}
    for line in output.splitlines():
        name, amount, *_ = line.split()
        unit = amount.lstrip("0123456789.")
        service = name.removeprefix("casino-bench-").rpartition("-")[0]
        used[service] = round(float(amount.removesuffix(unit)) * UNITS[unit] / 1e6, 1)
    return dict(sorted(used.items()))


def measure() -> dict[str, Any]:
    """Build, start, play, stop."""
    build_s = seconds(lambda: docker("compose", "build", "--quiet"))
    base = megabytes(BASE)
    over = {target: megabytes(f"a2a-casino/{target}:bench") - base for target in MOST_MB}
    try:
        up_s = seconds(lambda: docker("compose", "up", "--detach", "--no-build", "--wait"))
        play_s = seconds(play)
        used = memory()
    finally:
        down_s = seconds(lambda: docker("compose", "down"))
        docker("compose", "down", "--volumes")
    missed = [f"{target} over_base_mb" for target, most in MOST_MB.items() if over[target] > most]
    return {
        "bench": "containers",
        "build_s": build_s,
        "over_base_mb": {target: round(size, 1) for target, size in over.items()},
        "up_s": up_s,
        "hands": HANDS,
        "play_s": play_s,
        "megabytes": used,
        "megabytes_in_all": round(sum(used.values())),
        "down_s": down_s,
        "floor": {"over_base_mb": MOST_MB, "up_s": MOST_UP_S},
        "missed": missed + (["up_s"] if up_s > MOST_UP_S else []),
    }


if __name__ == "__main__":
    print_report(measure())
