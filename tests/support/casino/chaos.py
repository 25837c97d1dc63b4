"""A casino for rough handling: every process has its address, and can be ended and started again.

What befalls it is planned from a seed, round by round, so that a round can be repeated.
"""

import asyncio
import contextlib
import json
import os
import random
import shutil
import signal
from collections import Counter, deque
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import httpx
import psutil
from casino_agentkit import Child, ChildFailed, PortTaken
from casino_agentkit.server.server import bind
from casino_contracts import RoomSnapshot
from casino_table.journal.disk_log import DiskLog
from casino_table.journal.journal import JournalFailed

from support.casino.fault_proxy import FaultProxy
from support.casino.live import ENVIRONMENT, GRACE
from support.table.table_side import CONFIG

Environments = Mapping[str, Mapping[str, str]]
Fault = Literal["kill", "end", "freeze", "lost_tail", "network"]

RULES = {"maxHands": 10_000_000, "maxSeats": 3, "rebuy": "auto"}
STYLES = ("caller", "random", "maniac")
LAUNCHED, NETWORK = "launched table", "network"
TABLES = ("table-1", "table-2")
VICTIMS = ("lobby", *TABLES, LAUNCHED, *STYLES, NETWORK)
DEADLINE_S = 120.0
"""How long a casino on a busy machine may take to play on."""
_FIRST_PORT, _LAST_PORT = 20_000, 32_000
"""Below those that outgoing connections get: an address must be free when its owner comes back."""
_LINES_KEPT = 60
_FAULTS_OF_OURS = {
    "background_task_failed",
    "chips_do_not_add_up",
    "close_failed",
    "drain_failed",
    "event_not_understood",
    "request_failed",
    "session_failed",
}
"""What no trouble from outside may bring about."""

_ports = iter(random.SystemRandom().sample(range(_FIRST_PORT, _LAST_PORT), 4_000))


def free_port() -> int:
    """Return a port that nobody has."""
    for port in _ports:
        with contextlib.suppress(PortTaken):
            bind("127.0.0.1", port).close()
            return port
    raise PortTaken("no port is free")


@dataclass(frozen=True)
class Blow:
    """One thing that befalls the casino in a round; times in seconds.

    `part` is how much of a tail is left.
    """

    victim: str
    fault: Fault
    after_s: float
    lasts_s: float
    part: float = 1.0


def plan(seed: int, number: int) -> tuple[Blow, ...]:
    """Return what befalls the casino in a round; it follows from the seed and the round."""
    dice = random.Random(f"{seed}:{number}")
    return tuple(
        _blow(dice, victim) for victim in dice.sample(VICTIMS, dice.choice((1, 1, 2, 2, 3)))
    )


def _blow(dice: random.Random, victim: str) -> Blow:
    after_s = round(dice.uniform(0, 1), 2)
    if victim == NETWORK:
        return Blow(victim, "network", after_s, round(dice.uniform(0.5, 3), 2))
    faults: list[Fault] = ["kill", "kill", "kill", "end", "freeze"]
    fault = dice.choice([*faults, "lost_tail"] if victim in TABLES else faults)
    longest_s = dice.choice((0.3, 1.0, 6.0)) if fault == "freeze" else dice.choice((0, 0.5, 2))
    return Blow(
        victim,
        fault,
        after_s,
        round(dice.uniform(0, longest_s), 2),
        round(dice.random(), 2) if fault == "lost_tail" else 1.0,
    )


class Log:
    """What the processes of a casino have logged; all of it stands in a file as well."""

    def __init__(self, path: Path) -> None:
        self._file = path
        self.lines: deque[str] = deque(maxlen=_LINES_KEPT)
        self.resumed: list[tuple[str, int, int]] = []
        """Room, hand and decisions of every table that went on in the middle of a hand."""
        self.counts: Counter[str] = Counter()
        self.faults: list[str] = []

    def take(self, line: str) -> None:
        """Read a line."""
        self.lines.append(line)
        with self._file.open("a") as file:
            file.write(line + "\n")
        try:
            told: dict[str, Any] = json.loads(line)
        except ValueError:
            self.faults.append(line)
            return
        event = str(told.get("event"))
        self.counts[event] += 1
        if event == "table_resumed" and told["decisions"]:
            self.resumed.append((told["table"], told["hand"], told["decisions"]))
        if event in _FAULTS_OF_OURS:
            self.faults.append(line)


