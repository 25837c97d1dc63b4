"""One address cannot send more commands than it may, whatever the others do."""

import pytest
from casino_agentkit import Refusal
from casino_lobby.limits import CommandLimit


class Time:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        """Return the time in seconds."""
        return self.now


def refused(limit: CommandLimit, address: str = "192.0.2.1") -> int:
    """Take one too many; returns the seconds to wait."""
    with pytest.raises(Refusal) as refusal:
        limit.take(address)
    assert refusal.value.reason == "TOO_MANY_REQUESTS"
    return int(refusal.value.details["retryAfter"])


def test_a_bucket_is_full_at_first_and_fills_again_evenly() -> None:
    """60 a minute is one a second; what is told to wait is enough."""
    time = Time()
    limit = CommandLimit(60, time)
    for _ in range(60):
        limit.take("192.0.2.1")
    assert refused(limit) == 1
    time.now += 0.5
    assert refused(limit) == 1
    time.now += 0.5
    limit.take("192.0.2.1")
    assert refused(limit) == 1
    time.now += 3600
    for _ in range(60):
        limit.take("192.0.2.1")
    assert refused(limit) == 1


def test_the_wait_is_in_whole_seconds_and_long_enough() -> None:
    """Two a minute: half a minute."""
    time = Time()
    limit = CommandLimit(2, time)
    limit.take("192.0.2.1")
    limit.take("192.0.2.1")
    wait_s = refused(limit)
    assert wait_s == 30
    time.now += wait_s
    limit.take("192.0.2.1")


def test_addresses_do_not_pay_for_each_other() -> None:
    """But one network of IPv6 is one address; one that is none is a name."""
    limit = CommandLimit(1, Time())
    for address in ("192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8:0:1::1", "", "unix"):
        limit.take(address)
        assert refused(limit, address) == 60
    assert refused(limit, "2001:db8::ffff") == 60


def test_memory_is_bounded() -> None:
    """The address that was silent longest is forgotten first."""
    limit = CommandLimit(1, Time())
    limit.take("first")
    limit.take("kept")
    for number in range(9_999):
        limit.take(f"a{number}")
        if number == 0:
            refused(limit, "kept")
    assert len(limit._buckets) == 10_000
    assert refused(limit, "a9998") == 60
    limit.take("first")


def test_none_is_none() -> None:
    """0 means no limit."""
    limit = CommandLimit(0, Time())
    for _ in range(10_000):
        limit.take("192.0.2.1")
