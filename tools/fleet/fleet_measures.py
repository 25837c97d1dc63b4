"""What the simulation of a fleet measures, and what it checks at every step."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import timedelta
from time import process_time
from typing import Any, Literal

from casino_lobby.domain.fleet import Fleet, FleetLimits, origin_of
from casino_lobby.domain.room import Room
from casino_lobby.store import MemoryStore
from fleet_world import Table, World

Cause = Literal["killed", "machine", "network", "goodbye"]
BEYOND_SILENCE_S = 2.0
"""A room plays on at most so long after the silence of its lost table."""
_PARTS = 12
_AUDIT_EVERY = 10
"""Looks between two that walk all rooms and all tables."""
_VIOLATIONS_KEPT = 10


class TimedFleet(Fleet):
    """The lobby's fleet, whose choices are timed."""

    def __init__(self, clock: Callable[[], float], silence: timedelta, limits: FleetLimits) -> None:
        super().__init__(clock, silence, limits)
        self.choices_s: list[float] = []

    def choose(self, taken: Collection[str]) -> str | None:
        """Return a free table, and note how long that took."""
        begun_at = process_time()
        try:
            return super().choose(taken)
        finally:
            self.choices_s.append(process_time() - begun_at)


class Measures:
    """Rooms without a table, moves, load of origins; and rules that must hold."""

    def __init__(
        self, world: World, store: MemoryStore, fleet: Fleet, limits: FleetLimits, until: float
    ) -> None:
        self._world = world
        self._store = store
        self._fleet = fleet
        self._limits = limits
        self._until = until
        self._down: dict[str, tuple[float, Cause]] = {}
        """Since when, and why, a room has no table that can play."""
        self._at: dict[str, Table] = {}
        """The table at which each room was placed last."""
        self._in_vain_s: defaultdict[str, float] = defaultdict(float)
        """Seconds that calls to other dead tables took, by room without a table."""
        self._none_free_at = 0.0
        """The last time at which no table was free."""
        self.without_table: list[int] = []
        """Number of rooms without a table, every second."""
        self.moved: dict[Cause, list[float]] = {
            "killed": [],
            "machine": [],
            "network": [],
            "goodbye": [],
        }
        """Seconds until each room that lost its table had one again."""
        self.waited: list[float] = []
        """Those of rooms for which no table was free at some time meanwhile."""
        self.retried: list[float] = []
        """Those of rooms whose next table was dead too, and not yet known to be."""
        self.in_place = 0
        """How many of these got their own table back."""
        self.announcements_s: list[float] = []
        self.violations: list[str] = []

    # What happens.

    def lost(self, table: Table, cause: Cause) -> None:
        """Note that a table plays no more for the lobby."""
        if table.room_id is not None:
            self._down.setdefault(table.room_id, (self._world.clock(), cause))

    def unreached(self, table: Table, seconds: float) -> None:
        """Note that a call to a dead table took so long; a room may have been moving there."""
        for room in self._store.in_use.at(table.card_url):
            if room.room_id in self._down and self._at.get(room.room_id) is not table:
                self._in_vain_s[room.room_id] += seconds

    def heard(self, table: Table) -> None:
        """Note that a table's announcement was answered."""
        if table.room_id is not None and self._at.get(table.room_id) is table:
            self._note_return(table.room_id, table)

    def served(self, table: Table) -> None:
        """Note that a table has been given a room, and check that no other one plays it."""
        if table.room_id is None:
            return
        before = self._at.get(table.room_id)
        now = self._world.clock()
        if before is not None and before is not table and before.room_id == table.room_id:
            self._check(
                before.lease_until <= now or not before.process.up.is_set() or _ends(before),
                f"room {table.room_id} is played at two tables",
            )
        rooms = [room.room_id for room in self._store.in_use.at(table.card_url)]
        self._check(rooms == [table.room_id], f"{table.card_url} has the rooms {rooms}")
        self._note_return(table.room_id, table)
        self._at[table.room_id] = table

    def _note_return(self, room_id: str, table: Table) -> None:
        if not table.process.is_reachable:
            return
        since = self._down.pop(room_id, None)
        if since is None:
            return
        times = self.moved[since[1]]
        if self._in_vain_s.pop(room_id, 0.0):
            times = self.retried
        if self._none_free_at >= since[0]:
            times = self.waited
        times.append(self._world.clock() - since[0])
        self.in_place += self._at.get(room_id) is table

    def ended(self, room: Room) -> None:
        """Forget a room."""
        self._down.pop(room.room_id, None)
        self._in_vain_s.pop(room.room_id, None)
        self._at.pop(room.room_id, None)

    # Every second.

    def look(self, bound: float) -> None:
        """Sample, and check what must hold; `bound` is the longest time to move."""
        now = self._world.clock()
        self.without_table.append(len(self._down))
        if not any(self._is_free(table) for table in self._world.tables.values()):
            self._none_free_at = now
        for room_id, (since, cause) in self._down.items():
            room = self._store.room(room_id)
            if room is None or room.phase != "open":
                continue
            # A table that became free says so with its next announcement.
            noticed_at = self._none_free_at + self._fleet.announce_within.total_seconds()
            in_vain = self._in_vain_s.get(room_id, 0.0)
            latest = max(since + bound, noticed_at + BEYOND_SILENCE_S) + in_vain
            self._check(now <= latest, f"room {room_id} ({cause}) waits though a table is free")
        if len(self.without_table) % _AUDIT_EVERY == 0:
            self._check_limits()
            self._check_rooms()

    def _is_free(self, table: Table) -> bool:
        return (
            table.is_known
            and table.room_id is None
            and table.leaving is None
            and table.process.is_reachable
            and not self._store.in_use.at(table.card_url)
        )

    def _check_limits(self) -> None:
        urls = [url for url, _ in self._fleet.announced()]
        self._check(len(urls) <= self._limits.tables, f"{len(urls)} tables are registered")
        most = max(Counter(map(origin_of, urls)).values(), default=0)
        self._check(most <= self._limits.per_origin, f"an origin has {most} tables")

    def _check_rooms(self) -> None:
        """Check the index against the rooms themselves."""
        urls = [r.table_card_url for r in self._store.rooms() if r.table_card_url and not r.is_over]
        self._check(len(urls) == len(set(urls)), "two rooms are at one table")
        self._check(
            all(self._store.in_use.at(url) for url in urls), "a room is missing in the index"
        )

    def _check(self, holds: bool, fault: str) -> None:  # noqa: FBT001
        if not holds and len(self.violations) < _VIOLATIONS_KEPT:
            self.violations.append(f"{self._world.clock():.1f} s: {fault}")

    # Report.

    def report(self, choices_s: Sequence[float], bound: float) -> dict[str, Any]:
        """Return the figures; times to move in seconds, CPU in microseconds."""
        size = -(-len(self.without_table) // _PARTS)
        parts = [self.without_table[at : at + size] for at in range(0, size * _PARTS, size)]
        loads = self.loads()
        lost = [*self.moved["killed"], *self.moved["machine"], *self.moved["network"]]
        return {
            "moves": sum(map(len, [*self.moved.values(), self.waited, self.retried]))
            - self.in_place,
            "returned_in_place": self.in_place,
            "without_table": {
                "max": max(self.without_table, default=0),
                "mean": round(sum(self.without_table) / max(1, len(self.without_table)), 2),
                "over_time": [max(part, default=0) for part in parts],
            },
            "lost_s": {"bound": bound, **_spread(lost)},
            "lost_s_by_cause": {
                cause: _spread(times) for cause, times in self.moved.items() if cause != "goodbye"
            },
            "next_table_dead_too_s": _spread(self.retried),
            "waited_for_a_free_table_s": _spread(self.waited),
            "goodbye_s": _spread(self.moved["goodbye"]),
            "rooms_per_origin": {"min": min(loads, default=0), "max": max(loads, default=0)},
            "announcements": len(self.announcements_s),
            "announcement_us": _cost(self.announcements_s),
            "choices": len(choices_s),
            "choice_us": _cost(choices_s),
            "violations": self.violations,
        }

    def loads(self) -> list[int]:
        """Return the number of rooms of each process that is up."""
        return [
            sum(table.room_id is not None for table in process.tables)
            for process in self._world.processes
            if process.is_reachable and not process.is_busy
        ]


def _ends(table: Table) -> bool:
    """Return whether a table has said that it asks nobody any more."""
    return table.leaving == "now"


def _quantile(ascending: Sequence[float], share: float) -> float:
    return ascending[min(len(ascending) - 1, int(len(ascending) * share))]


def _spread(times: Iterable[float]) -> dict[str, float]:
    ascending = sorted(times)
    if not ascending:
        return {"count": 0}
    return {
        "count": len(ascending),
        "p50": round(_quantile(ascending, 0.5), 2),
        "p99": round(_quantile(ascending, 0.99), 2),
        "max": round(ascending[-1], 2),
    }


def _cost(seconds: Iterable[float]) -> dict[str, float]:
    ascending = sorted(seconds)
    if not ascending:
        return {}
    return {
        "mean": round(1e6 * sum(ascending) / len(ascending), 1),
        "p50": round(1e6 * _quantile(ascending, 0.5), 1),
        "p99": round(1e6 * _quantile(ascending, 0.99), 1),
    }
