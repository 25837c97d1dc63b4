"""Decisions through a WebSocket seat of the gateway against a native seat, and idle seats' memory.

Heads-up rooms of one casino play in turns: those of sample players that are called by the table,
and those of seats that a client in a process of its own plays over the Boardgame Protocol's
WebSocket. Both check or call. Prints one JSON line: decisions/s of all rooms, CPU per decision of
the sample players, the gateway and the client, and the gateway's memory per seat that nobody plays.
Limits: at least 0.10 of the native rate, at most 128 KiB per idle seat.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import psutil
import uvloop
from rig import BENCH, cpu_seconds, free_port, print_report, server, wait_for_port

LEAST_OF_NATIVE = 0.10
MOST_KIB_PER_SEAT = 128.0
KEY = "the operator's key of this bench"
STACK = 1_000_000
DECISIONS_PER_HAND = 8
"""Heads-up, both passive: two decisions on each of four streets."""
SEATS_PER_ROOM, LOGIN_STEP = 8, 16
MOST_TABLES = 100
"""Of one process."""
_OPEN_ONLY = {"maxSeats": 10, "maxHands": 1}
"""Never full, so that it is never started."""


@dataclass
class Casino:
    """Processes of a casino, and a client of its lobby and of its gateway."""

    processes: dict[str, subprocess.Popen[bytes]]
    tables: list[str]
    lobby: httpx.AsyncClient
    gateway: httpx.AsyncClient

    async def open(self, room: str, **config: object) -> None:
        """Open a room on a free table."""
        rules = {
            "startingStack": STACK,
            "smallBlind": 1,
            "bigBlind": 2,
            "minBuyIn": STACK,
            "maxBuyIn": STACK,
            "maxSeats": 2,
            **config,
        }
        body = {"roomId": room, "config": rules, "tableAgentCardUrl": self.tables.pop()}
        (await self.lobby.post("/v1/rooms", json=body)).raise_for_status()

    async def until_idle(self, rooms: Sequence[str]) -> None:
        """Wait until the sessions of all rooms are over."""
        while True:
            listed = (await self.lobby.get("/v1/rooms")).json()["rooms"]
            if all(room["status"] == "idle" for room in listed if room["roomId"] in rooms):
                return
            await asyncio.sleep(0.02)

    async def play(self, rooms: Sequence[str]) -> float:
        """Play a session in all rooms at once; returns its seconds."""
        started = time.perf_counter()
        for room in rooms:
            (await self.lobby.post(f"/v1/rooms/{room}/start", json={})).raise_for_status()
        await self.until_idle(rooms)
        return time.perf_counter() - started

    def cpu(self, *names: str) -> float:
        """Return the CPU seconds of processes."""
        return sum(cpu_seconds(self.processes[name].pid) for name in names)

    def kib(self, name: str) -> float:
        """Return the memory of a process."""
        return float(psutil.Process(self.processes[name].pid).memory_info().rss / 1024)


@asynccontextmanager
async def casino_of(tables: int, players: int) -> AsyncIterator[Casino]:
    """Run a lobby with a key, a gateway, and so many tables and sample players."""
    counts = [min(MOST_TABLES, tables - first) for first in range(0, tables, MOST_TABLES)]
    ports = {name: free_port() for name in ("lobby", "gateway", "players")}
    lobby, gateway = (f"http://127.0.0.1:{ports[name]}" for name in ("lobby", "gateway"))
    settings = {
        "lobby": {
            "CASINO_LOBBY_DATABASE": "memory",
            "CASINO_LOBBY_OPERATOR_TOKEN": KEY,
            "CASINO_LOBBY_ROOMS": "1000",
        },
        "players": {"CASINO_PLAYER_COUNT": str(max(1, players))},
        "gateway": {
            "CASINO_GATEWAY_LOBBY_URL": lobby,
            "CASINO_GATEWAY_OPERATOR_TOKEN": KEY,
            "CASINO_GATEWAY_SEATS_PER_ADDRESS": "0",
            "CASINO_GATEWAY_LOGINS_PER_ADDRESS": "0",
            "CASINO_GATEWAY_RECONNECT": "1h",
        },
    }
    modules = {
        "lobby": ("casino_lobby",),
        "players": ("casino_player_example", "caller"),
        "gateway": ("casino_gateway",),
    }
    cards: list[str] = []
    with ExitStack() as stack:
        settings["gateway"]["CASINO_GATEWAY_DATA"] = stack.enter_context(TemporaryDirectory())
        processes = {
            name: stack.enter_context(
                server("-m", *modules[name], "--port", str(port), environment=settings[name])
            )
            for name, port in ports.items()
        }
        for count in counts:
            port = free_port()
            environment = {"CASINO_TABLE_COUNT": str(count), "CASINO_TABLE_PROCESSES": "1"}
            stack.enter_context(
                server("-m", "casino_table", "--port", str(port), environment=environment)
            )
            cards += [f"http://127.0.0.1:{port}/tables/{number + 1}" for number in range(count)]
            await wait_for_port(port)
        for port in ports.values():
            await wait_for_port(port)
        operator = {"authorization": f"Bearer {KEY}"}
        async with (
            httpx.AsyncClient(base_url=lobby, timeout=120, headers=operator) as of_lobby,
            httpx.AsyncClient(base_url=gateway, timeout=120) as of_gateway,
        ):
            yield Casino(processes, cards, of_lobby, of_gateway)


async def decide(rounds: int, rooms: int, hands: int) -> dict[str, Any]:
    """Measure rooms of native and of WebSocket seats in turns."""
    native = [f"native-{number}" for number in range(rooms)]
    outside = [f"outside-{number}" for number in range(rooms)]
    laps: dict[str, list[dict[str, float]]] = {"native": [], "websocket": []}
    decisions = rooms * hands * DECISIONS_PER_HAND
    async with casino_of(2 * rooms, 2 * rooms) as casino:
        for room in (*native, *outside):
            await casino.open(room, maxHands=hands)
        seats = [await _sit(casino, room) for room in outside for _ in range(2)]
        url = str(casino.gateway.base_url.copy_with(scheme="ws")).rstrip("/") + "/bgp/ws"
        with _client(url, seats) as client:
            casino.processes["client"] = client
            cards = [f"/players/{number + 1}" for number in range(2 * rooms)]
            for number, room in enumerate(native):
                for card in cards[2 * number : 2 * number + 2]:
                    body = {"agentCardUrl": f"{_players(casino)}{card}"}
                    path = f"/v1/rooms/{room}/players"
                    (await casino.lobby.post(path, json=body)).raise_for_status()
            await casino.until_idle((*native, *outside))  # the first sessions warm up
            for _ in range(rounds):
                before = casino.cpu("players")
                seconds = await casino.play(native)
                laps["native"].append(
                    {
                        "decisions_per_s": decisions / seconds,
                        "player_us": (casino.cpu("players") - before) / decisions * 1e6,
                    }
                )
                of_gateway, of_client = casino.cpu("gateway"), casino.cpu("client")
                seconds = await casino.play(outside)
                laps["websocket"].append(
                    {
                        "decisions_per_s": decisions / seconds,
                        "gateway_us": (casino.cpu("gateway") - of_gateway) / decisions * 1e6,
                        "client_us": (casino.cpu("client") - of_client) / decisions * 1e6,
                    }
                )
            await _check_outcomes(casino, outside)
            client.terminate()
    return {
        name: {key: round(median(lap[key] for lap in of_name), 1) for key in of_name[0]}
        for name, of_name in laps.items()
    }


def _players(casino: Casino) -> str:
    """Return the base URL of the sample players' process."""
    (connection,) = (
        connection
        for connection in psutil.Process(casino.processes["players"].pid).net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN
    )
    return f"http://127.0.0.1:{connection.laddr.port}"


