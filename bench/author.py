"""What an author gets: the README's bot and its twin in docs/bots.md, heads-up at a real table.

Prints one JSON line: hands per second, and the time of a decision of each bot, as the table's
events have it (`latencyMs`, whole milliseconds) and as measured by calls from here (`call_ms`).
Both bots play in the same hands, so they share whatever else the machine does.
Limits: at least 90 hands per second; the median decision of the bot in Python at most 1 ms.
"""

import argparse
import asyncio
import os
import re
import shutil
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from statistics import fmean, median, quantiles
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import uvloop
from casino_agentkit import AgentClient
from casino_contracts import ActionResponse
from rig import BENCH, free_port, print_report, question, server, wait_for_port

LEAST_HANDS_PER_S, MOST_MS = 90.0, 1.0
ROOM = "author"
PYTHON, JAVASCRIPT = "python", "javascript"
FILES = {PYTHON: "mybot.py", JAVASCRIPT: "mybot.mjs"}
SECONDS = timedelta(seconds=20)
_BLOCKS = {
    PYTHON: r"```python\n(\"\"\"mybot\.py.*?)```",
    JAVASCRIPT: r"```js\n(// mybot\.mjs.*?)```",
}
AT_ONCE = {"CASINO_TABLE_DRAIN_TIMEOUT": "200ms"}
"""The table ends without playing on."""
_WARM_UP_S = 3.0
_PAGE = 5_000
_TURNS = 20
_PERCENTILES = 100


@dataclass
class Played:
    """A session: its speed, and its events."""

    hands_per_s: float
    players: dict[str, str]
    """The player id of each bot."""
    events: list[dict[str, Any]]


def extract(pages: str, directory: Path) -> dict[str, Path]:
    """Write the bots of the pages to files; raises ValueError if one is not there."""
    files = {}
    for language, pattern in _BLOCKS.items():
        source = re.search(pattern, pages, re.DOTALL)
        if source is None:
            raise ValueError(f"the pages have no bot in {language}")
        files[language] = directory / FILES[language]
        files[language].write_text(source[1])
    return files


def latencies(events: Iterable[Mapping[str, Any]], player_id: str) -> list[int]:
    """Return the milliseconds of a player's decisions; raises ValueError for a failed one.

    >>> taken = {"playerId": "a", "outcome": "ok", "latencyMs": 1}
    >>> latencies([{"eventType": "action_taken", "payload": taken}], "a")
    [1]
    """
    decisions = [
        event["payload"]
        for event in events
        if event["eventType"] == "action_taken" and event["payload"]["playerId"] == player_id
    ]
    failed = [decision for decision in decisions if decision["outcome"] != "ok"]
    if failed or not decisions:
        raise ValueError(f"{player_id} made {len(decisions)} decisions, of them failed: {failed}")
    return [decision["latencyMs"] for decision in decisions]


def times(values: list[int], calls: list[float]) -> dict[str, float]:
    """Return what is reported of one bot: times of decisions in ms, and of calls in seconds.

    >>> times([0, 0, 1, 3], [0.0004, 0.0006, 0.0005])
    {'decisions': 4, 'median_ms': 0.5, 'mean_ms': 1.0, 'p99_ms': 3, 'call_ms': 0.5}
    """
    return {
        "decisions": len(values),
        "median_ms": median(values),
        "mean_ms": round(fmean(values), 2),
        "p99_ms": round(min(quantiles(values, n=_PERCENTILES)[-1], max(values)), 1),
        "call_ms": round(median(calls) * 1000, 2),
    }


def report(hands_per_s: float, bots: Mapping[str, dict[str, float]]) -> dict[str, Any]:
    """Return the report, with the limits that were missed."""
    python_ms = bots[PYTHON]["median_ms"]
    return {
        "bench": "author",
        "load": round(os.getloadavg()[0], 1),
        "hands_per_s": round(hands_per_s, 1),
        "bots": dict(bots),
        "python_of_javascript_call": round(
            bots[PYTHON]["call_ms"] / bots[JAVASCRIPT]["call_ms"], 2
        ),
        "floor": {"hands_per_s": LEAST_HANDS_PER_S, "python.median_ms": MOST_MS},
        "missed": [
            *(["hands_per_s"] if hands_per_s < LEAST_HANDS_PER_S else []),
            *(["python.median_ms"] if python_ms > MOST_MS else []),
        ],
    }


