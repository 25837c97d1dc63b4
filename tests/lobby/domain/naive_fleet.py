"""The allocation of tables without indexes: what the lobby's fleet has to agree with."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import inf

from casino_lobby.domain.fleet import base_url, origin_of
from casino_lobby.domain.room import Room


def order_of(card_url: str) -> int:
    """Return an order of tables that is not that of their registration."""
    return sum(map(ord, card_url)) % 2


@dataclass
class _Table:
    announced_at: float
    is_busy: bool = False
    is_leaving: bool = False


class NaiveFleet:
    """Walks all tables and all rooms for every answer; `rooms` are those of the lobby."""

    def __init__(
        self, clock: Callable[[], float], silence: float, limits: tuple[int, int] | None
    ) -> None:
        self.clock = clock
        self.silence = silence
        self.limits = limits
        self.rooms: dict[str, Room] = {}
        self.foreign: set[str] = set()
        """Ids of rooms of other lobbies."""
        self.tables: dict[str, _Table] = {}
        self.heard: dict[str, float] = {}

    def placed(self) -> list[Room]:
        return [room for room in self.rooms.values() if room.table_card_url and not room.is_over]

    def announce(self, url: str, *, is_busy: bool) -> bool | None:
        """Return whether a table became available; None if it is refused."""
        is_new = not self.lives(url)
        if is_new:
            self.tables.pop(url, None)
            is_full = self.limits is not None and len(self.tables) >= self.limits[0]
            since = self.clock() - self.silence * (1 if is_full else 10)
            self.tables = {u: t for u, t in self.tables.items() if t.announced_at >= since}
            if self.limits is not None:
                same = sum(origin_of(other) == origin_of(url) for other in self.tables)
                if len(self.tables) >= self.limits[0] or same >= self.limits[1]:
                    return None
            self.tables[url] = _Table(self.clock())
        table = self.tables[url]
        is_available = is_new or table.is_leaving or (table.is_busy and not is_busy)
        self.tables[url].announced_at = self.clock()
        self.tables[url].is_busy, self.tables[url].is_leaving = is_busy, False
        return is_available

    def leave(self, url: str, when: str) -> None:
        """Take a table out at once, or give it no new room."""
        if when == "now":
            self.tables.pop(url, None)
            if base_url(url) in self.heard:
                self.heard[base_url(url)] = -inf
        elif url in self.tables:
            self.tables[url].is_leaving = True

    def expect(self, url: str) -> None:
        """Count the silence of a table from now on."""
        if base_url(url) not in self.heard:
            since = self.clock() - self.silence * 10
            self.heard = {u: at for u, at in self.heard.items() if at >= since}
        self.heard[base_url(url)] = self.clock()

    def is_lost(self, url: str) -> bool:
        """Return whether a table is silent, has left or is unknown."""
        return self.clock() - self.heard.get(base_url(url), -inf) > self.silence

    def has_left(self, url: str) -> bool:
        return self.heard.get(base_url(url)) == -inf

    def lives(self, url: str) -> bool:
        return url in self.tables and self.clock() - self.tables[url].announced_at <= self.silence

    def choose(self, tried: Iterable[str]) -> str | None:
        """Return the first free table by standing, load and registration."""
        taken = {*(room.table_card_url for room in self.placed()), *tried}
        in_use = {base_url(url) for url in taken}
        load = Counter(map(origin_of, taken))
        doubtful_since = self.clock() - self.silence / 2
        free = [
            url
            for url, table in self.tables.items()
            if base_url(url) not in in_use and self.lives(url) and not table.is_leaving
        ]
        return min(
            free,
            key=lambda url: (
                self.tables[url].announced_at < doubtful_since,
                self.tables[url].is_busy,
                load[origin_of(url)],
                order_of(url),
            ),
            default=None,
        )

    def lost_rooms(self) -> list[str]:
        """Return the ids of the rooms whose table of the fleet is lost, the oldest first."""
        own = [room for room in self.placed() if room.room_id not in self.foreign]
        return [r.room_id for r in own if r.is_from_fleet and self.is_lost(r.table_card_url)]

    def at(self, url: str) -> list[str]:
        """Return the ids of the rooms at a table, the oldest first."""
        rooms = self.placed()
        return [r.room_id for r in rooms if base_url(r.table_card_url) == base_url(url)]