class Member:
    """A process of the casino that keeps its address, whatever becomes of it."""

    def __init__(
        self, name: str, module: str, arguments: Sequence[str], more: Mapping[str, str], log: Log
    ) -> None:
        self.name = name
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._module = module
        self._arguments = [*arguments, "--port", str(self.port)]
        self.environment = {**ENVIRONMENT, **more}
        self._log = log
        self._child: Child | None = None

    @property
    def pid(self) -> int:
        """Its process, the last one when there is none."""
        assert self._child is not None
        return self._child.pid

    async def start(self) -> None:
        """Run; the address may still be letting go."""
        async with asyncio.timeout(DEADLINE_S):
            while True:
                try:
                    self._child = await Child.start(
                        self.name,
                        self._module,
                        self._arguments,
                        environment=self.environment,
                        timeout=3 * GRACE,
                        on_log=self._log.take,
                    )
                except ChildFailed as failed:
                    if failed.reason != PortTaken.reason:
                        raise
                else:
                    return

    async def end(self, how: signal.Signals) -> None:
        """End it, and wait until it has."""
        assert self._child is not None
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, how)
        async with asyncio.timeout(DEADLINE_S):
            await self._child.wait()

    async def stop(self) -> None:
        """End it in order, whatever state it is in."""
        if self._child is not None and self._child.exit_code is None:
            os.kill(self.pid, signal.SIGCONT)
            await self._child.stop(3 * GRACE)


class ChaosCasino:
    """A lobby, two processes of one table each, a table that the lobby launches, three players.

    Tables and lobby reach each other through proxies only.
    """

    def __init__(self, data: Path, seed: int) -> None:
        self.data = data
        self.lobby_data = data / "lobby"
        data.mkdir(parents=True, exist_ok=True)
        self.log = Log(data / "log")
        self.counts: Counter[str] = Counter()
        thinking = {"CASINO_PLAYER_THINK": "3ms"}
        players = [
            Member(style, "casino_player_example", [style], thinking, self.log) for style in STYLES
        ]
        lobby = Member("lobby", "casino_lobby", [], {}, self.log)
        self.proxies = {"lobby": self._proxy(lobby, seed)}
        self.launched_port = free_port()
        tables = [self._table(name) for name in TABLES]
        for table in tables:
            self.proxies[table.name] = self._proxy(table, seed)
            table.environment["CASINO_TABLE_PUBLIC_URL"] = self.proxies[table.name].url
        lobby.environment |= {
            "CASINO_LOBBY_DATA": str(self.lobby_data),
            "CASINO_LOBBY_PUBLIC_URL": self.proxies["lobby"].url,
        }
        self.members = {member.name: member for member in (lobby, *tables, *players)}
        self.http = httpx.AsyncClient(base_url=lobby.url, timeout=30)

    def _proxy(self, member: Member, seed: int) -> FaultProxy:
        return FaultProxy(member.port, random.Random(f"{seed}:{member.name}"))

    def _table(self, name: str) -> Member:
        more = {
            "CASINO_TABLE_DATA": str(self.data / name),
            "CASINO_TABLE_LOBBY_URL": self.proxies["lobby"].url,
            "CASINO_TABLE_ANNOUNCE_EVERY": "1s",
        }
        return Member(name, "casino_table", [], more, self.log)

    def journals(self) -> dict[str, Path]:
        """Return the journal of every room."""
        places = {name: self.data / name for name in TABLES}
        places[LAUNCHED] = self.lobby_data / "tables" / room_of(LAUNCHED)
        return {room_of(name): place / "table-1.journal" for name, place in places.items()}

    # Play.

    async def open(self, table: str, **rules: Any) -> None:
        """Open a room on a table, and let all players play there."""
        body: dict[str, Any] = {
            "roomId": room_of(table),
            "config": {**CONFIG, **RULES, "seed": f"chaos of {table}", **rules},
        }
        if table == LAUNCHED:
            body["launchOptions"] = {"port": self.launched_port}
        else:
            body["tableAgentCardUrl"] = self.proxies[table].url  # its base is as good as its card
        await self._post("/v1/rooms", body)
        for style in STYLES:
            player = {"agentCardUrl": self.members[style].url}
            await self._post(f"/v1/rooms/{room_of(table)}/players", player)

    async def _post(self, path: str, body: dict[str, Any]) -> None:
        reply = await self.http.post(path, json=body)
        assert reply.status_code == 201, reply.text

    async def room(self, room_id: str) -> RoomSnapshot:
        """Read a room, as soon as the lobby answers."""
        while True:
            try:
                reply = await self.http.get(f"/v1/rooms/{room_id}")
            except httpx.TransportError:
                await asyncio.sleep(0.05)
            else:
                return RoomSnapshot.model_validate_json(reply.raise_for_status().content)

    async def hands(self, more: int, *tables: str) -> None:
        """Wait until so many more hands are completed in every room."""
        for table in tables or (*TABLES, LAUNCHED):
            wanted = await self.count(table) + more
            async with asyncio.timeout(DEADLINE_S):
                while await self.count(table) < wanted:
                    await asyncio.sleep(0.05)

    async def count(self, table: str) -> int:
        """Return how many hands a table's room has completed."""
        room = await self.room(room_of(table))
        assert room.summary is not None
        return room.summary.hand_count

    # Blows.

    async def suffer(self, blows: Sequence[Blow]) -> None:
        """Let a round's blows fall, all of them beside each other, until everybody is back."""
        async with asyncio.TaskGroup() as group:
            for blow in blows:
                group.create_task(self._suffer(blow))

    async def _suffer(self, blow: Blow) -> None:
        await asyncio.sleep(blow.after_s)  # the blow's time, nothing is waited for
        self.counts[f"{blow.fault} {blow.victim}"] += 1
        if blow.fault == "network":
            for proxy in self.proxies.values():
                proxy.share = 0.5
            await asyncio.sleep(blow.lasts_s)
            for proxy in self.proxies.values():
                proxy.share = 0
        elif blow.victim == LAUNCHED:
            await self._hit_launched(blow)
        elif blow.fault == "freeze":
            pid = self.members[blow.victim].pid
            os.kill(pid, signal.SIGSTOP)
            await asyncio.sleep(blow.lasts_s)
            os.kill(pid, signal.SIGCONT)
        else:
            member = self.members[blow.victim]
            await member.end(signal.SIGTERM if blow.fault == "end" else signal.SIGKILL)
            if blow.fault == "lost_tail" and not lose_tail(self.data / member.name, blow.part):
                self.counts["tails that held"] += 1
            await asyncio.sleep(blow.lasts_s)
            await member.start()

    async def _hit_launched(self, blow: Blow) -> None:
        """Hit the process that the lobby launched, if it runs; the lobby brings it back."""
        try:
            (table,) = psutil.Process(self.members["lobby"].pid).children()
            if blow.fault == "freeze":
                table.suspend()
                await asyncio.sleep(blow.lasts_s)
                table.resume()
            else:
                table.send_signal(signal.SIGTERM if blow.fault == "end" else signal.SIGKILL)
        except (psutil.NoSuchProcess, ValueError):
            self.counts[f"{blow.fault} {blow.victim}"] -= 1
            self.counts["blows into the air"] += 1

    async def close(self) -> None:
        """Stop all play, the tables first: what they have told is delivered, nobody is killed."""
        for name in (*TABLES, "lobby"):
            await self.members[name].stop()


