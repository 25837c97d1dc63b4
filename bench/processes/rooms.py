"""How long `createRoom` takes where the lobby launches the table: one alone, and six at once.

One lobby on disk, in real processes. `first` also starts the lobby's fork server; the floor is the
import of a table in a process of its own, in the same run. Prints one JSON line. Limits: each of
six at once takes at most twice as long as one alone, or as the floor if that is more; none is
refused or retried; a table has a port and less than half of the floor's memory of its own.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path
from statistics import median
from typing import Any

import aiohttp
import psutil
from casino_agentkit import Child

sys.path.append(str(Path(__file__).parents[1]))

from rig import print_report

AT_ONCE, ROUNDS, TIMES = 6, 3, 2.0
CONFIG = {"startingStack": 200, "smallBlind": 1, "bigBlind": 2, "minBuyIn": 100}
CONFIG |= {"maxBuyIn": 400, "maxHands": 1, "maxSeats": 2}
IMPORT = "import casino_table.__main__, psutil; print(psutil.Process().memory_full_info().uss)"


def import_floor() -> tuple[float, float]:
    """Return the seconds and the megabytes of a process that imports a table."""
    began = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", IMPORT], check=True, stdout=subprocess.PIPE)
    return time.perf_counter() - began, int(done.stdout) / 2**20


async def created(lobby: aiohttp.ClientSession) -> tuple[float, str]:
    """Open a room; return the seconds and its table's address, empty if it was refused."""
    began = time.perf_counter()
    async with lobby.post("/v1/rooms", json={"config": CONFIG}) as reply:
        room = await reply.json()
    return time.perf_counter() - began, room.get("tableBaseUrl", "")


async def measure() -> dict[str, Any]:
    """Return the report of one lobby."""
    floor_s, floor_mb = import_floor()
    with tempfile.TemporaryDirectory() as data:
        environment = {**os.environ, "CASINO_LOBBY_DATA": data}
        lobby = await Child.start("lobby", "casino_lobby", ["--port", "0"], environment=environment)
        async with aiohttp.ClientSession(lobby.url) as session:
            first = await created(session)
            alone = [await created(session) for _ in range(ROUNDS)]
            together = [
                one
                for _ in range(ROUNDS - 1)
                for one in await asyncio.gather(*(created(session) for _ in range(AT_ONCE)))
            ]
        (server,) = psutil.Process(lobby.pid).children()
        memory = [one.memory_full_info().uss / 2**20 for one in server.children()]
        await lobby.stop(timedelta(seconds=30))
    rooms = [first, *alone, *together]
    refused = sum(not address for _, address in rooms)
    collided = len(rooms) - refused - len({address for _, address in rooms if address})
    alone_s, slowest = median(seconds for seconds, _ in alone), max(one for one, _ in together)
    limit = max(TIMES * alone_s, floor_s)
    table_mb = median(memory)
    missed = {"slowest_s": slowest > limit, "refused": refused, "collided": collided}
    missed["table_mb"] = table_mb > floor_mb / 2
    return {
        "first_s": round(first[0], 3),
        "alone_s": round(alone_s, 3),
        "together_s": [round(seconds, 3) for seconds, _ in together],
        "slowest_of_alone": round(slowest / alone_s, 2),
        "slowest_of_first": round(slowest / first[0], 2),
        "floor_s": round(floor_s, 3),
        "refused": refused,
        "collided": collided,
        "table_mb": round(table_mb, 1),
        "floor_mb": round(floor_mb, 1),
        "missed": [name for name, is_missed in missed.items() if is_missed],
    }


if __name__ == "__main__":
    print_report(asyncio.run(measure()))
