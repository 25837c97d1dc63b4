"""Actions of evaluation sessions: of one session, and of many at once, against native play.

A casino of a lobby, tables and an evaluator. First a room of two sample players plays Kuhn poker by
itself: its decisions/s are the peer. Then clients play the game `kuhn` at random over REST, first
one session, then `--sessions` at once; every reply must be a frame. Prints one JSON line: actions/s
of one session and of all, the 99th percentile of an action's time, and CPU of the evaluator per
action. Limit: all sessions together make at least 0.05 actions for each native decision.
"""

import argparse
import asyncio
import os
import random
import subprocess
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import uvloop
from rig import cpu_seconds, free_port, print_report, server, wait_for_port

LEAST_OF_NATIVE = 0.05
KEY = "the operator's key of this bench"
MOST_TABLES = 100
"""Of one process."""
STACK = 1_000_000
CLICK = 6


@dataclass
class Casino:
    """Clients of a casino's lobby and evaluator, and what runs them."""

    lobby: httpx.AsyncClient
    evaluator: httpx.AsyncClient
    process: subprocess.Popen[bytes]
    """The evaluator's."""
    player: str
    """Base URL of the sample players' process."""


@dataclass
class Laps:
    """The seconds of each action."""

    seconds: list[float] = field(default_factory=list)

    @property
    def p99_ms(self) -> float:
        """The 99th percentile in milliseconds."""
        return round(sorted(self.seconds)[int(len(self.seconds) * 0.99)] * 1000, 1)


@asynccontextmanager
async def casino_of(tables: int) -> AsyncIterator[Casino]:
    """Run a lobby, an evaluator, two sample players, and so many tables."""
    ports = {name: free_port() for name in ("lobby", "evaluator", "player")}
    urls = {name: f"http://127.0.0.1:{port}" for name, port in ports.items()}
    settings = {
        "lobby": {
            "CASINO_LOBBY_DATABASE": "memory",
            "CASINO_LOBBY_OPERATOR_TOKEN": KEY,
            "CASINO_LOBBY_ROOMS": "1000",
            "CASINO_LOBBY_LAUNCH_TABLES": "false",
            "CASINO_LOBBY_ANNOUNCED_TABLES": "1000",
            "CASINO_LOBBY_ANNOUNCED_TABLES_PER_ORIGIN": str(MOST_TABLES),
        },
        "evaluator": {
            "CASINO_EVALUATOR_LOBBY_URL": urls["lobby"],
            "CASINO_EVALUATOR_OPERATOR_TOKEN": KEY,
            "CASINO_EVALUATOR_REQUESTS_PER_MINUTE": "0",
        },
        "player": {"CASINO_PLAYER_COUNT": "2", "CASINO_PLAYER_LOBBY_URL": urls["lobby"]},
    }
    modules = {
        "lobby": ("casino_lobby",),
        "evaluator": ("casino_evaluator",),
        "player": ("casino_player_example", "generic"),
    }
    with ExitStack() as stack:
        settings["evaluator"]["CASINO_EVALUATOR_DATA"] = stack.enter_context(TemporaryDirectory())
        processes = {}
        for name, port in ports.items():
            processes[name] = stack.enter_context(
                server("-m", *modules[name], "--port", str(port), environment=settings[name])
            )
            await wait_for_port(port)
        for first in range(0, tables, MOST_TABLES):
            environment = {
                "CASINO_TABLE_COUNT": str(min(MOST_TABLES, tables - first)),
                "CASINO_TABLE_PROCESSES": "1",
                "CASINO_TABLE_LOBBY_URL": urls["lobby"],
                "CASINO_TABLE_DRAIN_TIMEOUT": "1s",
            }
            port = free_port()
            stack.enter_context(
                server("-m", "casino_table", "--port", str(port), environment=environment)
            )
            await wait_for_port(port)
        operator = {"authorization": f"Bearer {KEY}"}
        async with (
            httpx.AsyncClient(base_url=urls["lobby"], timeout=60, headers=operator) as lobby,
            httpx.AsyncClient(
                base_url=urls["evaluator"],
                timeout=60,
                limits=httpx.Limits(max_connections=None, max_keepalive_connections=200),
            ) as evaluator,
        ):
            key = (await evaluator.get("/api/games/anonkey")).raise_for_status().json()["api_key"]
            evaluator.headers["x-api-key"] = key
            yield Casino(lobby, evaluator, processes["evaluator"], urls["player"])


async def native(casino: Casino, hands: int) -> float:
    """Return the decisions/s of one room of two sample players."""
    rules = {
        "startingStack": STACK,
        "smallBlind": 1,
        "bigBlind": 2,
        "minBuyIn": STACK,
        "maxBuyIn": STACK,
        "maxSeats": 2,
        "maxHands": hands,
    }
    body = {"roomId": "native", "gameType": "kuhn_poker", "config": rules}
    (await _when_there_is_a_table(casino, body)).raise_for_status()
    for number in (1, 2):
        seat = {"agentCardUrl": f"{casino.player}/players/{number}"}
        (await casino.lobby.post("/v1/rooms/native/players", json=seat)).raise_for_status()
    await _until_idle(casino)  # the first session warms up
    started = time.perf_counter()
    before = await _decisions(casino)
    (await casino.lobby.post("/v1/rooms/native/start", json={})).raise_for_status()
    await _until_idle(casino)
    return (await _decisions(casino) - before) / (time.perf_counter() - started)


