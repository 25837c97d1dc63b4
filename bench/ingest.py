"""Events per second that the lobby's store commits, against the bare database driver.

Eight rooms publish the events of a real session in batches of 1, 10 and 100; each room sends a
batch after the previous one is committed. The lobby reads a batch from its JSON, converts it to
rows, compresses the events, commits, and updates its rooms. The driver (sqlite3, asyncpg) writes
finished rows with executemany, eight batches per commit, with the same schema and durability:
SQLite in WAL with synchronous normal, PostgreSQL with fsync. They are the lobby's rows, with events
that were compressed before (for comparison, also rows with plain JSON).
Both run in turns in this process, so other load affects both equally, with the garbage collector as
a server has it.
Also measures the lobby's entrypoint with batches of 100, with and without checking the room's key.
Prints one JSON line. Limits: at least 0.3 of the driver at batches of 100; with keys at most 1.03
times the CPU of without.
"""

import argparse
import asyncio
import gc
import logging
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack
from itertools import count, cycle, islice
from pathlib import Path
from statistics import median
from typing import Any

import structlog
import uvloop
from casino_agentkit import ANYONE, Caller
from casino_agentkit.authority import called_by
from casino_contracts import TableAgentSkills, TableEvent
from casino_lobby.access.lobby_rules import LobbyRules
from casino_lobby.app import build_app
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_fold import fold
from casino_lobby.lobby_agent import EventBatchInput
from casino_lobby.settings import LobbySettings
from casino_lobby.store import MemoryStore, SqlStore
from casino_lobby.store.projection import rows_of
from casino_lobby.store.statements import Rows
from floors.bare_drivers import Commit, Finished, asyncpg_seconds, finished, sqlite_seconds
from pydantic import SecretStr
from rig import BENCH, print_report

sys.path.append(str(BENCH.parent / "tests"))
from support.casino.postgres import NoPostgres, postgres
from support.table.table_harness import TableHarness
from support.table.table_side import calling, config

ROOMS, SEATS, HANDS = 8, 6, 30
EVENTS = {1: 500, 10: 2_500, 100: 6_000}
"""Number of events per room, by batch size."""
LEAST_OF_DRIVER, MOST_OF_OPEN = 0.3, 1.03
_KEYED_ROUNDS = 9
SECRET = "the rooms' secret of this bench"  # noqa: S105  not a real secret
DriverSeconds = Callable[[str, list[Finished]], Awaitable[float]]
TABLES = ["t1", *(f"table-{number}" for number in range(1, ROOMS))]
"""The first id is that of the recorded session."""
Sides = dict[str, tuple[Callable[[], str], DriverSeconds]]
"""By database: a function that returns the URL of an empty one, and its driver."""


async def session() -> list[TableEvent]:
    """Play a session of six callers at a real table; returns its events."""
    harness = TableHarness()
    await harness.begin(*[calling] * SEATS, rules={"maxHands": HANDS})
    await harness.play()
    await harness.host.stop()
    return harness.lobby.events


def stream(recorded: Sequence[TableEvent]) -> Iterator[TableEvent]:
    """Yield the session's events, then its hands repeatedly with increasing numbers."""
    hands = [event for event in recorded if "handNumber" in (event.payload or {})]
    opening = recorded[: recorded.index(hands[0])]
    for sequence, event in enumerate(opening, start=1):
        yield event.model_copy(update={"sequence": sequence})
    hand = 0
    for sequence, event in enumerate(cycle(hands), start=len(opening) + 1):
        hand += event.event_type == "hand_started"
        payload = {**(event.payload or {}), "handNumber": hand}
        yield event.model_copy(update={"sequence": sequence, "payload": payload})


def new_rooms() -> list[Room]:
    """Return new rooms."""
    return [
        Room(
            f"room-{number}",
            TABLES[number],
            config(),
            "texas-holdem",
            TableAgentSkills(),
            secret=SECRET,
        )
        for number in range(ROOMS)
    ]


def batches_of(recorded: Sequence[TableEvent], size: int) -> list[list[TableEvent]]:
    """Return the events of one room in batches."""
    events = list(islice(stream(recorded), EVENTS[size]))
    return [events[at : at + size] for at in range(0, len(events), size)]


def json_of(batch: Sequence[TableEvent]) -> bytes:
    """Return a batch as its table sends it."""
    return b'{"events":[' + b",".join(event.wire() for event in batch) + b"]}"


class OpenRules(LobbyRules):
    """Rules that admit all callers."""

    def __init__(self, *_arguments: object, **_options: object) -> None:
        self.commanding = self.reading = self.announcing = ANYONE
        self.recording = self.delivering = ANYONE


