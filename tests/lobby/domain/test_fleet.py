"""Announced tables: which are alive, and which is chosen next."""

from collections.abc import Callable, Sequence
from datetime import timedelta

import pytest
from casino_agentkit import CommandRefused
from casino_lobby.domain.fleet import Fleet, base_url, origin_of
from casino_lobby.domain.fleet_limits import FleetLimits

CARD = "/.well-known/agent-card.json"


class Time:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time() -> Time:
    """Start at zero."""
    return Time()


@pytest.fixture
def fleet(time: Time) -> Fleet:
    """Return a fleet whose tables may be silent for 30 s."""
    return Fleet(time, timedelta(seconds=30))


def test_nobody_announced_nobody_chosen(fleet: Fleet) -> None:
    """Without announced tables none is chosen."""
    assert fleet.choose(()) is None


def test_the_longest_here_is_first(fleet: Fleet) -> None:
    """Announcing again does not change the order."""
    for name in ("a", "b", "a"):
        fleet.announce(f"http://{name}{CARD}")
    assert fleet.choose(()) == f"http://a{CARD}"
    assert fleet.choose({f"http://a{CARD}"}) == f"http://b{CARD}"
    assert fleet.choose({f"http://a{CARD}", f"http://b{CARD}"}) is None


def test_rooms_are_spread_over_processes(fleet: Fleet) -> None:
    """The process with the fewest rooms is chosen."""
    for process in ("a", "b"):
        for table in (1, 2):
            fleet.announce(f"http://{process}/tables/{table}{CARD}")
    taken: list[str] = []
    while (url := fleet.choose(taken)) is not None:
        taken.append(url)
    assert [base_url(url) for url in taken] == [
        "http://a/tables/1",
        "http://b/tables/1",
        "http://a/tables/2",
        "http://b/tables/2",
    ]


def test_a_table_is_taken_by_whatever_address_names_it(fleet: Fleet) -> None:
    """By its card's URL or by its agent's URL."""
    fleet.announce(f"http://a{CARD}")
    assert fleet.choose({"http://a/"}) is None


def test_who_is_silent_gets_no_room(fleet: Fleet, time: Time) -> None:
    """After its next announcement it is last in the order."""
    assert fleet.announce("http://a")
    time.now = 20
    assert fleet.announce("http://b")
    time.now = 31
    assert fleet.choose(()) == "http://b"
    assert not fleet.announce("http://b")
    assert fleet.announce("http://a")
    assert fleet.choose(()) == "http://b"


def refused(fleet: Fleet, url: str) -> bool:
    try:
        fleet.announce(url)
    except CommandRefused as refusal:
        return refusal.reason == "TOO_MANY_TABLES"
    return False


def flood(fleet: Fleet, url_of: Callable[[int], str], count: int = 1_000) -> bool:
    """Announce many tables; tells whether they put the one out that was there, or are known."""
    fleet.announce(f"http://ours{CARD}")
    for number in range(count):
        refused(fleet, url_of(number))
    known = [url for url, _ in fleet.announced()]
    return f"http://ours{CARD}" not in known or len(known) > 257


FLOODS: Sequence[Callable[[int], str]] = (
    lambda number: f"http://host{number}",
    lambda number: f"http://u{number}@victim",
    lambda number: f"http://victim/{number}",
    lambda number: f"http://victim:80/{number}",
)


@pytest.mark.parametrize("url_of", FLOODS)
def test_a_flood_of_announcements_changes_nothing(
    fleet: Fleet, time: Time, url_of: Callable[[int], str]
) -> None:
    """Known tables stay; without the limits the flood would take every place."""
    assert not flood(fleet, url_of)
    assert flood(Fleet(time, timedelta(seconds=30), None), url_of)
    assert fleet.choose(()) == f"http://ours{CARD}"


def test_one_origin_has_its_share(fleet: Fleet) -> None:
    """Spelling variants count as one origin, and other origins still get places."""
    spellings = ("http://victim/{}", "http://u{}@VICTIM/", "http://victim.:80/{}")
    taken = [
        not refused(fleet, spelling.format(number))
        for number in range(10)
        for spelling in spellings
    ]
    assert taken.count(True) == 16
    assert not refused(fleet, "http://victim:81/")
    assert not refused(fleet, "https://victim/")


def test_a_known_table_is_heard_though_no_place_is_left(time: Time) -> None:
    """A new one gets a place when another has been silent."""
    fleet = Fleet(time, timedelta(seconds=30), FleetLimits(tables=2))
    assert fleet.announce("http://a")
    assert fleet.announce("http://b")
    assert refused(fleet, "http://c")
    time.now = 20
    assert not fleet.announce("http://a")
    time.now = 31
    assert not refused(fleet, "http://c")
    assert [url for url, _ in fleet.announced()] == ["http://a", "http://c"]


