"""Announced tables: when each is lost, and which free one a room gets. Pure."""

from bisect import bisect_left, insort
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Collection, Mapping
from itertools import takewhile
from math import inf
from typing import NamedTuple

Position = tuple[int, int]
"""A fleet's own order, then the number of the registration."""


class Standing(NamedTuple):
    """What makes a table a worse choice than others, the graver reason first."""

    is_doubtful: bool
    is_busy: bool


class _Place(NamedTuple):
    origin: str
    standing: Standing
    position: Position


class _Rank(NamedTuple):
    """Order of choice; `position` decides between origins of the same load."""

    standing: Standing
    load: int
    position: Position
    url: str
    origin: str


class FreeTables:
    """Tables that may get a room: by standing, by the load of their origin, by position.

    The load of an origin is the number of its tables that have a room. A table is found, entered
    and removed by bisection; a change of an origin's load moves only the first tables of that
    origin, one for each standing.
    """

    def __init__(self) -> None:
        self._places: dict[str, _Place] = {}
        self._queues: dict[str, dict[Standing, list[tuple[Position, str]]]] = defaultdict(dict)
        """Positions and URLs, ascending, by origin and standing."""
        self._firsts: list[_Rank] = []
        """The first table of every queue, ascending."""
        self._load: Counter[str] = Counter()

    def put(self, url: str, origin: str, standing: Standing, position: Position) -> None:
        place = _Place(origin, standing, position)
        if self._places.get(url) == place:
            return
        self.remove(url)
        self._places[url] = place
        queues = self._queues[origin]
        queue = queues.setdefault(standing, [])
        entry = (position, url)
        if not queue or entry < queue[0]:
            self._withdraw(origin, standing)
            insort(queue, entry)
            self._present(origin, standing)
        else:
            insort(queue, entry)

    def remove(self, url: str) -> None:
        """Remove a table; does nothing if it is not there."""
        place = self._places.pop(url, None)
        if place is None:
            return
        origin, standing, position = place
        queues = self._queues[origin]
        queue = queues[standing]
        at = bisect_left(queue, (position, url))
        if at:
            del queue[at]
            return
        self._withdraw(origin, standing)
        del queue[0]
        if queue:
            self._present(origin, standing)
            return
        del queues[standing]
        if not queues:
            del self._queues[origin]

    def add_load(self, origin: str, change: int) -> None:
        standings = tuple(self._queues.get(origin, ()))
        for standing in standings:
            self._withdraw(origin, standing)
        self._load[origin] += change
        for standing in standings:
            self._present(origin, standing)
        if not self._load[origin]:
            del self._load[origin]

    def first(self, but: Collection[str], more: Mapping[str, int]) -> str | None:
        """Return the first table that is not among `but`; None if there is none.

        `more` is added to the load of origins.
        """
        changed = {*more, *(self._places[url].origin for url in but if url in self._places)}
        ranks = [
            rank
            for origin in changed
            for standing in self._queues.get(origin, ())
            if (rank := self._rank(origin, standing, but, more.get(origin, 0)))
        ]
        unchanged = next((rank for rank in self._firsts if rank.origin not in changed), None)
        if unchanged is not None:
            ranks.append(unchanged)
        return min(ranks).url if ranks else None

    def _rank(
        self, origin: str, standing: Standing, but: Collection[str] = (), more: int = 0
    ) -> _Rank | None:
        for position, url in self._queues[origin][standing]:
            if url not in but:
                return _Rank(standing, self._load[origin] + more, position, url, origin)
        return None

    def _present(self, origin: str, standing: Standing) -> None:
        rank = self._rank(origin, standing)
        if rank is not None:
            insort(self._firsts, rank)

    def _withdraw(self, origin: str, standing: Standing) -> None:
        rank = self._rank(origin, standing)
        if rank is not None:
            del self._firsts[bisect_left(self._firsts, rank)]


