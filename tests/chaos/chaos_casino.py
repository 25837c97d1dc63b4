"""A casino of processes, and faults that a seed plans for it: a round repeats by its number."""

import asyncio
import contextlib
import os
import random
import shutil
import signal
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import httpx
import psutil
from casino_lobby.table_launcher import journal_directory
from casino_table.errors import JournalFailed
from support.casino.casino import Casino
from support.casino.members import Log, Member
from support.fault_proxy import FaultProxy
from support.processes import PATIENCE_S, reserved_port
from support.table.disk_log import disk_log
from support.table.table_side import CONFIG

Fault = Literal["kill", "end", "freeze", "lost_tail", "network"]
STYLES = ("caller", "random", "maniac")
LAUNCHED, NETWORK = "launched table", "network"
TABLES = ("table-1", "table-2")
VICTIMS = ("lobby", *TABLES, LAUNCHED, *STYLES, NETWORK)


@dataclass(frozen=True)
class PlannedFault:
    """One fault of a round; times in seconds.

    `part` is how much of a tail is left.
    """

    victim: str
    fault: Fault
    after_s: float
    lasts_s: float
    part: float = 1.0


def plan(seed: int, number: int) -> tuple[PlannedFault, ...]:
    """Return the faults of a round, which follow from the seed and the round."""
    dice = random.Random(f"{seed}:{number}")
    return tuple(
        _planned(dice, victim) for victim in dice.sample(VICTIMS, dice.choice((1, 1, 2, 2, 3)))
    )


def _planned(dice: random.Random, victim: str) -> PlannedFault:
    after_s = round(dice.uniform(0, 1), 2)
    if victim == NETWORK:
        return PlannedFault(victim, "network", after_s, round(dice.uniform(0.5, 3), 2))
    faults: list[Fault] = ["kill", "kill", "kill", "end", "freeze"]
    fault = dice.choice([*faults, "lost_tail"] if victim in TABLES else faults)
    longest_s = dice.choice((0.3, 1.0, 6.0)) if fault == "freeze" else dice.choice((0, 0.5, 2))
    return PlannedFault(
        victim,
        fault,
        after_s,
        round(dice.uniform(0, longest_s), 2),
        round(dice.random(), 2) if fault == "lost_tail" else 1.0,
    )


RULES = {"maxHands": 10_000_000, "maxSeats": 3, "rebuy": "auto"}