def room_of(table: str) -> str:
    """Return the room that is played at a table.

    >>> room_of("launched table")
    'room-launched-table'
    """
    return "room-" + table.replace(" ", "-")


def lose_tail(directory: Path, part: float) -> bool:
    """Leave a part of a journal's write-ahead log, as a power loss may; tells whether it was done.

    A log whose pages are in the file already cannot be lost: then nothing is cut.
    """
    journal = directory / "table-1.journal"
    tail = journal.with_name(journal.name + "-wal")
    if not tail.exists():
        return False
    trial, left = directory / "trial", int(tail.stat().st_size * part)
    trial.mkdir()
    try:
        for file in (journal, tail):
            shutil.copy(file, trial)
        os.truncate(trial / tail.name, left)
        DiskLog(trial / journal.name).close()
    except JournalFailed:
        return False
    else:
        os.truncate(tail, left)
        return True
    finally:
        shutil.rmtree(trial)


@asynccontextmanager
async def chaos_casino(
    data: Path, seed: int = 0, *, without: Collection[str] = (), more: Environments | None = None
) -> AsyncIterator[ChaosCasino]:
    """Run the processes, with nothing to play yet, and end them.

    `more` is what a member's environment has beside what it needs, by its name.
    """
    casino = ChaosCasino(data, seed)
    for name, environment in (more or {}).items():
        casino.members[name].environment |= environment
    async with AsyncExitStack() as stack:
        stack.push_async_callback(casino.http.aclose)
        for proxy in casino.proxies.values():
            await proxy.start()
            stack.push_async_callback(proxy.stop)
        for name in (*STYLES, "lobby", *TABLES):  # ended from the last to the first
            stack.push_async_callback(casino.members[name].stop)
        async with asyncio.TaskGroup() as group:
            for member in casino.members.values():
                if member.name not in without:
                    group.create_task(member.start())
        yield casino