async def entrypoint_cpu(rules: type[LobbyRules], recorded: Sequence[TableEvent]) -> float:
    """Return the CPU seconds of the lobby's entrypoint for the events of one room."""
    store = MemoryStore(20_000)
    room = new_rooms()[0]
    room.phase = "open"
    await store.add(room)
    service = build_app(
        LobbySettings(launch_tables=False, database=SecretStr("memory")),
        "http://bench",
        store=store,
        rules_of=rules,
    )
    entrypoint = service.agents[""].entrypoints["recordGameEvent"]
    bodies = [json_of(batch) for batch in batches_of(recorded, 100)]
    began = time.process_time()
    for body in bodies:
        with called_by(Caller(room.key().events)):
            await entrypoint.answer(entrypoint.read_json(body))
    return time.process_time() - began


async def of_open(recorded: Sequence[TableEvent]) -> float:
    """Return the CPU ratio of ingest with keys to ingest without; median of several turns."""
    ratios = []
    for _ in range(_KEYED_ROUNDS):
        keyed = await entrypoint_cpu(LobbyRules, recorded)
        ratios.append(keyed / await entrypoint_cpu(OpenRules, recorded))
    return median(ratios)


async def store_rate(url: str, batches: list[list[TableEvent]]) -> float:
    """Return the events per second that the lobby reads and its store commits."""
    store = SqlStore(url)
    await store.open()
    bodies, reader = [json_of(batch) for batch in batches], EventBatchInput()

    async def record(room: Room) -> None:
        for body in bodies:
            await store.record(room, reader.read(body))

    rooms = new_rooms()
    for room in rooms:
        await store.add(room)
    started = time.perf_counter()
    await asyncio.gather(*map(record, rooms))
    elapsed = time.perf_counter() - started
    events = sum(map(len, batches))
    if any(room.last_sequence != events for room in rooms):
        raise RuntimeError("events are missing")
    stacks = {f"player:{name}": chips for name, chips in rooms[0].settled.items()}
    if rooms[0].ledger.balances != {**stacks, "cashier": -sum(stacks.values())}:
        raise RuntimeError("chips are missing")
    await store.close()
    return events * ROOMS / elapsed


def commits_of(batches: list[list[TableEvent]]) -> list[Commit]:
    """Return the rows of each commit: one batch of each room."""
    rooms = new_rooms()
    commits: list[Commit] = []
    cursor = 0
    for batch in batches:
        commit: list[Rows] = []
        for room in rooms:
            rows = rows_of(room, batch)
            fold(room, batch)
            rows.after = cursor
            cursor += len(rows.events)
            commit.append(rows)
        commits.append(commit)
    return commits


async def measure(rounds: int, sides: Sides) -> dict[str, Any]:
    """Run store and driver in turns."""
    recorded = await session()
    gc.collect()  # as the kit's server does
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)
    runs, missed = [], []
    for size, of_room in EVENTS.items():
        batches = batches_of(recorded, size)
        commits = commits_of(batches)
        events = of_room * ROOMS
        for name, (new_url, driver_seconds) in sides.items():
            url = new_url()
            plain = finished(url, commits, is_packed=False)
            packed = finished(url, commits, is_packed=True)
            store_rates, driver_rates, plain_rates = [], [], []
            for _ in range(rounds):
                driver_rates.append(events / await driver_seconds(new_url(), packed))
                store_rates.append(await store_rate(new_url(), batches))
                plain_rates.append(events / await driver_seconds(new_url(), plain))
            shares = [ours / driver for ours, driver in zip(store_rates, driver_rates, strict=True)]
            if size == max(EVENTS) and median(shares) < LEAST_OF_DRIVER:
                missed.append(f"{name}: of_driver at batch {size}")
            runs.append(
                {
                    "database": name,
                    "batch": size,
                    "events_per_s": round(median(store_rates)),
                    "driver_events_per_s": round(median(driver_rates)),
                    "driver_plain_events_per_s": round(median(plain_rates)),
                    "of_driver": round(median(shares), 2),
                }
            )
    batches = batches_of(recorded, 100)
    sizes = [len(event.model_dump_json()) for batch in batches for event in batch]
    keyed = await of_open(recorded)
    if keyed > MOST_OF_OPEN:
        missed.append("keys_of_open_cpu")
    return {
        "bench": "ingest",
        "rooms": ROOMS,
        "event_bytes": round(sum(sizes) / len(sizes)),
        "runs": runs,
        "keys_of_open_cpu": round(keyed, 3),
        "floor": {"of_driver at batch 100": LEAST_OF_DRIVER, "keys_of_open_cpu": MOST_OF_OPEN},
        "missed": missed,
    }


def main() -> None:
    """Parse the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    skipped = []
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        files = (f"sqlite+aiosqlite:///{directory}/{number}.db" for number in count())
        sides: Sides = {"sqlite": (lambda: next(files), sqlite_seconds)}
        try:
            server = stack.enter_context(postgres(fsync=True))
            sides["postgresql"] = (server.empty_url, asyncpg_seconds)
        except NoPostgres as missing:
            if os.environ.get("CI"):
                raise
            skipped.append(f"postgresql: {missing}")
        report = uvloop.run(measure(arguments.rounds, sides))
    if skipped:
        report["skipped"] = skipped
    print_report(report)


if __name__ == "__main__":
    main()