def test_who_is_silent_for_very_long_is_forgotten(fleet: Fleet, time: Time) -> None:
    """It is removed with the next new table, and reported as silent until then."""
    fleet.announce("http://a")
    time.now = 299
    fleet.announce("http://b")
    assert fleet.announced() == [("http://a", False), ("http://b", True)]
    time.now = 301
    fleet.announce("http://c")
    assert [url for url, _ in fleet.announced()] == ["http://b", "http://c"]


def test_an_address_that_is_none_breaks_nothing(fleet: Fleet) -> None:
    """It counts as an origin of its own."""
    assert origin_of("http://host:99999/") == "http://host:99999"
    assert origin_of("http://host:x/") == "http://host:x"
    assert fleet.announce("http://host:99999/")


def test_a_table_of_a_room_is_lost_after_its_silence(fleet: Fleet, time: Time) -> None:
    """Announcements count where they are expected from; a table that nobody heard of is lost."""
    url = f"http://a{CARD}"
    assert fleet.is_lost(url)
    fleet.expect(url)
    time.now = 30
    assert not fleet.is_lost("http://a/")
    assert fleet.time_left(url) == timedelta()
    time.now = 30.001
    assert fleet.is_lost(url)
    fleet.announce(url)
    assert fleet.is_lost(url), "whose it is was not proved"
    fleet.expect(url)
    assert not fleet.is_lost(url)
    assert fleet.time_left(url) == timedelta(seconds=30)


def test_a_lease_and_a_call_end_within_the_silence(fleet: Fleet) -> None:
    """So a table asks nobody any more when the lobby takes it for lost."""
    assert fleet.lease == timedelta(seconds=24)
    assert fleet.lease + fleet.call_limit <= fleet.silence
    assert fleet.announce_within == timedelta(seconds=10)
    assert 2 * fleet.announce_within < fleet.lease


def test_who_leaves_soon_keeps_its_room_and_gets_no_other(fleet: Fleet, time: Time) -> None:
    """Its next announcement revokes that."""
    url = f"http://a{CARD}"
    fleet.announce(url)
    fleet.expect(url)
    fleet.leave(url, "soon")
    assert fleet.choose(()) is None
    assert not fleet.is_available(url)
    assert not fleet.is_lost(url)
    time.now = 1
    assert fleet.announce(url), "it became available"
    assert fleet.choose(()) == url


def test_who_leaves_now_is_lost_at_once(fleet: Fleet) -> None:
    """It is not listed; when it comes back it is like a new one."""
    url = f"http://a{CARD}"
    fleet.announce(url)
    fleet.expect(url)
    fleet.leave(url, "now")
    assert fleet.is_lost(url)
    assert fleet.has_left(url)
    assert fleet.announced() == []
    assert fleet.announce(url)
    assert fleet.choose(()) == url
    fleet.expect(url)
    assert not fleet.has_left(url)


def test_an_unknown_table_that_leaves_changes_nothing(fleet: Fleet) -> None:
    """Nothing is kept of an address that serves no room."""
    fleet.leave("http://b/", "now")
    fleet.leave("http://b/", "soon")
    assert not fleet.has_left("http://b/")
    assert fleet.choose(()) is None


def test_who_should_have_announced_itself_is_chosen_last(fleet: Fleet, time: Time) -> None:
    """It may be gone together with the table that is replaced; a busy one comes before it."""
    fleet.announce("http://a")
    time.now = 16
    fleet.announce("http://b", is_busy=True)
    assert fleet.choose(()) == "http://b"
    fleet.announce("http://c")
    assert fleet.choose(()) == "http://c"
    assert fleet.choose({"http://b", "http://c"}) == "http://a"


def test_a_table_becomes_available_when_its_room_is_over(fleet: Fleet) -> None:
    """Rooms that wait for a table try again then, and not at every announcement."""
    assert fleet.announce("http://a", is_busy=True)
    assert not fleet.announce("http://a", is_busy=True)
    assert fleet.announce("http://a")
    assert not fleet.announce("http://a")


def test_tables_of_rooms_that_are_long_over_are_forgotten(fleet: Fleet, time: Time) -> None:
    """With the next new one."""
    fleet.expect("http://a")
    fleet.expect("http://b")
    fleet.leave("http://a", "now")
    time.now = 29
    fleet.expect("http://c")
    assert not fleet.has_left("http://a")
    assert not fleet.is_lost("http://b")
