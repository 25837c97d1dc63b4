"""Ranks are bands: what the intervals allow, all of them together."""

import random
from itertools import combinations
from math import sqrt

import pytest
from casino_match.leagues.pair_result import PairResult
from casino_match.leagues.rating import (
    RatedPlayer,
    Rating,
    matrix,
    ranking,
    simultaneous_quantile,
)
from support.matches.results import match_result

NAMES = ["a", "b", "c"]


def results(
    a_b: float, a_c: float, b_c: float, error: float | None = 1.0, hands: int = 4_000
) -> list[PairResult]:
    """Return the results of three players."""
    rates = (a_b, a_c, b_c)
    pairs = combinations(NAMES, 2)
    return [
        PairResult(first, second, rate, error, hands)
        for (first, second), rate in zip(pairs, rates, strict=True)
    ]


def bands(played: list[PairResult], names: list[str] = NAMES) -> dict[str, tuple[int, int]]:
    rating = Rating(names, played)
    return {name: rating.band(name) for name in names}


def test_players_that_are_far_apart_have_a_rank_each() -> None:
    assert bands(results(30, 60, 30)) == {"a": (1, 1), "b": (2, 2), "c": (3, 3)}


def test_players_that_luck_cannot_tell_apart_share_a_band() -> None:
    """Who is surely worse than both has a rank alone."""
    assert bands(results(0.5, 60, 60)) == {"a": (1, 2), "b": (1, 2), "c": (3, 3)}
    assert bands(results(0, 0, 0, error=0)) == dict.fromkeys(NAMES, (1, 3))


def test_who_beats_whom_in_a_circle_is_no_rank() -> None:
    """Each is better than one and worse than one; the means are equal."""
    circle = results(30, -30, 30)
    assert bands(circle) == dict.fromkeys(NAMES, (1, 3))
    assert [pair.verdict for pair in matrix(NAMES, circle)] == ["better", "worse", "better"]


def test_the_difference_of_two_counts_their_own_match_twice() -> None:
    """Its variance is that of all matches of the two, by hand: 2² + 1 + 1 of 1, each over 2²."""
    critical = simultaneous_quantile(3) * sqrt(4 + 1 + 1) / 2
    for excess, expected in ((1.001, True), (0.999, False)):
        # a against b: (rate(a, c) + 2 rate(a, b) - rate(b, c)) / 2
        rating = Rating(NAMES, results(critical * excess, 0, 0))
        assert rating.is_better("a", "b") is expected
        assert not rating.is_better("b", "a")


def test_without_an_interval_nothing_is_sure() -> None:
    played = results(300, 600, 300, error=None)
    assert bands(played) == dict.fromkeys(NAMES, (1, 3))
    assert {pair.verdict for pair in matrix(NAMES, played)} == {"undecided"}
    (entry, *_) = ranking([RatedPlayer(name, "style:x") for name in NAMES], played, 0)
    assert entry.interval is None


def test_a_player_is_provisional_below_its_hands_or_before_all_matches() -> None:
    """Those who have not played the same opponents are not compared."""
    players = [RatedPlayer(name, f"style:{name}", "v") for name in NAMES]
    whole = ranking(players, results(30, 60, 30, hands=2_500), 5_000)
    assert [entry.is_provisional for entry in whole] == [False] * 3
    assert [entry.is_provisional for entry in ranking(players, results(30, 60, 30), 8_001)] == (
        [True] * 3
    )
    (first, second, _) = results(30, 60, 30, hands=9_000)
    part = {entry.name: entry for entry in ranking(players, [first, second], 5_000)}
    assert [part[name].is_provisional for name in NAMES] == [False, True, True]
    assert (part["a"].rank, part["a"].worst_rank) == (1, 3)
    assert (part["b"].rank, part["c"].rank) == (1, 2)  # both have played `a` alone
    assert part["a"].hands == 18_000
    nobody = ranking(players, [], 5_000)
    assert {(entry.rank, entry.worst_rank, entry.bb_per_100) for entry in nobody} == {(1, 3, 0.0)}


def test_the_table_has_the_means_and_their_intervals() -> None:
    table = ranking([RatedPlayer(name, "x") for name in NAMES], results(10, 20, 0), 0)
    assert [(entry.name, entry.bb_per_100) for entry in table] == [
        ("a", 15.0),
        ("b", -5.0),
        ("c", -10.0),
    ]
    assert table[0].interval is not None
    half = 1.959964 * sqrt(2) / 2
    assert table[0].interval.high - 15 == pytest.approx(half)


def test_a_match_says_what_its_deciding_estimate_says() -> None:
    """Of its two intervals the wider one counts."""
    result = match_result(["a", "b"], rate=12, decks=2_500)
    pair = PairResult.of(result, "m")
    estimate = result.pairs[0].estimates[-1]
    assert estimate.bootstrap is not None
    assert (pair.first, pair.second, pair.rate, pair.hands) == ("a", "b", 12, 5_000)
    width = estimate.bootstrap.high - estimate.bootstrap.low
    assert pair.error == pytest.approx(width / 2 / 1.959964, rel=1e-6)
    assert PairResult.of(match_result(["a", "b"], decks=29)).error is None
    with pytest.raises(ValueError, match="two players"):
        PairResult.of(match_result(NAMES))


def test_the_bands_hold_the_true_ranks_in_95_percent_of_leagues() -> None:
    """Of 400 leagues of five, two of whom are equal; and they are narrower than no band at all."""
    chance = random.Random(18)
    truth = {"a": 6.0, "b": 2.0, "c": 2.0, "d": -2.0, "e": -8.0}
    names = list(truth)
    held, width, leagues = 0, 0, 400
    for _ in range(leagues):
        played = [
            PairResult(one, other, chance.gauss(truth[one] - truth[other], 2.0), 2.0, 1_000)
            for one, other in combinations(names, 2)
        ]
        found = bands(played, names)
        width += sum(worst - best for best, worst in found.values())
        held += all(
            best <= 1 + sum(other > own for other in truth.values())
            and worst >= len(names) - sum(other < own for other in truth.values())
            for (best, worst), own in zip(found.values(), truth.values(), strict=True)
        )
    assert held >= 0.95 * leagues
    assert width < leagues * 5 * 2
