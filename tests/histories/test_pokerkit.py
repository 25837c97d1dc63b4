"""pokerkit reads what is written, plays it again, and comes to the same stacks.

The long form, with 10,000 hands, is `bench/matches/histories.py`. The deviations of pokerkit 0.7.7
are recognized by the hand, and counted; no hand is left out.
"""

import warnings
from collections import Counter

import pytest
from casino_histories import HandHistory
from casino_histories.writing.phh import phh
from casino_histories.writing.pokerstars import pokerstars_text
from pokerkit import HandHistory as TheirHistory
from support.histories.pokerkit_deviations import deviation_of
from support.histories.random_hands import random_hand

HANDS = 300


def replayed(text: str) -> tuple[int, ...] | None:
    """Return the stacks after pokerkit has played a PHH again; None if it cannot."""
    try:
        *_, state = TheirHistory.loads(text)
    except ValueError:
        return None
    assert not state.status
    return tuple(state.stacks)


def test_pokerkit_agrees_with_every_phh() -> None:
    """Except in the situations in which its rules deviate: those are few, and loaded as well."""
    deviating: Counter[str] = Counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about cards that it did not shuffle
        for number in range(HANDS):
            hand = random_hand(number)
            text = phh(hand)
            assert TheirHistory.loads(text).finishing_stacks == list(hand.finishing_stacks)
            if replayed(text) != hand.finishing_stacks:
                deviation = deviation_of(hand)
                assert deviation is not None, text
                deviating[deviation] += 1
    assert deviating.total() <= HANDS * 0.03, deviating


def test_a_file_has_numbered_hands() -> None:
    """Its hands are read one after the other."""
    text = "".join(f"[{number}]\n{phh(random_hand(number))}\n" for number in range(1, 6))
    hands = list(TheirHistory.loads_all(text))
    assert [hand.hand for hand in hands] == [1, 2, 3, 4, 5]


def test_decimals_are_exact() -> None:
    hand = random_hand(7, decimals=2)
    stacks = TheirHistory.loads(phh(hand)).starting_stacks
    assert [stack * 100 for stack in stacks] == [seat.stack for seat in hand.seats]


def without_antes(first: int, count: int) -> list[HandHistory]:
    """Return hands that pokerkit's reader of PokerStars text can read: it skips antes."""
    hands = (random_hand(number) for number in range(first, first + 4 * count))
    return [hand for hand in hands if not hand.ante][:count]


def test_pokerkit_reads_the_text_of_pokerstars() -> None:
    """It plays each hand again and comes to the same stacks."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for hand in without_antes(0, 60):
            (theirs,) = TheirHistory.from_pokerstars(pokerstars_text(hand), error_status=True)
            *_, state = theirs
            if tuple(state.stacks) != hand.finishing_stacks:
                assert deviation_of(hand) is not None, pokerstars_text(hand)


@pytest.mark.parametrize("count", [5])
def test_pokerkit_separates_the_hands_of_a_file(count: int) -> None:
    text = "\n\n".join(pokerstars_text(hand) for hand in without_antes(100, count)) + "\n\n"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert len(list(TheirHistory.from_pokerstars(text, error_status=True))) == count
