"""One room over many hands: CPU per decision, memory and bytes per hand, early and late.

Two sample players call everything, so a hand has eight decisions; the table has a journal, the
lobby its database on disk. The room is measured at some hands on its way. At its end new casinos
play their hands 500 to 2,000 beside it, one after the other, and both sides are measured over the
same seconds: the speed of a machine varies by more than the limit. Another room then plays with
rules that keep its newest hands only, and archive the journal's others. Prints one JSON line.
Limits: a late decision costs lobby and table at most 1.10 times an early one; from hand 1,000 to
the last one neither grows by more than 4 MB (SQLite fills its page cache of 2 MB in that time, and
the allocator varies); a hand takes at most 3,000 bytes in the journal and in the lobby's SQLite,
and at most 600 where only the newest hands are kept.
"""

import argparse
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any, Self

import uvloop
from local_casino import STREETS, Plan, local_casino, progress, rounded
from rig import print_report
from room_on_disk import (
    KEPT,
    ROOM,
    SEATS,
    Database,
    Place,
    Sample,
    bytes_per_hand,
    kept_samples,
    reach,
    storage,
)

DECISIONS_PER_HAND = SEATS * STREETS
FIRST, WINDOW = 500, 1_500
"""A sample begins at a hand and covers the CPU of so many hands after it."""
SETTLED = 1_000
"""The hand from which memory is compared: every module is loaded and every cache in use."""
ON_THE_WAY = (FIRST, SETTLED, 2_500, 5_000, 10_000, 20_000, 30_000, 40_000)
MOST_OF_EARLY = 1.10
MOST_MB = 4.0
MOST_BYTES = {"journal": 3_000, "lobby": 3_000}
MOST_KEPT_BYTES = 600
MOST_OF_RATE = 1.05
"""Rounds in which one room plays faster than this times the other say nothing."""
TRIES = 3
"""How many times the rounds that are wanted may be played, until enough of them are fair."""
JUDGED = ("lobby", "tables")


@dataclass(frozen=True)
class Window:
    """What the decisions between two samples cost."""

    us: dict[str, float]
    """CPU of each role, in microseconds a decision."""
    decisions_per_s: float

    @classmethod
    def between(cls, before: Sample, after: Sample) -> Self:
        """Return the window between two samples.

        >>> early = Sample(500, 10.0, {"lobby": 1.0}, {}, {})
        >>> Window.between(early, Sample(1_000, 18.0, {"lobby": 1.4}, {}, {}))
        Window(us={'lobby': 100.0}, decisions_per_s=500.0)
        """
        decisions = (after.hand - before.hand) * DECISIONS_PER_HAND
        us = {
            role: round((spent - before.cpu[role]) / decisions * 1e6, 1)
            for role, spent in after.cpu.items()
        }
        return cls(us, decisions / (after.at - before.at))


@dataclass(frozen=True)
class Round:
    """The old room and a new one over the same seconds."""

    late: Window
    early: Window

    @property
    def is_fair(self) -> bool:
        """Whether both rooms played equally fast: events that come together cost the lobby less.

        >>> slow, fast = Window({}, 400.0), Window({}, 500.0)
        >>> Round(slow, slow).is_fair, Round(slow, fast).is_fair
        (True, False)
        """
        rates = self.late.decisions_per_s, self.early.decisions_per_s
        return max(rates) <= min(rates) * MOST_OF_RATE


def of_early(rounds: Sequence[Round]) -> dict[str, float]:
    """Return the cost of a late decision as a multiple of an early one; the median of the rounds.

    >>> dear, cheap = (Window({"lobby": us, "tables": 9.0}, 500.0) for us in (150.0, 100.0))
    >>> of_early([Round(dear, cheap), Round(cheap, cheap), Round(dear, cheap)])
    {'lobby': 1.5, 'tables': 1.0}
    """
    return {
        role: median(turn.late.us[role] / turn.early.us[role] for turn in rounds) for role in JUDGED
    }


def larger_files(stored: dict[str, float], kept: dict[str, float], database: Database) -> list[str]:
    """Return the names of the missed limits of bytes a hand; PostgreSQL has none.

    >>> larger_files({"journal": 1_400.0, "lobby": 3_100.0}, {"journal": 601.0}, "sqlite")
    ['bytes_per_hand.lobby', 'kept_bytes_per_hand.journal']
    >>> larger_files({"journal": 1_400.0, "lobby": 3_100.0}, {"archive": 900.0}, "postgresql")
    []
    """
    judged = MOST_BYTES if database == "sqlite" else {"journal": MOST_BYTES["journal"]}
    return [
        *(f"bytes_per_hand.{part}" for part, most in judged.items() if stored[part] > most),
        *(
            f"kept_bytes_per_hand.{part}"
            for part, size in kept.items()
            if part in MOST_BYTES and size > MOST_KEPT_BYTES
        ),
    ]


