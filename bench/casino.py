"""Throughput of a whole casino: 8 six-seat tables, 48 example players, one lobby.

Prints one JSON line: decisions and hands per second, memory per process, and decisions as a share
of the calls per second of the floor (bench/floor.py) with requests of the same size.
Each run is repeated with journals and the lobby's database on disk.
Limits: at least 0.45 of the floor with 2 player processes; on disk at least 0.60 of the same run in
memory.
"""

import argparse
import asyncio
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import psutil
import uvloop
from floor import floor_calls_per_s
from rig import free_port, print_report, question, server, wait_for_port

TABLES, SEATS = 8, 6
STACK = 1_000_000
WARM_UP_S = 3.0
LEAST_OF_FLOOR = 0.45
LEAST_ON_DISK = 0.60
IN_MEMORY = {"CASINO_LOBBY_DATABASE": "memory"}
DECISIONS_PER_HAND = 24  # six callers, one decision per seat on each of four streets


@dataclass
class Run:
    """Results of one setup."""

    processes: int
    decisions_per_s: float
    hands_per_s: float
    megabytes: dict[str, float]


def on_disk(directory: Path) -> dict[str, str]:
    """Return the settings that store everything on disk."""
    return {
        "CASINO_LOBBY_DATA": str(directory / "lobby"),
        "CASINO_TABLE_DATA": str(directory / "tables"),
    }


async def play(player_processes: int, seconds: float, storage: dict[str, str]) -> Run:
    """Play at all tables and measure the rate; `storage` is environment variables."""
    lobby_port, table_port = free_port(), free_port()
    player_ports = [free_port() for _ in range(player_processes)]
    each = TABLES * SEATS // player_processes
    with ExitStack() as stack:
        # Terminated in reverse order: tables first, while their players still answer.
        processes = {
            "lobby": stack.enter_context(
                server("-m", "casino_lobby", "--port", str(lobby_port), environment=storage)
            )
        }
        for number, port in enumerate(player_ports):
            processes[f"players {number}"] = stack.enter_context(
                server(
                    "-m",
                    "casino_player_example",
                    "caller",
                    "--port",
                    str(port),
                    environment={"CASINO_PLAYER_COUNT": str(each)},
                )
            )
        processes["tables"] = stack.enter_context(
            server(
                "-m",
                "casino_table",
                "--port",
                str(table_port),
                environment={"CASINO_TABLE_COUNT": str(TABLES), **storage},
            )
        )
        for port in (lobby_port, table_port, *player_ports):
            await wait_for_port(port)
        cards = [
            f"http://127.0.0.1:{port}/players/{number}"
            for number in range(1, each + 1)
            for port in player_ports
        ]
        url = f"http://127.0.0.1:{lobby_port}"
        async with httpx.AsyncClient(base_url=url, timeout=120) as http:
            await open_rooms(http, table_port, cards)
            await asyncio.sleep(WARM_UP_S)
            hands_per_s = await hands_recorded_per_s(http, seconds)
            await check_chips(http)
        megabytes = {
            name: psutil.Process(process.pid).memory_info().rss / 2**20
            for name, process in processes.items()
        }
    players = [size for name, size in megabytes.items() if name.startswith("players")]
    return Run(
        player_processes,
        hands_per_s * DECISIONS_PER_HAND,
        hands_per_s,
        {
            "lobby": round(megabytes["lobby"]),
            "tables": round(megabytes["tables"]),
            "players_each": round(median(players)),
        },
    )


async def open_rooms(http: httpx.AsyncClient, table_port: int, cards: list[str]) -> None:
    """Open the rooms and fill them; the last seats are taken at once, which starts all games."""
    config = {
        "startingStack": STACK,
        "smallBlind": 1,
        "bigBlind": 2,
        "minBuyIn": STACK,
        "maxBuyIn": STACK,
        "maxHands": 1_000_000,
        "maxSeats": SEATS,
        "rebuy": "auto",
    }

    async def register(room: int, card: str) -> None:
        reply = await http.post(f"/v1/rooms/room-{room}/players", json={"agentCardUrl": card})
        reply.raise_for_status()

    for room in range(TABLES):
        table = f"http://127.0.0.1:{table_port}/tables/{room + 1}"
        body = {"roomId": f"room-{room}", "config": config, "tableAgentCardUrl": table}
        (await http.post("/v1/rooms", json=body)).raise_for_status()
        for card in cards[room * SEATS : room * SEATS + SEATS - 1]:
            await register(room, card)
    await asyncio.gather(
        *(register(room, cards[room * SEATS + SEATS - 1]) for room in range(TABLES))
    )


