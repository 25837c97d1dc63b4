"""The rule: which records may be deleted so that the newest hands stay."""

from casino_table.journal.disk_log import HandRetention
from casino_table.journal.journal_log import CONFIGURED, SETTLED


def noted(keep: int, hands: int) -> HandRetention:
    """Return the rule after hands of ten records each: hand 1 is settled at record 11."""
    retention = HandRetention(keep)
    retention.note(1, CONFIGURED, 0)
    for number in range(1, hands + 1):
        retention.note(1 + 10 * number, SETTLED, number)
    return retention


def test_a_tenth_more_than_wanted_is_stored() -> None:
    """Then the hands before the wanted ones are deleted together."""
    assert noted(100, 110).surplus() is None
    # Hand 12 is the oldest of the newest 100; it begins at the record that settles hand 11.
    assert noted(100, 111).surplus() == 1 + 10 * 11


def test_the_slack_is_between_one_hand_and_a_hundred() -> None:
    assert [HandRetention(keep).slack for keep in (3, 100, 1000, 1_000_000)] == [1, 10, 100, 100]


def test_a_commit_deletes_a_bounded_number_of_hands() -> None:
    """After a lobby was away for long, the next hands delete the rest."""
    retention = noted(100, 250)
    deleted = []
    for number in range(251, 260):
        first = retention.surplus()
        if first is not None:
            before = len(retention)
            retention.forget_before(first)
            deleted.append(before - len(retention))
        retention.note(1 + 10 * number, SETTLED, number)
    assert deleted == [20, 20, 20, 20, 20, 20, 20, 17]
    assert retention.surplus() is None
    assert len(retention) == 102


def test_what_a_new_epoch_voids_is_not_counted() -> None:
    retention = noted(3, 12)
    retention.note(122, CONFIGURED, 9, cancelled=8)
    assert len(retention) == 8
    retention.note(132, SETTLED, 10)
    # Of the newest three (10, 9, 7) the oldest begins at the record that settles hand 6.
    assert retention.first_needed() == 1 + 10 * 6


def test_a_cancelled_hand_that_was_not_completed_voids_nothing() -> None:
    retention = noted(3, 8)
    retention.note(82, CONFIGURED, 9, cancelled=9)
    assert len(retention) == 8


def test_a_hand_begins_at_the_newest_state_before_it() -> None:
    """Which need not be the hand before."""
    retention = noted(3, 0)
    retention.note(5, "session", 0)
    retention.note(9, SETTLED, 1)
    assert retention.first_needed() == 5


def test_nothing_is_needed_without_a_hand() -> None:
    retention = noted(3, 0)
    assert (retention.first_needed(), retention.surplus()) == (None, None)
    retention = noted(3, 20)
    retention.forget_before(202)
    assert (retention.first_needed(), retention.surplus(), len(retention)) == (None, None, 0)
    retention.note(202, CONFIGURED, 0)
    retention.note(210, SETTLED, 1)
    assert retention.first_needed() == 202