def verdict(grown_mb: dict[str, float], ratios: dict[str, float]) -> dict[str, Any]:
    """Return whether CPU and memory are flat, and the names of the missed limits.

    >>> verdict({"lobby": 0.2, "tables": 5.0}, {"lobby": 1.2, "tables": 1.0})["missed"]
    ['late_of_early.lobby', 'grown_mb.tables']
    """
    dearer = [role for role in JUDGED if ratios[role] > MOST_OF_EARLY]
    larger = [role for role in JUDGED if grown_mb[role] > MOST_MB]
    return {
        "cpu_flat": not dearer,
        "memory_flat": {role: role not in larger for role in JUDGED},
        "missed": [
            *(f"late_of_early.{role}" for role in dearer),
            *(f"grown_mb.{role}" for role in larger),
        ],
    }


async def window(*places: Place) -> list[Window]:
    """Return what each casino's decisions cost while the first plays a window of hands."""
    before = [await place.sample() for place in places]
    await reach(before[0].hand + WINDOW, *places)
    after = [await place.sample() for place in places]
    return [Window.between(*pair) for pair in zip(before, after, strict=True)]


async def beside(old: Place, database: Database) -> Round:
    """Measure the old room, and a new one over the same seconds."""
    with storage(database) as (settings, stored):
        async with local_casino(Plan(settings=settings)) as casino:
            await casino.open(ROOM, SEATS)
            await casino.until_running()
            young = Place(casino, stored)
            await reach(FIRST, young)
            early, late = await window(young, old)
    return Round(late, early)


async def fair_rounds(old: Place, wanted: int, database: Database) -> list[Round]:
    """Return so many fair rounds, or fewer; raises RuntimeError if there is none."""
    fair: list[Round] = []
    for _ in range(wanted * TRIES):
        turn = await beside(old, database)
        progress(turn)
        fair += [turn] if turn.is_fair else []
        if len(fair) == wanted:
            break
    if not fair:
        raise RuntimeError("no two rooms played equally fast: this machine is too busy")
    return fair


async def measure(hands: int, rounds: int, database: Database) -> dict[str, Any]:
    """Play, and measure on the way and at the end."""
    load = os.getloadavg()[0]
    samples: list[Sample] = []
    on_the_way: list[dict[str, Any]] = []
    with storage(database) as (settings, stored):
        async with local_casino(Plan(settings=settings)) as casino:
            await casino.open(ROOM, SEATS)
            await casino.until_running()
            old = Place(casino, stored)
            for hand in [*(hand for hand in ON_THE_WAY if hand < hands), hands]:
                await reach(hand, old)
                samples.append(await old.sample())
                [cost] = await window(old)
                progress((samples[-1], cost))
                on_the_way.append({"hand": samples[-1].hand, **asdict(cost), "mb": samples[-1].mb})
            turns = await fair_rounds(old, rounds, database)
            if await casino.decisions() < samples[-1].hand * DECISIONS_PER_HAND:
                raise RuntimeError("the tables have counted fewer decisions than were played")
            await casino.check_chips(ROOM, SEATS)
    kept = await kept_samples()
    progress(kept)
    compared = [sample for sample in samples if sample.hand >= SETTLED]
    grown = {role: compared[-1].mb[role] - compared[0].mb[role] for role in JUDGED}
    ratios = of_early(turns)
    stored_bytes, kept_bytes = bytes_per_hand(compared), bytes_per_hand(kept)
    judged = verdict(grown, ratios)
    judged["missed"] += larger_files(stored_bytes, kept_bytes, database)
    return {
        "bench": "growth",
        "hands": samples[-1].hand,
        "database": database,
        "load": load,
        "on_the_way": on_the_way,
        "at_the_end": [asdict(turn) for turn in turns],
        "late_of_early": ratios,
        "grown_mb": grown,
        "bytes_per_hand": stored_bytes,
        "kept": {"keep_hands": KEPT, "hands": kept[-1].hand, "stored": kept[-1].stored},
        "kept_bytes_per_hand": kept_bytes,
        **judged,
        "floor": {
            "late_of_early": MOST_OF_EARLY,
            "grown_mb": MOST_MB,
            "bytes_per_hand": MOST_BYTES,
            "kept_bytes_per_hand": MOST_KEPT_BYTES,
        },
    }


def main() -> None:
    """Parse the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=5, help="new casinos beside the old one")
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    arguments = parser.parse_args()
    if arguments.hands <= SETTLED:
        parser.error(f"--hands must be above {SETTLED}")
    report = measure(arguments.hands, arguments.rounds, arguments.database)
    print_report(rounded(uvloop.run(report)))


if __name__ == "__main__":
    main()