async def hands_recorded_per_s(http: httpx.AsyncClient, seconds: float) -> float:
    """Return the completed hands per second that the lobby records in all rooms."""

    async def hands() -> int:
        rooms = (await http.get("/v1/rooms")).json()["rooms"]
        if any(room["status"] != "running" for room in rooms):
            raise RuntimeError(f"a room is not running: {rooms}")
        return sum(room["handCount"] for room in rooms)

    before, started = await hands(), time.perf_counter()
    await asyncio.sleep(seconds)
    after, ended = await hands(), time.perf_counter()
    return (after - before) / (ended - started)


async def check_chips(http: httpx.AsyncClient) -> None:
    """Check the sum of the stacks in the last completed hand of every room."""
    for room in range(TABLES):
        events = (await http.get(f"/v1/rooms/room-{room}")).json()["events"]
        last = [event for event in events if event["eventType"] == "hand_completed"][-1]
        chips = sum(stack["stack"] for stack in last["payload"]["stacks"])
        if chips != STACK * SEATS:
            raise RuntimeError(f"room {room} holds {chips} chips instead of {STACK * SEATS}")


async def measure(seconds: float, rounds: int) -> dict[str, Any]:
    """Run the floor and the casino in turns."""
    floors: list[float] = []
    runs: dict[int, list[Run]] = {2: [], 6: [], 16: []}
    disk_runs: list[Run] = []
    for _ in range(rounds):
        for processes, setup_runs in runs.items():
            floors.append(await floor_calls_per_s(15_000, TABLES))
            setup_runs.append(await play(processes, seconds, IN_MEMORY))
            if processes == 2:  # noqa: PLR2004  right after the run it is compared with
                with TemporaryDirectory() as directory:
                    disk_runs.append(await play(processes, seconds, on_disk(Path(directory))))
    floors.append(await floor_calls_per_s(15_000, TABLES))
    durable = median(
        disk.decisions_per_s / memory.decisions_per_s
        for disk, memory in zip(disk_runs, runs[2], strict=True)
    )
    floor = median(floors)
    of_floor = {
        processes: median(run.decisions_per_s for run in setup_runs) / floor
        for processes, setup_runs in runs.items()
    }
    return {
        "bench": "casino",
        "tables": TABLES,
        "players": TABLES * SEATS,
        "seconds": seconds,
        "request_bytes": len(question().model_dump_json()),
        "floor_calls_per_s": round(floor),
        "runs": [
            {
                "player_processes": processes,
                "decisions_per_s": round(median(run.decisions_per_s for run in setup_runs)),
                "hands_per_s": round(median(run.hands_per_s for run in setup_runs)),
                "of_floor": round(of_floor[processes], 2),
                "megabytes": setup_runs[-1].megabytes,
            }
            for processes, setup_runs in runs.items()
        ],
        "on_disk": {
            "player_processes": 2,
            "decisions_per_s": round(median(run.decisions_per_s for run in disk_runs)),
            "of_memory": round(durable, 2),
            "megabytes": disk_runs[-1].megabytes,
        },
        "floor": {
            "of_floor with 2 player processes": LEAST_OF_FLOOR,
            "on_disk.of_memory": LEAST_ON_DISK,
        },
        "missed": [
            *(["of_floor with 2 player processes"] if of_floor[2] < LEAST_OF_FLOOR else []),
            *(["on_disk.of_memory"] if durable < LEAST_ON_DISK else []),
        ],
    }


def main() -> None:
    """Parse the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--rounds", type=int, default=2)
    arguments = parser.parse_args()
    print_report(uvloop.run(measure(arguments.seconds, arguments.rounds)))


if __name__ == "__main__":
    main()
