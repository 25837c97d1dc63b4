"""An independent computation of blackjack: totals, probabilities and basic strategy.

An endless shoe (each draw is one of 13 ranks, whatever came before), soft 17 stands, naturals 3:2,
double on any two cards and after a split, three hands at most, one card to split aces, the dealer
peeks. Nothing here knows our code.
"""

from collections import defaultdict
from fractions import Fraction
from functools import cache

PROBABILITY = {value: Fraction(4 if value == 10 else 1, 13) for value in range(1, 11)}
"""Of each value that can be drawn; an ace is 1."""


def best(hard: int, *, has_ace: bool) -> int:
    """Return what a hand counts, aces taken as 1 in `hard`."""
    return hard + 10 if has_ace and hard <= 11 else hard


@cache
def dealer_totals(hard: int, has_ace: bool) -> dict[int, Fraction]:  # noqa: FBT001  a state
    """Return the distribution of the dealer's final total from here, 22 standing for a bust."""
    total = best(hard, has_ace=has_ace)
    if total >= 17:
        return {min(total, 22): Fraction(1)}
    totals: dict[int, Fraction] = defaultdict(Fraction)
    for value, probability in PROBABILITY.items():
        for final, share in dealer_totals(hard + value, has_ace or value == 1).items():
            totals[final] += probability * share
    return dict(totals)


def natural_under(up: int) -> Fraction:
    """Return the chance that the hole card makes a natural."""
    return {1: PROBABILITY[10], 10: PROBABILITY[1]}.get(up, Fraction(0))


@cache
def dealer_from(up: int) -> dict[int, Fraction]:
    """Return the distribution of the dealer's total after a peek that found no natural."""
    totals: dict[int, Fraction] = defaultdict(Fraction)
    for value, probability in PROBABILITY.items():
        if {up, value} != {1, 10}:
            share = probability / (1 - natural_under(up))
            for final, part in dealer_totals(up + value, 1 in (up, value)).items():
                totals[final] += share * part
    return dict(totals)


def strategy(total: int, up: int, *, is_soft: bool, can_double: bool) -> str:
    """Return what basic strategy does with a hand that is not split."""
    against = 11 if up == 1 else up
    if can_double:
        doubles = (
            {13: (5, 6), 14: (5, 6), 15: (4, 6), 16: (4, 6), 17: (3, 6), 18: (3, 6)}
            if is_soft
            else {9: (3, 6), 10: (2, 9), 11: (2, 10)}
        )
        low, high = doubles.get(total, (99, 0))
        if low <= against <= high:
            return "double"
    if is_soft:
        return "stand" if total >= 19 or (total == 18 and against <= 8) else "hit"
    if total >= 17 or (total >= 13 and against <= 6) or (total == 12 and 4 <= against <= 6):
        return "stand"
    return "hit"


def splits(value: int, up: int) -> bool:
    """Tell whether basic strategy splits a pair, where doubling after a split is allowed."""
    against = 11 if up == 1 else up
    highest = {2: 7, 3: 7, 6: 6, 7: 7, 9: 9, 1: 11, 8: 11}.get(value, 0)
    lowest = 5 if value == 4 else 2
    if value == 4:
        highest = 6
    return lowest <= against <= highest and not (value == 9 and against == 7)


@cache
def stand(total: int, up: int) -> float:
    if total > 21:
        return -1.0
    return float(
        sum(
            share * (1 if final == 22 or total > final else -1 if total < final else 0)
            for final, share in dealer_from(up).items()
        )
    )


@cache
def played(hard: int, has_ace: bool, up: int, can_double: bool) -> float:  # noqa: FBT001  a state
    """Return the expected value of playing a hand on, by the strategy."""
    total = best(hard, has_ace=has_ace)
    if total >= 21:
        return stand(total, up)
    decision = strategy(total, up, is_soft=total != hard, can_double=can_double)
    if decision == "stand":
        return stand(total, up)
    value = 0.0
    for card, probability in PROBABILITY.items():
        after = hard + card, has_ace or card == 1
        value += float(probability) * (
            2 * stand(best(after[0], has_ace=after[1]), up)
            if decision == "double"
            else played(*after, up, False)
        )
    return value


@cache
def after_split(value: int, up: int, waiting: int, hands: int) -> float:
    """Return the expected value of `waiting` single cards of split hands, `hands` in all."""
    if not waiting:
        return 0.0
    sum_of_cards = 0.0
    for card, probability in PROBABILITY.items():
        if value == 1:
            here = stand(best(1 + card, has_ace=True), up) + after_split(1, up, waiting - 1, hands)
        elif card == value and hands < 3:
            here = after_split(value, up, waiting + 1, hands + 1)
        else:
            here = played(value + card, card == 1, up, True)
            here += after_split(value, up, waiting - 1, hands)
        sum_of_cards += float(probability) * here
    return sum_of_cards


def expected_value() -> float:
    """Return what a chip bet on a round wins on average, negative as it is."""
    value = 0.0
    for up, of_up in PROBABILITY.items():
        natural = float(natural_under(up))
        for first, of_first in PROBABILITY.items():
            for second, of_second in PROBABILITY.items():
                if {first, second} == {1, 10}:
                    here = (1 - natural) * 1.5
                elif first == second and splits(first, up):
                    here = (1 - natural) * after_split(first, up, 2, 2) - natural
                else:
                    has_ace = 1 in (first, second)
                    here = (1 - natural) * played(first + second, has_ace, up, True) - natural
                value += float(of_up * of_first * of_second) * here
    return value
