"""Announced tables: who is alive, and who is next."""

from datetime import timedelta

import pytest
from casino_lobby.fleet import Fleet, base_url

CARD = "/.well-known/agent-card.json"


class Time:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """Return it."""
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
    """Then the lobby looks elsewhere."""
    assert fleet.choose(()) is None


def test_the_longest_here_is_first(fleet: Fleet) -> None:
    """Announcing again does not change one's place."""
    for name in ("a", "b", "a"):
        fleet.announce(f"http://{name}{CARD}")
    assert fleet.choose(()) == f"http://a{CARD}"
    assert fleet.choose({f"http://a{CARD}"}) == f"http://b{CARD}"
    assert fleet.choose({f"http://a{CARD}", f"http://b{CARD}"}) is None


def test_rooms_are_spread_over_processes(fleet: Fleet) -> None:
    """Not filled up one after the other."""
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
    """Its card's, or its own."""
    fleet.announce(f"http://a{CARD}")
    assert fleet.choose({"http://a/"}) is None


def test_who_is_silent_gets_no_room(fleet: Fleet, time: Time) -> None:
    """Until it is heard again; then it stands at the end."""
    assert fleet.announce("http://a")
    time.now = 20
    assert fleet.announce("http://b")
    time.now = 31
    assert fleet.choose(()) == "http://b"
    assert not fleet.announce("http://b")
    assert fleet.announce("http://a")
    assert fleet.choose(()) == "http://b"


def test_a_flood_of_announcements_takes_no_more_than_its_share(fleet: Fleet) -> None:
    """The oldest are forgotten."""
    for number in range(10_001):
        fleet.announce(f"http://host{number}")
    assert fleet.choose(()) == "http://host1"
