"""Free tables in the order in which rooms get them. Pure."""

from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
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
        """Enter a table, or change its standing."""
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
        """Change the number of tables of an origin that have a room."""
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
