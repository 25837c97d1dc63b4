"""A room with journal and store on disk, and what it takes at some hands; for bench/growth.py."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Literal

from local_casino import LocalCasino, Plan, bytes_in, local_casino, until
from rig import BENCH

sys.path.append(str(BENCH.parent / "tests"))
from support.casino.postgres import DATABASE, postgres

Database = Literal["sqlite", "postgresql"]

ROOM, SEATS = "main", 2
KEPT = 500
"""The newest hands that a room keeps that keeps few; it plays many times as many."""
KEPT_FROM, KEPT_UNTIL = 3_000, 9_000
"""Between these hands its files are compared: after the first deletions, which leave them as large.

That is some megabytes, most of them of the write-ahead logs."""


@dataclass(frozen=True)
class Sample:
    """A room at a hand."""

    hand: int
    at: float
    """Seconds of a clock."""
    cpu: dict[str, float]
    """CPU seconds of each role since its start."""
    mb: dict[str, float]
    stored: dict[str, int]
    """Bytes of the journal and of the lobby's database."""


@dataclass(frozen=True)
class Place:
    """A casino with one room, and where it stores what."""

    casino: LocalCasino
    stored: Callable[[], dict[str, int]]

    async def sample(self) -> Sample:
        """Return the room as it is."""
        return Sample(
            await self.casino.hands(),
            perf_counter(),
            self.casino.cpu(),
            self.casino.memory(),
            self.stored(),
        )


@contextmanager
def keeping() -> Iterator[tuple[dict[str, str], Callable[[], dict[str, int]]]]:
    """Yield settings that keep the newest hands only, and a function that measures all files."""
    with storage("sqlite") as (settings, stored), TemporaryDirectory() as archive:
        settings["CASINO_TABLE_ARCHIVE"] = archive
        settings["CASINO_TABLE_KEEP_HANDS"] = settings["CASINO_LOBBY_KEEP_HANDS"] = str(KEPT)
        yield settings, lambda: {**stored(), "archive": bytes_in(Path(archive))}


@contextmanager
def storage(database: Database) -> Iterator[tuple[dict[str, str], Callable[[], dict[str, int]]]]:
    """Yield the settings that store everything on disk, and a function that measures it."""
    with TemporaryDirectory() as name:
        lobby, journal = Path(name, "lobby"), Path(name, "journal")
        settings = {"CASINO_LOBBY_DATA": str(lobby), "CASINO_TABLE_DATA": str(journal)}
        if database == "sqlite":
            yield settings, lambda: {"lobby": bytes_in(lobby), "journal": bytes_in(journal)}
            return
        with postgres(fsync=True) as server:
            settings["CASINO_LOBBY_DATABASE"] = server.empty_url()
            size = f"SELECT pg_database_size('{DATABASE}')"
            yield (
                settings,
                lambda: {"lobby": int(server.run(size)), "journal": bytes_in(journal)},
            )


async def reach(hand: int, *places: Place) -> None:
    """Wait until the first casino has played to a hand; all are asked equally often."""

    async def is_reached() -> bool:
        hands = [await place.casino.hands() for place in places]
        return hands[0] >= hand

    await until(is_reached, every_s=2.0)


def bytes_per_hand(samples: Sequence[Sample]) -> dict[str, float]:
    """Return the growth of what is stored, from the first sample to the last.

    >>> early = Sample(1_000, 0.0, {}, {}, {"journal": 9_000_000})
    >>> bytes_per_hand([early, Sample(3_000, 9.0, {}, {}, {"journal": 29_000_000})])
    {'journal': 10000.0}
    """
    first, last = samples[0], samples[-1]
    hands = last.hand - first.hand
    return {part: (size - first.stored[part]) / hands for part, size in last.stored.items()}


async def kept_samples() -> list[Sample]:
    """Play a room that keeps its newest hands only; return it at two hands."""
    with keeping() as (settings, stored):
        async with local_casino(Plan(settings=settings)) as casino:
            await casino.open(ROOM, SEATS)
            await casino.until_running()
            place = Place(casino, stored)
            samples = []
            for hand in (KEPT_FROM, KEPT_UNTIL):
                await reach(hand, place)
                samples.append(await place.sample())
            return samples
