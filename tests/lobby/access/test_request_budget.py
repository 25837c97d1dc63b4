"""One address cannot ask for more than it may, whatever the others do."""

import pytest
from casino_agentkit import CommandRefused
from casino_lobby.access.request_budget import READ, RequestBudget, weight_of_bytes


class Time:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def refused(budget: RequestBudget, address: str = "192.0.2.1") -> int:
    """Take one too many; returns the seconds to wait."""
    with pytest.raises(CommandRefused) as refusal:
        budget.take(address)
    assert refusal.value.reason == "TOO_MANY_REQUESTS"
    return int(refusal.value.details["retryAfter"])


def test_a_bucket_is_full_at_first_and_fills_again_evenly() -> None:
    """60 a minute is one a second; a request after the reported wait is accepted."""
    time = Time()
    budget = RequestBudget(60, time)
    for _ in range(60):
        budget.take("192.0.2.1")
    assert refused(budget) == 1
    time.now += 0.5
    assert refused(budget) == 1
    time.now += 0.5
    budget.take("192.0.2.1")
    assert refused(budget) == 1
    time.now += 3600
    for _ in range(60):
        budget.take("192.0.2.1")
    assert refused(budget) == 1


def test_addresses_do_not_pay_for_each_other() -> None:
    """But one network of IPv6 is one address; one that is none is a name."""
    budget = RequestBudget(1, Time())
    for address in ("192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8:0:1::1", "", "unix"):
        budget.take(address)
        assert refused(budget, address) == 60
    assert refused(budget, "2001:db8::ffff") == 60


def test_memory_is_bounded() -> None:
    budget = RequestBudget(1, Time())
    budget.take("first")
    budget.take("kept")
    for number in range(9_999):
        budget.take(f"a{number}")
        if number == 0:
            refused(budget, "kept")
    assert refused(budget, "a9998") == 60
    budget.take("first")


def test_commands_and_reads_pay_from_one_budget() -> None:
    """What a read returned counts; a page of 5,000 events as seven commands."""
    budget = RequestBudget(60, Time())
    for _ in range(30):
        budget.take("192.0.2.1")
    for _ in range(4):
        budget.take("192.0.2.1", READ)
        assert budget.charge("192.0.2.1", weight_of_bytes(1_750_000)) == 0
    budget.take("192.0.2.1")
    assert refused(budget) == 1  # 0.92 are left


def test_what_a_read_returned_more_is_a_debt() -> None:
    """It is paid before anything else is done, and is never longer than a minute."""
    time = Time()
    budget = RequestBudget(60, time)
    assert budget.charge("192.0.2.1", 70) == 10
    with pytest.raises(CommandRefused):
        budget.take("192.0.2.1", READ)
    assert refused(budget) == 11
    assert budget.charge("192.0.2.1", 1_000_000) == 60
    time.now += 61
    budget.take("192.0.2.1")


def test_what_costs_more_than_a_full_budget_is_done_once() -> None:
    budget = RequestBudget(10, Time())
    budget.take("192.0.2.1", 25)
    assert refused(budget) == 96


def test_a_refused_request_costs_nothing() -> None:
    time = Time()
    budget = RequestBudget(60, time)
    for _ in range(60):
        budget.take("192.0.2.1")
    for _ in range(1_000):
        assert refused(budget) == 1
    time.now += 1
    budget.take("192.0.2.1")
