"""A seat sits out after missed decisions, and how long it waits depends on why."""

from casino_table.domain.seat import Seat


def seat() -> Seat:
    return Seat(0, "p0", "Ada", "http://p0", "act", 200)


def test_failures_in_a_row_sit_a_seat_out() -> None:
    """An answer in between resets the count; after a return one failure is enough."""
    one = seat()
    assert not one.failed(3)
    assert not one.failed(3)
    one.answered()
    assert [one.failed(3) for _ in range(3)] == [False, False, True]
    assert one.sits_out
    one.came_back(3)
    assert one.failed(3)


def test_only_an_agent_that_fails_waits_longer_each_time() -> None:
    """Absence lengthens no wait, not even that of a later failure."""
    one = seat()
    for _ in range(4):
        assert one.failed(1, is_away=True)
        assert (one.sits_out, one.is_away, one.rounds_to_wait) == (True, True, 0)
        one.came_back(1)
        assert not one.is_away
    waits = []
    for _ in range(3):
        assert one.failed(1)
        assert not one.is_away
        waits.append(one.rounds_to_wait)
        one.came_back(1)
    assert waits == [1, 2, 4]


def test_the_last_missed_decision_says_why_a_seat_sits_out() -> None:
    one = seat()
    assert not one.failed(2)
    assert one.failed(2, is_away=True)
    assert one.is_away
    one.came_back(2)
    assert one.failed(2)
    assert not one.is_away
