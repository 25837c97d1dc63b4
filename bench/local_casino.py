"""A casino of real processes on this machine: lobby, tables, players; their CPU, memory and files.

Used by the benches of scale. Every player is a sample player that calls, so a hand of `seats`
players has one decision of each on each of four streets.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import Popen
from typing import Any

import httpx
from rig import cpu_seconds, free_port, server, wait_for_port

STACK = 1_000_000
STREETS = 4
_DATA = {"lobby": "CASINO_LOBBY_DATA", "tables": "CASINO_TABLE_DATA"}
"""The setting of each role's directory."""
WHOLE_FROM = 1_000
"""Figures from here are rounded to whole numbers."""
DECISIONS = "casino_decisions_total"
"""The counter of a table process."""
ANY_NUMBER = {
    "CASINO_LOBBY_LAUNCH_TABLES": "false",
    "CASINO_LOBBY_COMMANDS_PER_MINUTE": "0",
    "CASINO_LOBBY_ROOMS": "5000",
    "CASINO_LOBBY_ANNOUNCED_TABLES": "5000",
    "CASINO_LOBBY_ANNOUNCED_TABLES_PER_ORIGIN": "5000",
    "CASINO_TABLE_DRAIN_TIMEOUT": "200ms",
}
"""A lobby takes as many rooms and tables as a bench opens, and tables end at once."""


@dataclass(frozen=True)
class Plan:
    """How many processes to start, and their settings as environment variables."""

    table_processes: int = 1
    tables: int = 1
    """Tables of each table process."""
    player_processes: int = 1
    players: int = 2
    """Players of each player process."""
    settings: Mapping[str, str] = field(default_factory=dict)
    is_announced: bool = False
    """Whether the tables announce themselves to the lobby."""
    interpreter: str = sys.executable
    data: Path | None = None
    """Where lobby and tables keep what they have, each process in a directory of its own."""


@dataclass
class LocalCasino:
    """The processes by role, the addresses of tables and players, and a client of the lobby."""

    processes: dict[str, list[Popen[bytes]]]
    table_cards: list[str]
    player_cards: list[str]
    table_urls: list[str]
    http: httpx.AsyncClient

    def cpu(self) -> dict[str, float]:
        """Return the CPU seconds of all processes of each role."""
        return {
            role: sum(cpu_seconds(process.pid) for process in processes)
            for role, processes in self.processes.items()
        }

    def memory(self) -> dict[str, float]:
        """Return the memory in MB of all processes of each role; see `own_mb`."""
        return {
            role: sum(own_mb(process.pid) for process in processes)
            for role, processes in self.processes.items()
        }

    async def open(self, room: str, seats: int, *, is_placed: bool = True, **config: Any) -> None:
        """Open a room and fill it, which starts its session.

        `is_placed`: it gets the next of `table_cards`; otherwise the lobby chooses.
        """
        rules = {
            "startingStack": STACK,
            "smallBlind": 1,
            "bigBlind": 2,
            "minBuyIn": STACK,
            "maxBuyIn": STACK,
            "maxHands": 10_000_000,
            "maxSeats": seats,
            "rebuy": "auto",
            **config,
        }
        body: dict[str, Any] = {"roomId": room, "config": rules}
        if is_placed:
            body["tableAgentCardUrl"] = self.table_cards.pop(0)
        (await self.http.post("/v1/rooms", json=body)).raise_for_status()
        for _ in range(seats):
            player = {"agentCardUrl": self.player_cards.pop(0)}
            (await self.http.post(f"/v1/rooms/{room}/players", json=player)).raise_for_status()

    async def rooms(self) -> list[dict[str, Any]]:
        """Return the summaries of all rooms."""
        page = await self.http.get("/v1/rooms", params={"limit": 5_000})
        rooms: list[dict[str, Any]] = page.raise_for_status().json()["rooms"]
        return rooms

    async def until_running(self) -> None:
        """Wait until all rooms play."""

        async def play() -> bool:
            return all(room["status"] == "running" for room in await self.rooms())

        await until(play)

    async def until_announced(self, tables: int) -> None:
        """Wait until the lobby has taken an announcement of each table."""

        async def are_announced() -> bool:
            return await self.announcements() >= tables

        await until(are_announced)

    async def announcements(self) -> float:
        """Return the announcements that the lobby has taken."""
        return await counter(self.http, "", "agent_calls_total", 'skill="registerTable"')

    async def hands(self) -> int:
        """Return the completed hands of all rooms; raises RuntimeError if one does not play."""
        rooms = await self.rooms()
        if any(room["status"] != "running" for room in rooms):
            raise RuntimeError(f"a room is not running: {rooms}")
        return sum(room["handCount"] for room in rooms)

    async def until_hands(self, hands: int) -> None:
        """Wait until the rooms have played so many hands."""

        async def are_played() -> bool:
            return await self.hands() >= hands

        await until(are_played, every_s=1.0)

    async def decisions(self) -> float:
        """Return the decisions that the tables have counted."""
        counts = [
            await counter(self.http, url, "casino_decisions_total") for url in self.table_urls
        ]
        return sum(counts)

    async def check_chips(self, room: str, seats: int) -> None:
        """Raise RuntimeError if the last completed hand of a room does not hold all chips."""
        events = (await self.http.get(f"/v1/rooms/{room}")).json()["events"]
        last = [event for event in events if event["eventType"] == "hand_completed"][-1]
        chips = sum(stack["stack"] for stack in last["payload"]["stacks"])
        if chips != STACK * seats:
            raise RuntimeError(f"{room} holds {chips} chips instead of {STACK * seats}")