class ChaosCasino(Casino):
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
        self.launched_port = reserved_port()
        tables = [self._table(name) for name in TABLES]
        for table in tables:
            self.proxies[table.name] = self._proxy(table, seed)
            table.environment["CASINO_TABLE_PUBLIC_URL"] = self.proxies[table.name].url
        lobby.environment |= {
            "CASINO_LOBBY_DATA": str(self.lobby_data),
            "CASINO_LOBBY_PUBLIC_URL": self.proxies["lobby"].url,
        }
        self.members = {member.name: member for member in (lobby, *tables, *players)}
        super().__init__(httpx.AsyncClient(base_url=lobby.url, timeout=PATIENCE_S))

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
        places = {name: self.data / name for name in TABLES}
        places[LAUNCHED] = journal_directory(self.lobby_data / "tables", room_of(LAUNCHED))
        return {room_of(name): place / "tables-1-of-1.journal" for name, place in places.items()}

    # Play.

    async def begin(self) -> None:
        """Open a room on every table, and let all players play there."""
        for table in (*TABLES, LAUNCHED):
            rules = {**CONFIG, **RULES, "seed": f"chaos of {table}"}
            body: dict[str, Any] = {"roomId": room_of(table), "config": rules}
            if table == LAUNCHED:
                body["launchOptions"] = {"port": self.launched_port}
            else:
                body["tableAgentCardUrl"] = self.proxies[table].url  # as good as its card
            await self.open_room(body)
            for style in STYLES:
                seated = await self.seat(self.members[style].url, room_of(table))
                assert seated.status_code == 201, seated.text

    async def played(self, hands: int) -> None:
        """Wait until a number of further hands is completed in every room."""
        for table in (*TABLES, LAUNCHED):
            await self.hands(hands, room_of(table))

    # Blows.

    async def apply(self, round_faults: Sequence[PlannedFault]) -> None:
        """Apply the faults of a round concurrently, and wait until all processes are back."""
        async with asyncio.TaskGroup() as group:
            for planned in round_faults:
                group.create_task(self._apply(planned))

    async def _apply(self, planned: PlannedFault) -> None:
        await asyncio.sleep(planned.after_s)  # plays: the blow's time
        self.counts[f"{planned.fault} {planned.victim}"] += 1
        self.log.note("blow", **asdict(planned))
        if planned.fault == "network":
            for proxy in self.proxies.values():
                proxy.share = 0.5
            await asyncio.sleep(planned.lasts_s)  # plays: the fault lasts
            for proxy in self.proxies.values():
                proxy.share = 0
        elif planned.victim == LAUNCHED:
            await self._hit_launched(planned)
        elif planned.fault == "freeze":
            pid = self.members[planned.victim].pid
            os.kill(pid, signal.SIGSTOP)
            await asyncio.sleep(planned.lasts_s)  # plays: the fault lasts
            os.kill(pid, signal.SIGCONT)
        else:
            member = self.members[planned.victim]
            await member.end(signal.SIGTERM if planned.fault == "end" else signal.SIGKILL)
            if planned.fault == "lost_tail":
                self._lose_tail(member.name, planned.part)
            await asyncio.sleep(planned.lasts_s)  # plays: the fault lasts
            await member.start()

    def _lose_tail(self, table: str, part: float) -> None:
        if lose_tail(self.data / table, part):
            self.counts[f"cut {table}"] += 1
            self.log.cut.add(room_of(table))
        else:
            self.counts["tails that held"] += 1

    async def _hit_launched(self, planned: PlannedFault) -> None:
        """Apply a fault to the launched process, if it runs; the lobby starts it again."""
        try:
            (table,) = psutil.Process(self.members["lobby"].pid).children()
            if planned.fault == "freeze":
                table.suspend()
                await asyncio.sleep(planned.lasts_s)  # plays: the fault lasts
                table.resume()
            else:
                table.send_signal(signal.SIGTERM if planned.fault == "end" else signal.SIGKILL)
        except (psutil.NoSuchProcess, ValueError):
            self.counts[f"{planned.fault} {planned.victim}"] -= 1
            self.counts["blows into the air"] += 1

    async def end(self) -> None:
        """Stop all processes, the tables first, so that their events are delivered."""
        for name in TABLES:
            await self.leave(name)
        await self.members["lobby"].stop()

    async def kill(self) -> None:
        """Kill all processes: their files stay as they are."""
        lobby = self.members["lobby"]
        launched = psutil.Process(lobby.pid).children() if lobby.runs() else []
        for member in self.members.values():
            await member.kill()
        for process in launched:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()

    async def leave(self, name: str) -> None:
        """End a table, which first delivers all its events."""
        if self.members[name].runs():
            await self.members[name].end(signal.SIGTERM)


def room_of(table: str) -> str:
    """Return the room that is played at a table.

    >>> room_of("launched table")
    'room-launched-table'
    """
    return "room-" + table.replace(" ", "-")


def lose_tail(directory: Path, part: float) -> bool:
    """Cut a journal's write-ahead log, as a power loss may; returns whether it was cut.

    `part` is what is left of it. A log whose pages are already in the file cannot be lost: then
    nothing is cut.
    """
    journal = directory / "tables-1-of-1.journal"
    tail = journal.with_name(journal.name + "-wal")
    if not tail.exists():
        return False
    trial, end = directory / "trial", end_of(tail.read_bytes())
    left = int(end * part)
    trial.mkdir()
    try:
        for file in (journal, tail):
            shutil.copy(file, trial)
        os.truncate(trial / tail.name, left)
        disk_log(trial / journal.name).close()
    except JournalFailed:
        return False
    else:
        os.truncate(tail, left)
        return left < end
    finally:
        shutil.rmtree(trial)


def end_of(log: bytes) -> int:
    """Return where a write-ahead log ends: behind it are frames of before the last checkpoint."""
    frame, salt, end = 24 + int.from_bytes(log[8:12]), log[16:24], 32
    while end + frame <= len(log) and log[end + 8 : end + 16] == salt:
        end += frame
    return min(end, len(log))


@asynccontextmanager
async def chaos_casino(data: Path, seed: int) -> AsyncIterator[ChaosCasino]:
    """Run the processes, with nothing to play yet, and end them."""
    casino = ChaosCasino(data, seed)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(casino.http.aclose)
        for proxy in casino.proxies.values():
            await proxy.start()
            stack.push_async_callback(proxy.stop)
        for name in (*STYLES, "lobby", *TABLES):  # ended from the last to the first
            stack.push_async_callback(casino.members[name].stop)
        async with asyncio.TaskGroup() as group:
            for member in casino.members.values():
                group.create_task(member.start())
        yield casino