async def measure(node: str, seconds: float, calls: int) -> dict[str, Any]:
    """Start the processes, call both bots, and let them play."""
    with TemporaryDirectory() as directory, ExitStack() as stack:
        pages = [(BENCH.parent / page).read_text() for page in ("README.md", "docs/bots.md")]
        files = extract("".join(pages), Path(directory))
        ports = {name: free_port() for name in (*FILES, "lobby", "table")}
        for language, interpreter in ((PYTHON, sys.executable), (JAVASCRIPT, node)):
            stack.enter_context(
                server(
                    str(files[language]),
                    environment={"PORT": str(ports[language])},
                    interpreter=interpreter,
                )
            )
        memory = {"CASINO_LOBBY_DATABASE": "memory", "CASINO_LOBBY_LAUNCH_TABLES": "false"}
        for name, settings in (("lobby", memory), ("table", AT_ONCE)):
            command = ("-m", f"casino_{name}", "--port", str(ports[name]))
            stack.enter_context(server(*command, environment=settings))
        for port in ports.values():
            await wait_for_port(port)
        called = await _calls({language: ports[language] for language in FILES}, calls)
        played = await _play(ports, seconds)
    return report(
        played.hands_per_s,
        {
            language: times(latencies(played.events, player_id), called[language])
            for language, player_id in played.players.items()
        },
    )


async def _calls(ports: Mapping[str, int], calls: int) -> dict[str, list[float]]:
    """Ask each bot so many questions, one at a time and in turns; returns the seconds of each."""
    client, template = AgentClient(), question()
    peers = {
        language: await client.resolve(f"http://127.0.0.1:{port}", timeout=SECONDS)
        for language, port in ports.items()
    }
    taken: dict[str, list[float]] = {language: [] for language in ports}
    for turn in range(_TURNS + 1):
        for language, peer in peers.items():
            for number in range(calls // _TURNS):
                request = template.model_copy(update={"request_id": f"q{turn}:{number}"})
                started = time.perf_counter()
                await peer.call("act", request, ActionResponse, timeout=SECONDS)
                if turn:  # the first turn warms up
                    taken[language].append(time.perf_counter() - started)
    await client.close()
    return taken


async def _play(ports: Mapping[str, int], seconds: float) -> Played:
    """Play heads-up for so many seconds."""
    config = {
        "startingStack": 200,
        "smallBlind": 1,
        "bigBlind": 2,
        "minBuyIn": 40,
        "maxBuyIn": 400,
        "maxHands": 1_000_000,
        "maxSeats": len(FILES),
        "rebuy": "auto",
    }
    table = f"http://127.0.0.1:{ports['table']}"
    base = f"http://127.0.0.1:{ports['lobby']}"
    async with httpx.AsyncClient(base_url=base, timeout=60) as http:
        body = {"roomId": ROOM, "config": config, "tableAgentCardUrl": table}
        (await http.post("/v1/rooms", json=body)).raise_for_status()
        players = {}
        for language in FILES:
            player = {"agentCardUrl": f"http://127.0.0.1:{ports[language]}"}
            reply = await http.post(f"/v1/rooms/{ROOM}/players", json=player)
            players[language] = reply.raise_for_status().json()["playerId"]
        await asyncio.sleep(_WARM_UP_S)
        before, sequence, started = *await _position(http), time.perf_counter()
        await asyncio.sleep(seconds)
        after, _, ended = *await _position(http), time.perf_counter()
        events: list[dict[str, Any]] = []
        while True:
            page = f"/v1/rooms/{ROOM}/events?after={sequence}&limit={_PAGE}"
            content = (await http.get(page)).raise_for_status().json()["events"]
            events += content
            if len(content) < _PAGE:
                break
            sequence = content[-1]["sequence"]
        return Played((after - before) / (ended - started), players, events)


async def _position(http: httpx.AsyncClient) -> tuple[int, int]:
    """Return the completed hands, and the sequence of the last event; raises RuntimeError."""
    room = (await http.get(f"/v1/rooms/{ROOM}")).raise_for_status().json()
    summary = room["summary"]
    if summary["status"] != "running":
        raise RuntimeError(f"the room is not running: {summary}")
    return summary["handCount"], room["events"][-1]["sequence"]


def main() -> None:
    """Parse the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--calls", type=int, default=2000)
    arguments = parser.parse_args()
    node = shutil.which("node")
    if node is None:
        sys.exit("bench/author.py needs Node 20 or newer for the bot in JavaScript")
    print_report(uvloop.run(measure(node, arguments.seconds, arguments.calls)))


if __name__ == "__main__":
    main()
