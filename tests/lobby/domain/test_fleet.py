"""Announced tables: which are alive, and which is chosen next."""

from collections.abc import Callable, Sequence
from datetime import timedelta

import pytest
from casino_agentkit import CommandRefused
from casino_lobby.domain.fleet import Fleet, origin_of

CARD = "/.well-known/agent-card.json"


class Time:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def fleet(time: Time) -> Fleet:
    """Return a fleet whose tables may be silent for 30 s."""
    return Fleet(time, timedelta(seconds=30))


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
    spellings = ("http://victim/{}", "http://u{}@VICTIM/", "http://victim.:80/{}")
    taken = [
        not refused(fleet, spelling.format(number))
        for number in range(10)
        for spelling in spellings
    ]
    assert taken.count(True) == 16
    assert not refused(fleet, "http://victim:81/")
    assert not refused(fleet, "https://victim/")


def test_an_address_that_is_none_breaks_nothing(fleet: Fleet) -> None:
    assert origin_of("http://host:99999/") == "http://host:99999"
    assert origin_of("http://host:x/") == "http://host:x"
    assert fleet.announce("http://host:99999/")


def test_a_table_of_a_room_is_lost_after_its_silence(fleet: Fleet, time: Time) -> None:
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
