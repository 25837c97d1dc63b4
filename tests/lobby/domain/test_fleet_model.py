"""The indexed fleet answers as one that walks all rooms and tables, whatever happens to them."""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from casino_agentkit import CommandRefused
from casino_lobby.domain.fleet import Fleet, base_url
from casino_lobby.domain.fleet_limits import FleetLimits
from casino_lobby.domain.room import Room
from casino_lobby.domain.table_address import TablePlace
from casino_lobby.domain.tables_in_use import TablesInUse
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from support.casino.store_side import new_room

from .naive_fleet import NaiveFleet, order_of

CARD = "/.well-known/agent-card.json"
URLS = [
    *(f"http://{host}/tables/{number}{CARD}" for host in "ab" for number in range(2)),
    "http://a/tables/0",  # the same table as the first
    "http://A:80/tables/9/",  # the same origin
]
TIMES = [0.0, 0.1, 1.0, 4.9, 5.0, 5.1, 10.0, 10.1, 50.0, 99.0, 101.0]
"""Around half of the silence of 10 s, the silence, and ten times the silence."""
LIMITS = [None, (4, 2), (3, 3), (256, 16)]
URL = st.sampled_from(URLS)
ADDRESS = st.sampled_from(["", *URLS])
BOUND = st.sampled_from([False, None, True])
NUMBER = st.integers(0, 4)


class Allocation(RuleBasedStateMachine):
    """Announcements, goodbyes, silences, and rooms that come, move and end."""

    @initialize(limits=st.sampled_from(LIMITS), placed=st.integers(0, 4))
    def begin(self, limits: tuple[int, int] | None, placed: int) -> None:
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

    @rule(seconds=st.sampled_from(TIMES))
    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds

    @rule(url=URL, is_busy=st.booleans(), is_expected=st.booleans())
    def announce(self, url: str, *, is_busy: bool, is_expected: bool) -> None:
        """Announce a table, perhaps that of a room."""
        became: bool | None = None
        with suppress(CommandRefused):
            became = self.fleet.announce(url, is_busy=is_busy)
        assert became == self.naive.announce(url, is_busy=is_busy)
        if is_expected:
            self.expect(url)

    @rule(url=URL, when=st.sampled_from(["soon", "now"]))
    def leave(self, url: str, when: Any) -> None:
        """Say goodbye."""
        self.fleet.leave(url, when)
        self.naive.leave(url, when)

    @rule(url=URL)
    def expect(self, url: str) -> None:
        """Hear of the table of a room."""
        self.fleet.expect(url)
        self.naive.expect(url)

    # Rooms.

    @rule(number=NUMBER, url=ADDRESS, bound=BOUND, is_own=st.booleans())
    def add(self, number: int, url: str, *, bound: bool | None, is_own: bool) -> None:
        """Add a room, or read it again in place of the one with its id."""
        room = new_room(f"r{number}")
        room.table_card_url, room.is_from_fleet = url, bound
        self.rooms[room.room_id] = room
        self._keep(room, is_own=is_own)

    @precondition(lambda self: self.rooms)
    @rule(which=NUMBER, url=ADDRESS, bound=BOUND, is_own=st.booleans())
    def overwrite(self, which: int, url: str, *, bound: bool | None, is_own: bool) -> None:
        """Give a room the state of another object, which reports nothing, and add it again."""
        room = self._room(which)
        other = new_room(room.room_id)
        other.table_card_url, other.is_from_fleet = url, bound
        vars(room).update(vars(other))
        self._keep(room, is_own=is_own)

    def _keep(self, room: Room, *, is_own: bool) -> None:
        (self.naive.foreign.discard if is_own else self.naive.foreign.add)(room.room_id)
        self.in_use.add(room, is_own=is_own)

    @precondition(lambda self: self.rooms)
    @rule(which=NUMBER)
    def remove(self, which: int) -> None:
        """Remove a room twice."""
        room = self._room(which)
        del self.rooms[room.room_id]
        self.in_use.remove(room)
        self.in_use.remove(room)
        room.take_from_fleet(URLS[0])  # concerns nobody any more

    @precondition(lambda self: self.rooms)
    @rule(which=NUMBER, url=URL, tried=st.sets(URL, max_size=2))
    def place(self, which: int, url: str, tried: set[str]) -> None:
        """Give a room the table that is chosen, or some other one."""
        self._room(which).take_from_fleet(self.fleet.choose(tried) or url)

    @precondition(lambda self: self.rooms)
    @rule(which=NUMBER, url=ADDRESS, what=st.integers(0, 4))
    def change(self, which: int, url: str, what: int) -> None:
        """Change the address of a room."""
        room = self._room(which)
        match what:
            case 0:
                room.return_to(TablePlace(url, None, is_keyed=True))
            case 1:
                room.move_table(url)
            case 2:
                room.release_table()
            case 3:
                room.launch_table()
            case _:
                room.join_fleet()

    @precondition(lambda self: self.rooms)
    @rule(which=NUMBER, has_failed=st.booleans())
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

    @rule(tried=st.sets(URL))
    def choose(self, tried: set[str]) -> None:
        """Compare the choice after the same attempts."""
        assert self.fleet.choose(tried) == self.naive.choose(tried)

    @rule()
    def look(self) -> None:
        """Compare the rooms whose table is lost."""
        lost = [room for base in self.fleet.lost() for room in self.in_use.at(base)]
        due = [
            room.room_id
            for room in self.in_use.oldest_first(lost)
            if room.is_from_fleet and room.room_id not in self.naive.foreign
        ]
        assert due == self.naive.lost_rooms()

    @invariant()
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

    def teardown(self) -> None:
        """Compare all tables in the order of their choice."""
        tried: set[str] = set()
        while (url := self.fleet.choose(tried)) is not None:
            assert url == self.naive.choose(tried)
            tried.add(url)
        assert self.naive.choose(tried) is None
        self.look()


