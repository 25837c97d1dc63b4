"""A whole casino at full speed: 8 six-seat tables in one process, 48 callers, a recording lobby.

Prints one JSON line: decisions and hands a second, memory a process, and the decisions as a share
of the calls that the floor makes with the same client and requests of the same size, in this run.
Then once more with the journals and the lobby's database on disk.
Floors: 0.45 of the floor's calls with the callers in 2 processes; with everything on disk 0.60 of
what was just played in memory.
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
from floor import Floor
from rig import BENCH, answering, free_port, lap, question, server, tell

TABLES, SEATS = 8, 6
STACK = 1_000_000
WARM_UP_S = 3.0
LEAST_OF_FLOOR = 0.45
LEAST_ON_DISK = 0.60
IN_MEMORY = {"CASINO_LOBBY_DATABASE": "memory"}
DECISIONS_PER_HAND = 24  # six callers: everybody speaks once on each of four streets


@dataclass
class Run:
    """What one set-up came to."""

    processes: int
    decisions_per_s: float
    hands_per_s: float
    megabytes: dict[str, float]


def on_disk(directory: Path) -> dict[str, str]:
    """Return the settings with which nothing is lost."""
    return {
        "CASINO_LOBBY_DATA": str(directory / "lobby"),
        "CASINO_TABLE_DATA": str(directory / "tables"),
    }


async def play(player_processes: int, seconds: float, kept: dict[str, str]) -> Run:
    """Let all tables play, and measure for so long while they do."""
    lobby_port, table_port = free_port(), free_port()
    player_ports = [free_port() for _ in range(player_processes)]
    each = TABLES * SEATS // player_processes
    with ExitStack() as stack:
        # In this order they are ended in the other: tables first, while their players still answer.
        processes = {
            "lobby": stack.enter_context(
                server("-m", "casino_lobby", "--port", str(lobby_port), environment=kept)
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
                environment={"CASINO_TABLE_COUNT": str(TABLES), **kept},
            )
        )
        for port in (lobby_port, table_port, *player_ports):
            await answering(port)
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
    """Open the rooms and fill them; the last seats are taken together, and all begin to play."""
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
    """Return the rate at which the lobby has recorded completed hands, over all rooms."""

    async def hands() -> int:
        rooms = (await http.get("/v1/rooms")).json()["rooms"]
        if any(room["status"] != "running" for room in rooms):
            raise RuntimeError(f"not every room is playing: {rooms}")
        return sum(room["handCount"] for room in rooms)

    before, started = await hands(), time.perf_counter()
    await asyncio.sleep(seconds)
    after, ended = await hands(), time.perf_counter()
    return (after - before) / (ended - started)


async def check_chips(http: httpx.AsyncClient) -> None:
    """Check in the last completed hand of every room that no chip was lost or made."""
    for room in range(TABLES):
        events = (await http.get(f"/v1/rooms/room-{room}")).json()["events"]
        last = [event for event in events if event["eventType"] == "hand_completed"][-1]
        chips = sum(stack["stack"] for stack in last["payload"]["stacks"])
        if chips != STACK * SEATS:
            raise RuntimeError(f"room {room} holds {chips} chips")


async def floor_calls_per_s(calls: int) -> float:
    """Return the rate of the floor, with as many calls in flight as there are tables."""
    port = free_port()
    with server(str(BENCH / "floor.py"), str(port)) as process:
        await answering(port)
        floor, asked = Floor(f"http://127.0.0.1:{port}/"), question()

        async def ask(number: int) -> None:
            await floor.act(asked.model_copy(update={"request_id": f"q{number}"}))

        await lap(ask, 500, TABLES, process.pid)
        rate = (await lap(ask, calls, TABLES, process.pid)).calls_per_s
        await floor.close()
    return rate


async def measure(seconds: float, rounds: int) -> dict[str, Any]:
    """Run the floor and the casino in turn."""
    floors: list[float] = []
    runs: dict[int, list[Run]] = {2: [], 6: [], 16: []}
    kept: list[Run] = []
    for _ in range(rounds):
        for processes, some in runs.items():
            floors.append(await floor_calls_per_s(15_000))
            some.append(await play(processes, seconds, IN_MEMORY))
            if processes == 2:  # noqa: PLR2004  beside the run it is compared with
                with TemporaryDirectory() as directory:
                    kept.append(await play(processes, seconds, on_disk(Path(directory))))
    floors.append(await floor_calls_per_s(15_000))
    durable = median(
        disk.decisions_per_s / memory.decisions_per_s
        for disk, memory in zip(kept, runs[2], strict=True)
    )
    floor = median(floors)
    of_floor = {
        processes: median(run.decisions_per_s for run in some) / floor
        for processes, some in runs.items()
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
                "decisions_per_s": round(median(run.decisions_per_s for run in some)),
                "hands_per_s": round(median(run.hands_per_s for run in some)),
                "of_floor": round(of_floor[processes], 2),
                "megabytes": some[-1].megabytes,
            }
            for processes, some in runs.items()
        ],
        "on_disk": {
            "player_processes": 2,
            "decisions_per_s": round(median(run.decisions_per_s for run in kept)),
            "of_memory": round(durable, 2),
            "megabytes": kept[-1].megabytes,
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
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--rounds", type=int, default=2)
    given = parser.parse_args()
    tell(uvloop.run(measure(given.seconds, given.rounds)))


if __name__ == "__main__":
    main()
