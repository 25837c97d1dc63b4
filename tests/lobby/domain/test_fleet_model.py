"""The indexed fleet answers as one that walks all rooms and tables, whatever happens to them."""

from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from math import inf
from random import Random
from typing import Any

import pytest
from casino_agentkit import CommandRefused
from casino_lobby.domain.fleet import Fleet, FleetLimits, base_url, origin_of
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_addresses import TablePlace
from casino_lobby.domain.rooms_by_table import TablesInUse
from support.casino.store_side import new_room

CARD = "/.well-known/agent-card.json"
URLS = [
    *(f"http://{host}/tables/{number}{CARD}" for host in "ab" for number in range(2)),
    "http://a/tables/0",  # the same table as the first
    "http://A:80/tables/9/",  # the same origin
]
TIMES = [0.0, 0.1, 1.0, 4.9, 5.0, 5.1, 10.0, 10.1, 50.0, 99.0, 101.0]
"""Around half of the silence of 10 s, the silence, and ten times the silence."""
LIMITS = [None, (4, 2), (3, 3), (256, 16)]


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


class Allocation:
    """Announcements, goodbyes, silences, and rooms that come, move and end."""

    def __init__(self, limits: tuple[int, int] | None, placed: int) -> None:
        """Begin with some rooms at tables that have announced themselves."""
        self.now = 1_000.0
        self.fleet = Fleet(
            lambda: self.now,
            timedelta(seconds=10),
            FleetLimits(*limits) if limits else None,
            order_of,
        )
        self.naive = NaiveFleet(lambda: self.now, 10, limits)
        self.in_use = TablesInUse()
        self.in_use.report_to(self.fleet)
        self.rooms = self.naive.rooms
        for number, url in enumerate(URLS[:placed]):
            self.announce(url, is_busy=False, is_expected=True)
            self.add(number, url, bound=True, is_own=True)
            self.expect(url)

    # Tables.

    def wait(self, seconds: float) -> None:
        self.now += seconds

    def announce(self, url: str, *, is_busy: bool, is_expected: bool) -> None:
        """Announce a table, perhaps that of a room."""
        became: bool | None = None
        with suppress(CommandRefused):
            became = self.fleet.announce(url, is_busy=is_busy)
        assert became == self.naive.announce(url, is_busy=is_busy)
        if is_expected:
            self.expect(url)

    def leave(self, url: str, when: Any) -> None:
        self.fleet.leave(url, when)
        self.naive.leave(url, when)

    def expect(self, url: str) -> None:
        self.fleet.expect(url)
        self.naive.expect(url)

    # Rooms.

    def add(self, number: int, url: str, *, bound: bool, is_own: bool) -> None:
        """Add a room, or read it again in place of the one with its id."""
        room = new_room(f"r{number}")
        room.table_card_url, room.is_from_fleet = url, bound
        self.rooms[room.room_id] = room
        self._keep(room, is_own=is_own)

    def overwrite(self, which: int, url: str, *, bound: bool, is_own: bool) -> None:
        """Give a room the state of another object, which reports nothing, and add it again."""
        room = self._room(which)
        other = new_room(room.room_id)
        other.table_card_url, other.is_from_fleet = url, bound
        vars(room).update(vars(other))
        self._keep(room, is_own=is_own)

    def _keep(self, room: Room, *, is_own: bool) -> None:
        (self.naive.foreign.discard if is_own else self.naive.foreign.add)(room.room_id)
        self.in_use.add(room, is_own=is_own)

    def remove(self, which: int) -> None:
        room = self._room(which)
        del self.rooms[room.room_id]
        self.in_use.remove(room)
        self.in_use.remove(room)
        room.take_from_fleet(URLS[0])  # concerns nobody any more

    def place(self, which: int, url: str, tried: set[str]) -> None:
        """Give a room the table that is chosen, or some other one."""
        self._room(which).take_from_fleet(self.fleet.choose(tried) or url)

    def change(self, which: int, url: str, what: int) -> None:
        room = self._room(which)
        match what:
            case 0:
                room.return_to(TablePlace(url, None, is_keyed=True))
            case 1:
                room.move_table(url)
            case 2:
                room.release_table()
            case _:
                room.launch_table()

    def end(self, which: int, *, has_failed: bool) -> None:
        room = self._room(which)
        if has_failed:
            room.fail("its table is gone")
        else:
            room.close()

    def _room(self, which: int) -> Room:
        room_ids = sorted(self.rooms)
        return self.rooms[room_ids[which % len(room_ids)]]

    # Answers: some change what is kept, so they are not asked for after every step.

    def choose(self, tried: set[str]) -> None:
        assert self.fleet.choose(tried) == self.naive.choose(tried)

    def look(self) -> None:
        lost = [room for base in self.fleet.lost() for room in self.in_use.at(base)]
        due = [
            room.room_id
            for room in self.in_use.oldest_first(lost)
            if room.is_from_fleet and room.room_id not in self.naive.foreign
        ]
        assert due == self.naive.lost_rooms()

    def agree(self) -> None:
        """Compare what is asked about single tables."""
        naive = self.naive
        assert self.fleet.announced() == [(url, naive.lives(url)) for url in naive.tables]
        known = {base_url(url) for url in naive.tables}
        for url in URLS:
            assert self.fleet.knows(url) == (base_url(url) in known)
            assert self.fleet.is_lost(url) == naive.is_lost(url)
            assert self.fleet.has_left(url) == naive.has_left(url)
            assert [room.room_id for room in self.in_use.at(url)] == naive.at(url)
            assert self.in_use.has(url) == any(
                _plain(room.table_card_url) == _plain(url) for room in naive.placed()
            )

    def finish(self) -> None:
        """Compare all tables in the order of their choice."""
        tried: set[str] = set()
        while (url := self.fleet.choose(tried)) is not None:
            assert url == self.naive.choose(tried)
            tried.add(url)
        assert self.naive.choose(tried) is None
        self.look()