def _plain(url: str) -> str:
    return url.removesuffix(CARD).rstrip("/").lower().replace(":80", "")


TestAllocation = Allocation.TestCase
TestAllocation.settings = settings(
    max_examples=30, stateful_step_count=40, deadline=None, derandomize=True
)


def take_step(fleet: Allocation, rng: Random) -> None:
    """Do something to the fleet, rare things as often as common ones."""
    url, address, which = rng.choice(URLS), rng.choice(["", *URLS]), rng.randrange(5)
    tried = set(rng.sample(URLS, rng.randrange(3)))
    yes, bound = rng.random() < 0.5, rng.choice([False, None, True, True])
    steps: list[Callable[[], None]] = [
        lambda: fleet.wait(rng.choice(TIMES)),
        lambda: fleet.announce(url, is_busy=yes, is_expected=bound is True),
        lambda: fleet.leave(url, "soon" if yes else "now"),
        lambda: fleet.expect(url),
        lambda: fleet.add(which, address, bound=bound, is_own=yes),
        lambda: fleet.overwrite(which, address, bound=bound, is_own=yes),
        lambda: fleet.remove(which),
        lambda: fleet.place(which, url, tried),
        lambda: fleet.change(which, address, rng.randrange(5)),
        lambda: fleet.end(which, has_failed=yes),
        lambda: fleet.choose(tried),
        fleet.look,
    ]
    rng.choice(steps)()


@pytest.mark.parametrize("seed", range(12))
def test_long_walks_agree(seed: int) -> None:
    """Hypothesis finds short examples; these are long, and every step is as likely as others."""
    rng = Random(seed)
    fleet = Allocation()
    fleet.begin(LIMITS[seed % len(LIMITS)], 4)
    for _ in range(500):
        if not fleet.rooms:
            fleet.add(0, URLS[0], bound=True, is_own=True)
        take_step(fleet, rng)
        fleet.agree()
    fleet.teardown()