async def _when_there_is_a_table(casino: Casino, body: dict[str, Any]) -> httpx.Response:
    """Open a room, once the tables have announced themselves."""
    while True:
        opened = await casino.lobby.post("/v1/rooms", json=body)
        if opened.status_code != httpx.codes.SERVICE_UNAVAILABLE:
            return opened
        await asyncio.sleep(0.2)


async def _until_idle(casino: Casino) -> None:
    while True:
        room = (await casino.lobby.get("/v1/rooms/native")).raise_for_status().json()
        if room["summary"]["status"] == "idle":
            return
        await asyncio.sleep(0.05)


async def _decisions(casino: Casino) -> int:
    """Return how many decisions the room has on record."""
    counted: int = 0
    after = 0
    while True:
        path = "/v1/rooms/native/events"
        page = (await casino.lobby.get(path, params={"after": after, "limit": 1000})).json()
        counted += sum(event["eventType"] == "action_taken" for event in page["events"])
        if page["lastSequence"] <= after or not page["events"]:
            return counted
        after = int(page["lastSequence"])


async def sessions(casino: Casino, count: int, actions: int) -> tuple[float, Laps, float]:
    """Play sessions at once; returns their actions/s, laps, and evaluator's CPU us per action."""
    opened = await casino.evaluator.post("/api/scorecard/open", json={})
    card = opened.raise_for_status().json()["card_id"]
    laps = Laps()
    first = [await _command(casino, "RESET", _start(card)) for _ in range(count)]
    before, started = cpu_seconds(casino.process.pid), time.perf_counter()
    await asyncio.gather(
        *(
            _play(casino, frame, actions, laps, random.Random(number))
            for number, frame in enumerate(first)
        )
    )
    elapsed = time.perf_counter() - started
    cpu_us = (cpu_seconds(casino.process.pid) - before) / (count * actions) * 1e6
    (await casino.evaluator.post("/api/scorecard/close", json={"card_id": card})).raise_for_status()
    return count * actions / elapsed, laps, cpu_us


def _start(card: str) -> dict[str, Any]:
    return {"game_id": "kuhn", "card_id": card}


async def _play(
    casino: Casino, frame: dict[str, Any], actions: int, laps: Laps, dice: random.Random
) -> None:
    """Take so many actions; a session that is over is reset, which counts as one."""
    where = {"game_id": frame["game_id"], "guid": frame["guid"]}
    for _ in range(actions):
        is_running = frame["state"] == "NOT_FINISHED"
        names = [f"ACTION{number}" for number in frame["available_actions"] if number != CLICK]
        started = time.perf_counter()
        frame = await _command(casino, dice.choice(names) if is_running else "RESET", where)
        laps.seconds.append(time.perf_counter() - started)


async def _command(casino: Casino, name: str, body: dict[str, Any]) -> dict[str, Any]:
    answered = await casino.evaluator.post(f"/api/cmd/{name}", json=body)
    reply: dict[str, Any] = answered.json()
    if not answered.is_success or not reply["frame"]:
        raise RuntimeError(f"{name}: {reply}")
    return reply


async def measure(count: int, actions: int, hands: int) -> dict[str, Any]:
    """Measure native play, one session, and many."""
    load = os.getloadavg()[0]
    # A session that goes on to its next level needs a second table for a moment.
    async with casino_of(2 * count + 2) as casino:
        decisions_per_s = await native(casino, hands)
        single, of_single, _ = await sessions(casino, 1, actions)
        many, of_many, cpu_us = await sessions(casino, count, actions)
    share = many / decisions_per_s
    return {
        "bench": "evaluator",
        "load": round(load, 1),
        "native_decisions_per_s": round(decisions_per_s),
        "one_session": {"actions_per_s": round(single, 1), "p99_ms": of_single.p99_ms},
        "sessions": count,
        "all_sessions": {
            "actions_per_s": round(many, 1),
            "p99_ms": of_many.p99_ms,
            "evaluator_us": round(cpu_us),
        },
        "of_native_rate": round(share, 3),
        "floor": {"of_native_rate": LEAST_OF_NATIVE},
        "missed": ["of_native_rate"] if share < LEAST_OF_NATIVE else [],
    }


def main() -> None:
    """Parse the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=100)
    parser.add_argument("--actions", type=int, default=40)
    parser.add_argument("--hands", type=int, default=500)
    arguments = parser.parse_args()
    print_report(uvloop.run(measure(arguments.sessions, arguments.actions, arguments.hands)))


if __name__ == "__main__":
    main()