@asynccontextmanager
async def local_casino(plan: Plan) -> AsyncIterator[LocalCasino]:
    """Run the processes of a plan; they are terminated at the end."""
    lobby_port = free_port()
    lobby = f"http://127.0.0.1:{lobby_port}"
    environment = {**ANY_NUMBER, **plan.settings}
    processes: dict[str, list[Popen[bytes]]] = {"lobby": [], "players": [], "tables": []}
    urls: dict[str, list[str]] = {"players": [], "tables": []}

    async def start(role: str, port: int, *command: str, **settings: str) -> None:
        if plan.data is not None and role in _DATA:
            settings[_DATA[role]] = str(plan.data / f"{role}-{len(processes[role])}")
        process = stack.enter_context(
            server(
                *("-m", *command, "--port", str(port)),
                environment={**environment, **settings},
                interpreter=plan.interpreter,
            )
        )
        processes[role].append(process)
        await wait_for_port(port)

    # Terminated in reverse order: tables first, while their players still answer.
    with ExitStack() as stack:
        await start("lobby", lobby_port, "casino_lobby")
        for _ in range(plan.player_processes):
            urls["players"].append(f"http://127.0.0.1:{(port := free_port())}")
            count = {"CASINO_PLAYER_COUNT": str(plan.players)}
            await start("players", port, "casino_player_example", "caller", **count)
        for _ in range(plan.table_processes):
            urls["tables"].append(f"http://127.0.0.1:{(port := free_port())}")
            settings = {"CASINO_TABLE_COUNT": str(plan.tables), "CASINO_TABLE_PROCESSES": "1"}
            if plan.is_announced:
                settings["CASINO_TABLE_LOBBY_URL"] = lobby
            await start("tables", port, "casino_table", **settings)
        async with httpx.AsyncClient(base_url=lobby, timeout=120) as http:
            yield LocalCasino(
                processes,
                addresses(urls["tables"], "tables", plan.tables),
                addresses(urls["players"], "players", plan.players),
                urls["tables"],
                http,
            )


async def until(condition: Callable[[], Awaitable[bool]], every_s: float = 0.1) -> None:
    """Wait for a condition without a limit: benches also run on slow machines."""
    while True:
        if await condition():
            return
        await asyncio.sleep(every_s)


def addresses(urls: list[str], path: str, count: int) -> list[str]:
    """Return the base URLs of `count` agents of each process, the processes in turns.

    >>> addresses(["http://a", "http://b"], "tables", 2)[:3]
    ['http://a/tables/1', 'http://b/tables/1', 'http://a/tables/2']
    >>> addresses(["http://a"], "tables", 1)
    ['http://a']
    """
    if count == 1:
        return list(urls)
    return [f"{url}/{path}/{number}" for number in range(1, count + 1) for url in urls]


async def counter(http: httpx.AsyncClient, url: str, name: str, label: str = "") -> float:
    """Return the sum of a counter of a process over the series that have a label."""
    return counted((await http.get(f"{url}/metrics")).raise_for_status().text, name, label)


def counted(page: str, name: str, label: str = "") -> float:
    r"""Return the sum of a counter on a page of metrics.

    >>> counted('calls_total{skill="act"} 3.0\ncalls_total{skill="go"} 4.0\n', "calls_total")
    7.0
    >>> counted('calls_total{skill="act"} 3.0\ncalls_total 4.0\n', "calls_total", 'skill="act"')
    3.0
    """
    samples = (line.rpartition(" ") for line in page.splitlines() if not line.startswith("#"))
    return sum(
        float(value)
        for series, _, value in samples
        if series.partition("{")[0] == name and label in series
    )


def own_mb(pid: int | str) -> float:
    """Return the anonymous memory of a process in MB: without programs and libraries."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Anonymous:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError(f"the kernel reports no anonymous memory of process {pid}")


def bytes_in(directory: Path) -> int:
    """Return the size of all files below a directory, as they are stored."""
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())


def rounded(content: Any) -> Any:
    """Return a report with three significant digits, and whole numbers above that.

    >>> rounded({"a": [0.123456, 12345.6], "b": 7})
    {'a': [0.123, 12346.0], 'b': 7}
    """
    if isinstance(content, dict):
        return {name: rounded(value) for name, value in content.items()}
    if isinstance(content, list):
        return [rounded(value) for value in content]
    if isinstance(content, float):
        return float(f"{content:.3g}") if abs(content) < WHOLE_FROM else float(round(content))
    return content


def progress(reached: object) -> None:
    """Print what was measured to the standard error: the whole takes long."""
    print(reached, file=sys.stderr, flush=True)
