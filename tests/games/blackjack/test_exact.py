"""Blackjack's code against an independent computation.

The dealer is played over all orders of cards of an endless shoe, each weighted by its probability,
in exact fractions. Then rounds of basic strategy are played from an endless shoe: the computed edge
lies in the 99 % confidence interval of what they won. `make games-long` plays a million of them.
"""

import math
import os
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, repeat
from random import Random
from statistics import NormalDist

import pytest
from casino_games.blackjack.round import VALUES, Round, count, play_dealer
from casino_games.cards import DECK, Card
from games.blackjack.arithmetic import (
    PROBABILITY,
    dealer_from,
    expected_value,
    natural_under,
    splits,
    strategy,
)

ROUNDS = int(os.environ.get("CASINO_GAMES_ROUNDS", "50000"))
BET = 2
CARD_OF = {VALUES[card]: card for card in DECK}
"""Some card of each value."""


def our_dealer(up: int) -> dict[int, Fraction]:
    """Return the distribution of our dealer's total over all orders of cards, weighted."""
    totals: dict[int, Fraction] = defaultdict(Fraction)
    orders: list[tuple[tuple[int, ...], Fraction]] = [
        ((hole,), probability / (1 - natural_under(up)))
        for hole, probability in PROBABILITY.items()
        if {up, hole} != {1, 10}
    ]
    while orders:
        drawn, weight = orders.pop()
        cards = [CARD_OF[up], CARD_OF[drawn[0]]]
        try:
            play_dealer(
                cards, iter([CARD_OF[value] for value in drawn[1:]]), stands_on_soft_17=True
            )
        except StopIteration:  # it wants one more card: try each
            orders += [((*drawn, value), weight * share) for value, share in PROBABILITY.items()]
        else:
            assert len(cards) == len(drawn) + 1
            totals[min(count(cards)[0], 22)] += weight
    return dict(totals)


def play_round(shoe: Iterator[Card]) -> int:
    """Let our round play the strategy and return what the bet won."""
    now = Round([1000], shoe)
    now.bet(BET)
    up = VALUES[now.dealer[0]]
    while now.phase == "playing":
        total, is_soft = count(now.hand.cards)
        value = VALUES[now.hand.cards[0]]
        if now.can_split and splits(value, up):
            now.split()
            continue
        decision = strategy(total, up, is_soft=is_soft, can_double=now.can_double)
        (now.double if decision == "double" else now.stand if decision == "stand" else now.hit)()
    return now.boxes[0].won


def endless_shoe(rng: Random) -> Iterator[Card]:
    """Return cards without end, each as likely whatever came before."""
    return chain.from_iterable(rng.choices(DECK, k=10_000) for _ in repeat(None))


def interval(won: list[int], confidence: float = 0.99) -> tuple[float, float]:
    """Return the confidence interval of what a chip wins on average."""
    mean = sum(won) / len(won)
    variance = sum((one - mean) ** 2 for one in won) / (len(won) - 1)
    half = NormalDist().inv_cdf((1 + confidence) / 2) * math.sqrt(variance / len(won))
    return (mean - half) / BET, (mean + half) / BET


@pytest.mark.parametrize("up", range(1, 11))
def test_the_dealer_ends_as_often_as_arithmetic_says(up: int) -> None:
    ours = our_dealer(up)
    assert sum(ours.values()) == 1
    assert ours == dealer_from(up)


@pytest.mark.parametrize(("up", "bust"), [(2, 0.3536), (6, 0.4232), (7, 0.2623), (10, 0.2298)])
def test_the_arithmetic_agrees_with_what_is_published(up: int, bust: float) -> None:
    """The dealer's chances to bust, as in the literature (soft 17 stands, endless shoe)."""
    assert float(dealer_from(up)[22]) == pytest.approx(bust, abs=0.0001)


def test_the_edge_is_where_the_specification_says() -> None:
    assert -0.006 < expected_value() < -0.004


@pytest.fixture(scope="module")
def won() -> list[int]:
    """Return what the bets of many rounds from an endless shoe won."""
    shoe = endless_shoe(Random(2026))
    return [play_round(shoe) for _ in range(ROUNDS)]


def test_played_rounds_have_the_computed_edge(won: list[int]) -> None:
    """From an endless shoe: the exact value lies in the interval as it is."""
    low, high = interval(won)
    assert low < expected_value() < high


def test_the_interval_would_notice_a_wrong_pay(won: list[int]) -> None:
    """Naturals paid 1:1 instead of 3:2 cost more than the interval is wide."""
    _, high = interval([BET if one == 3 * BET // 2 else one for one in won])
    assert high < expected_value()
