"""The lease of a table: until when it may ask players."""

from math import inf

import pytest
from casino_table.errors import LeaseOver
from casino_table.play.lease import Lease


def test_without_a_grant_there_is_no_limit() -> None:
    for lease in (Lease(), Lease.of_configuration(10, None), Lease.of_journal(None)):
        assert not lease.is_limited
        assert lease.is_valid(1e12)
        assert lease.left_s(5) == inf
        lease.require(1e12)


def test_a_lease_runs_from_the_moment_of_the_announcement() -> None:
    """Not from its answer; at its end it is over."""
    lease = Lease.of_configuration(100, 4_000)
    assert lease.is_limited
    assert lease.is_valid(103.9)
    assert not lease.is_valid(104)
    lease.grant(102, 4_000)
    assert lease.left_s(104) == 2
    assert lease.is_valid(105.9)
    with pytest.raises(LeaseOver):
        lease.require(106)


def test_an_older_answer_changes_nothing() -> None:
    """However late it arrives; a newer one counts, even if it grants less."""
    lease = Lease()
    lease.grant(200, 4_000)
    lease.grant(190, 60_000)
    assert not lease.is_valid(204)
    lease.grant(190, 1)
    assert lease.is_valid(203)
    lease.grant(201, 1_000)
    assert not lease.is_valid(203)


def test_a_recovered_table_waits_for_an_answer() -> None:
    """Its room may have moved while it was away."""
    lease = Lease.of_journal(4_000)
    assert not lease.is_valid(0)
    lease.grant(50, 4_000)
    assert lease.is_valid(53)


def test_a_lifted_lease_has_no_limit() -> None:
    lease = Lease.of_configuration(100, 4_000)
    lease.lift()
    assert lease.is_valid(1e12)
    lease.grant(50, 4_000)
    assert not lease.is_valid(54)


def test_a_surrendered_lease_is_over_for_good() -> None:
    """No answer that is still under way gives it back."""
    lease = Lease.of_configuration(100, 4_000)
    lease.surrender()
    lease.grant(200, 4_000)
    lease.lift()
    assert not lease.is_valid(100)