class HeardTables:
    """Clock times of the last announcement of tables that serve rooms, by base URL.

    `clock` returns seconds, never less than before. A table is lost when it is silent for longer
    than `silence` seconds, and forgotten some time after `forgotten_after` seconds. Among the
    watched tables those that are lost are found without a look at the others.
    """

    def __init__(self, clock: Callable[[], float], silence: float, forgotten_after: float) -> None:
        self._clock = clock
        self._silence = silence
        self._forgotten_after = forgotten_after
        self._heard: OrderedDict[str, float] = OrderedDict()
        """In the order of the times, but for those that have left: -inf."""
        self._left: set[str] = set()
        self._watched: set[str] = set()
        self._lively: OrderedDict[str, None] = OrderedDict()
        """Watched tables that were not lost when last looked at, in the order of their times."""
        self._suspect: dict[str, None] = {}
        """The other watched tables: lost, or not heard of since they are watched."""

    def expect(self, base: str) -> None:
        if base not in self._heard:
            self._forget_old()
        self._heard.pop(base, None)  # so that it is the last
        self._heard[base] = self._clock()
        self._left.discard(base)
        if base in self._watched:
            self._suspect.pop(base, None)
            self._lively.pop(base, None)
            self._lively[base] = None

    def leave(self, base: str) -> None:
        """Take a table for lost at once."""
        if base not in self._heard:
            return
        self._heard[base] = -inf
        self._left.add(base)
        if base in self._lively:
            del self._lively[base]
            self._suspect[base] = None

    def heard_at(self, base: str) -> float:
        """Return when a table was last heard of; -inf if it has left or is unknown."""
        return self._heard.get(base, -inf)

    def has_left(self, base: str) -> bool:
        return base in self._left

    def is_lost(self, base: str) -> bool:
        return self._clock() - self.heard_at(base) > self._silence

    def watch(self, base: str) -> None:
        """Return a table among the lost ones from now on, if it is lost."""
        self._watched.add(base)
        self._suspect[base] = None

    def unwatch(self, base: str) -> None:
        self._watched.discard(base)
        self._suspect.pop(base, None)
        self._lively.pop(base, None)

    def lost(self) -> list[str]:
        while self._lively and self.is_lost(base := next(iter(self._lively))):
            del self._lively[base]
            self._suspect[base] = None
        return [base for base in self._suspect if self.is_lost(base)]

    def _forget_old(self) -> None:
        for base in self._left:
            del self._heard[base]
        self._left.clear()
        since = self._clock() - self._forgotten_after
        while self._heard and self._heard[base := next(iter(self._heard))] < since:
            del self._heard[base]


class TableAges:
    """Clock times of announcements, by card URL.

    `clock` returns seconds, never less than before. A table is doubtful `doubtful_after` seconds
    after its announcement, and silent after `silent_after`.
    """

    def __init__(
        self, clock: Callable[[], float], doubtful_after: float, silent_after: float
    ) -> None:
        self._clock = clock
        self._doubtful_after = doubtful_after
        self._silent_after = silent_after
        self._times: dict[str, float] = {}
        # Each in the order of the times; those of a later one were announced before.
        self._prompt: OrderedDict[str, None] = OrderedDict()
        self._doubtful: OrderedDict[str, None] = OrderedDict()
        self._silent: OrderedDict[str, None] = OrderedDict()

    def hear(self, url: str) -> None:
        self.drop(url)
        self._times[url], self._prompt[url] = self._clock(), None

    def drop(self, url: str) -> None:
        self._times.pop(url, None)
        for part in (self._prompt, self._doubtful, self._silent):
            part.pop(url, None)

    def is_silent(self, url: str) -> bool:
        return self._clock() - self._times[url] > self._silent_after

    def was_doubtful(self, url: str) -> bool:
        """Return whether a table was doubtful at the last call of `age`."""
        return url in self._doubtful

    def was_silent(self, url: str) -> bool:
        """Return whether a table was silent at the last call of `age`."""
        return url in self._silent

    def age(self) -> list[str]:
        """Return the tables that became doubtful or silent since the last call."""
        changed: list[str] = []
        since = self._clock() - self._doubtful_after
        while self._prompt and self._times[url := next(iter(self._prompt))] < since:
            changed.append(_move(url, self._prompt, self._doubtful))
        while self._doubtful and self.is_silent(url := next(iter(self._doubtful))):
            changed.append(_move(url, self._doubtful, self._silent))
        return changed

    def before(self, since: float) -> list[str]:
        older: list[str] = []
        for part in (self._silent, self._doubtful, self._prompt):
            older += takewhile(lambda url: self._times[url] < since, part)
        return older


def _move(url: str, source: OrderedDict[str, None], target: OrderedDict[str, None]) -> str:
    del source[url]
    target[url] = None
    return url
