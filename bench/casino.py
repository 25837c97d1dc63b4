"""A whole casino at full speed: 8 six-seat tables in one process, 48 callers, a recording lobby.

Prints one JSON line: decisions and hands a second, memory a process, and the decisions as a share
of the calls that the floor makes with the same client and requests of the same size, in this run.
Floor: 0.45 of it with the callers in 2 processes.
"""

import argparse
import asyncio
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Any

import httpx
import psutil
import uvloop
from floor import Floor
from rig import BENCH, answering, free_port, lap, question, server, tell

TABLES, SEATS = 8, 6
LEAST_OF_FLOOR = 0.45
DECISIONS_PER_HAND = 24  # six callers: everybody speaks once on each of four streets


@dataclass
class Run:
    """What one set-up came to."""

    processes: int
    decisions_per_s: float
    hands_per_s: float
    megabytes: dict[str, float]


async def play(player_processes: int, hands: int) -> Run:
    """Play so many hands on every table, and measure."""
    lobby_port, table_port = free_port(), free_port()
    player_ports = [free_port() for _ in range(player_processes)]
    each = TABLES * SEATS // player_processes
    with ExitStack() as stack:
        processes = {
            "lobby": stack.enter_context(server("-m", "casino_lobby", "--port", str(lobby_port))),
            "tables": stack.enter_context(
                server(
                    "-m",
                    "casino_table",
                    "--port",
                    str(table_port),
                    environment={"CASINO_TABLE_COUNT": str(TABLES)},
                )
            ),
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
        for port in (lobby_port, table_port, *player_ports):
            await answering(port)
        cards = [
            f"http://127.0.0.1:{port}/players/{number}"
            for number in range(1, each + 1)
            for port in player_ports
        ]
        url = f"http://127.0.0.1:{lobby_port}"
        async with httpx.AsyncClient(base_url=url, timeout=120) as http:
            await open_rooms(http, table_port, cards, hands)
            started, ended = await until_played(http, hands)
        megabytes = {
            name: psutil.Process(process.pid).memory_info().rss / 2**20
            for name, process in processes.items()
        }
    seconds = (ended - started).total_seconds()
    players = [size for name, size in megabytes.items() if name.startswith("players")]
    return Run(
        player_processes,
        TABLES * hands * DECISIONS_PER_HAND / seconds,
        TABLES * hands / seconds,
        {
            "lobby": round(megabytes["lobby"]),
            "tables": round(megabytes["tables"]),
            "playersEach": round(median(players)),
        },
    )


async def open_rooms(
    http: httpx.AsyncClient, table_port: int, cards: list[str], hands: int
) -> None:
    """Open the rooms and fill them; the last seats are taken together, and all begin to play."""
    config = {
        "startingStack": 10_000,
        "smallBlind": 1,
        "bigBlind": 2,
        "minBuyIn": 100,
        "maxBuyIn": 10_000,
        "maxHands": hands,
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


async def until_played(http: httpx.AsyncClient, hands: int) -> tuple[datetime, datetime]:
    """Wait until the lobby has recorded everything; return when the first hand began and the end.

    The lobby's clock and the tables' are this machine's.
    """
    while True:
        rooms = (await http.get("/v1/rooms")).json()["rooms"]
        if all(room["status"] == "idle" for room in rooms):
            break
        await asyncio.sleep(0.05)
    ended = datetime.now().astimezone()
    starts: list[datetime] = []
    for room in range(TABLES):
        snapshot: dict[str, Any] = (await http.get(f"/v1/rooms/room-{room}")).json()
        if snapshot["summary"]["handCount"] != hands:
            raise RuntimeError(f"room {room} played {snapshot['summary']['handCount']} hands")
        chips = sum(seat["stack"] for seat in snapshot["summary"]["players"])
        if chips % 10_000:
            raise RuntimeError(f"room {room} holds {chips} chips")
        page = (await http.get(f"/v1/rooms/room-{room}/events?after=7&limit=3")).json()
        told = [event for event in page["events"] if event["eventType"] == "hand_started"]
        starts += [datetime.fromisoformat(event["timestamp"]) for event in told]
    return min(starts), ended


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


async def measure(hands: int, rounds: int) -> dict[str, Any]:
    """Run the floor and the casino in turn."""
    floors: list[float] = []
    runs: dict[int, list[Run]] = {2: [], 6: [], 16: []}
    for _ in range(rounds):
        for processes, some in runs.items():
            floors.append(await floor_calls_per_s(15_000))
            some.append(await play(processes, hands))
    floors.append(await floor_calls_per_s(15_000))
    floor = median(floors)
    of_floor = {
        processes: median(run.decisions_per_s for run in some) / floor
        for processes, some in runs.items()
    }
    return {
        "bench": "casino",
        "tables": TABLES,
        "players": TABLES * SEATS,
        "handsPerTable": hands,
        "requestBytes": len(question().model_dump_json()),
        "floorCallsPerS": round(floor),
        "runs": [
            {
                "playerProcesses": processes,
                "decisionsPerS": round(median(run.decisions_per_s for run in some)),
                "handsPerS": round(median(run.hands_per_s for run in some)),
                "ofFloor": round(of_floor[processes], 2),
                "megabytes": some[-1].megabytes,
            }
            for processes, some in runs.items()
        ],
        "floors": {"ofFloorWith2Processes": LEAST_OF_FLOOR},
        "passed": of_floor[2] >= LEAST_OF_FLOOR,
    }


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=2)
    given = parser.parse_args()
    tell(uvloop.run(measure(given.hands, given.rounds)))


if __name__ == "__main__":
    main()