def _plain(url: str) -> str:
    return url.removesuffix(CARD).rstrip("/").lower().replace(":80", "")


def take_step(fleet: Allocation, rng: Random) -> None:
    """Do something to the fleet, rare things as often as common ones."""
    url, address, which = rng.choice(URLS), rng.choice(["", *URLS]), rng.randrange(5)
    tried = set(rng.sample(URLS, rng.randrange(3)))
    yes, bound = rng.random() < 0.5, rng.choice([False, True, True])
    steps: list[Callable[[], None]] = [
        lambda: fleet.wait(rng.choice(TIMES)),
        lambda: fleet.announce(url, is_busy=yes, is_expected=bound),
        lambda: fleet.leave(url, "soon" if yes else "now"),
        lambda: fleet.expect(url),
        lambda: fleet.add(which, address, bound=bound, is_own=yes),
        lambda: fleet.overwrite(which, address, bound=bound, is_own=yes),
        lambda: fleet.remove(which),
        lambda: fleet.place(which, url, tried),
        lambda: fleet.change(which, address, rng.randrange(4)),
        lambda: fleet.end(which, has_failed=yes),
        lambda: fleet.choose(tried),
        fleet.look,
    ]
    rng.choice(steps)()


@pytest.mark.parametrize("seed", range(12))
def test_long_walks_agree(seed: int) -> None:
    rng = Random(seed)
    fleet = Allocation(LIMITS[seed % len(LIMITS)], 4)
    for _ in range(500):
        if not fleet.rooms:
            fleet.add(0, URLS[0], bound=True, is_own=True)
        take_step(fleet, rng)
        fleet.agree()
    fleet.finish()


def test_a_table_that_a_room_may_return_to_is_not_free() -> None:
    """Else two rooms were there, when the next table does not take the one that leaves."""
    fleet, in_use = Fleet(lambda: 0.0, timedelta(seconds=10)), TablesInUse()
    in_use.report_to(fleet)
    fleet.announce(URLS[0])
    room = new_room()
    room.take_from_fleet(URLS[0])
    in_use.add(room)
    with in_use.held(URLS[0]):
        room.take_from_fleet(URLS[1])
        assert fleet.choose(()) is None
        room.return_to(TablePlace(URLS[0], "", is_keyed=True))
    assert fleet.choose(()) is None
    room.take_from_fleet(URLS[1])
    assert fleet.choose(()) == URLS[0]