async def _sit(casino: Casino, room: str) -> dict[str, str]:
    names = {"match_id": room, "name": f"Outside {room}", "type": "ai"}
    seat = await casino.gateway.post("/bgp/seats", json=names)
    taken: dict[str, str] = seat.raise_for_status().json()
    return taken


def _client(url: str, seats: Sequence[dict[str, str]]) -> subprocess.Popen[bytes]:
    command = [sys.executable, str(BENCH / "agents/gateway_client.py"), url]
    client = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if client.stdin is None:
        raise RuntimeError("its standard input is a pipe")
    client.stdin.writelines(json.dumps(seat).encode() + b"\n" for seat in seats)
    client.stdin.close()
    return client


async def _check_outcomes(casino: Casino, rooms: Sequence[str]) -> None:
    """Check that the last decisions came from the client."""
    for room in rooms:
        events = (await casino.lobby.get(f"/v1/rooms/{room}")).json()["events"]
        outcomes = {
            event["payload"]["outcome"] for event in events if event["eventType"] == "action_taken"
        }
        if outcomes != {"ok"}:
            raise RuntimeError(f"{room}: {outcomes}")


async def idle(seats: int) -> float:
    """Return the gateway's memory per seat that nobody plays, in KiB."""
    rooms = 1 + max(LOGIN_STEP * SEATS_PER_ROOM, -(-seats // SEATS_PER_ROOM))
    async with casino_of(rooms, 0) as casino:
        names = [f"room-{number}" for number in range(rooms)]
        for room in names:
            await casino.open(room, **_OPEN_ONLY)
        logins = [await _login(casino, number) for number in range(rooms)]
        before, taken = 0.0, 0
        for number, room in enumerate(names):
            joining = [
                _join(casino, room, logins[(number + step * LOGIN_STEP) % rooms])
                for step in range(min(SEATS_PER_ROOM, seats - taken))
            ]
            await asyncio.gather(*joining)
            if not before:  # what the first room needs, all share
                before = casino.kib("gateway")
            else:
                taken += len(joining)
        return (casino.kib("gateway") - before) / taken


async def _login(casino: Casino, number: int) -> str:
    reply = await casino.gateway.post("/api/auth/guest", json={"displayName": f"Idle {number}"})
    token: str = reply.raise_for_status().json()["token"]
    return token


async def _join(casino: Casino, room: str, token: str) -> None:
    headers = {"authorization": f"Bearer {token}"}
    path = f"/api/rooms/{room}/join"
    (await casino.gateway.post(path, json={}, headers=headers)).raise_for_status()


async def measure(rounds: int, rooms: int, hands: int, seats: int) -> dict[str, Any]:
    """Measure decisions, then idle seats."""
    load = os.getloadavg()[0]
    contenders = await decide(rounds, rooms, hands)
    kib = await idle(seats)
    share = contenders["websocket"]["decisions_per_s"] / contenders["native"]["decisions_per_s"]
    return {
        "bench": "gateway",
        "load": round(load, 1),
        "rooms": rooms,
        **contenders,
        "websocket_of_native_rate": round(share, 2),
        "idle_seats": seats,
        "kib_per_idle_seat": round(kib, 1),
        "floor": {
            "websocket_of_native_rate": LEAST_OF_NATIVE,
            "kib_per_idle_seat": MOST_KIB_PER_SEAT,
        },
        "missed": [
            *(["websocket_of_native_rate"] if share < LEAST_OF_NATIVE else []),
            *(["kib_per_idle_seat"] if kib > MOST_KIB_PER_SEAT else []),
        ],
    }


def main() -> None:
    """Parse the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rooms", type=int, default=4)
    parser.add_argument("--hands", type=int, default=100)
    parser.add_argument("--seats", type=int, default=1000)
    arguments = parser.parse_args()
    print_report(
        uvloop.run(measure(arguments.rounds, arguments.rooms, arguments.hands, arguments.seats))
    )


if __name__ == "__main__":
    main()
