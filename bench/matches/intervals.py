"""How often the statistics of a match are right, in simulated matches whose truth is known.

Prints one JSON line. `coverage`: how many percent of the intervals hold the truth, by estimator and
kind, and of all pairs of four players at once. `bias`: the mean error of each estimator, in
standard errors of that mean. `sprt`: at the low hypothesis, between both and at the high one, how
many percent were accepted, in how many decks, and how often the interval at the stop holds.

With `--styles` the decks are drawn again from those of a match between two styles, and only
coverage and bias of single intervals are printed.

Limits: 93 to 97 % of single intervals and at least 93 % of simultaneous ones hold; no bias beyond
3.5 standard errors; wrong decisions within the promised errors and two standard errors of counting.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from casino_match.domain.plan import StopRule
from casino_match.statistics.adjustment import PastFit
from casino_match.statistics.deck_values import DeckValues, Moments
from casino_match.statistics.estimates import HEADLINE, RESAMPLES, Sample
from casino_match.statistics.sequential import anytime_quantile, sequential_test
from simulated_decks import HANDS_PER_DECK, DrawnDecks, SimulatedDecks, several_players

TRUTH = 7.0
STOP = StopRule(rule="sprt", low=0.0, high=80.0)
MOST_DECKS, BLOCK = 20_000, 50
COVERAGE, MOST_BIAS, ERRORS = (93.0, 97.0), 3.5, 2.0
_PLAYERS = 4
_PERCENT = 100


Draw = Callable[[int, int], DeckValues]
"""Draws the decks of a match by its number, and how many they are."""


@dataclass(frozen=True)
class Size:
    """How much is simulated."""

    matches: int = 1_000
    decks: int = 1_000
    resamples: int = RESAMPLES


def single(size: Size, truth: float, draw: Draw) -> dict[str, Any]:
    """Return coverage and bias of every estimator for the difference of two players."""
    holds: dict[str, int] = {}
    means: dict[str, list[float]] = {}
    for match in range(size.matches):
        sample = Sample(draw(match, size.decks), HANDS_PER_DECK, str(match), size.resamples)
        for estimate in sample.estimates((0, 1)):
            means.setdefault(estimate.estimator, []).append(estimate.bb_per_100)
            for kind in ("normal", "bootstrap"):
                interval = getattr(estimate, kind)
                held = interval is not None and interval.low <= truth <= interval.high
                name = f"{estimate.estimator} {kind}"
                holds[name] = holds.get(name, 0) + held
    return {
        "coverage": {name: _percent(count, size.matches) for name, count in holds.items()},
        "bias": {name: _bias(rates, truth) for name, rates in means.items()},
        "deviation": {name: round(float(np.std(each)), 1) for name, each in means.items()},
    }


def _bias(rates: list[float], truth: float) -> float:
    moments = Moments.of(np.array(rates))
    return round((moments.mean - truth) / moments.error, 2)


def simulated(match: int, decks: int) -> DeckValues:
    """Return the decks of a simulated match."""
    return SimulatedDecks(match, TRUTH).draw(decks)


def simultaneous(size: Size) -> float:
    """Return how many percent of matches of four players have all pairs within the intervals."""
    held = 0
    for match in range(size.matches):
        values, truths = several_players(match, _PLAYERS, size.decks)
        sample = Sample(values, _PLAYERS, str(match), size.resamples)
        reach = sample.simultaneous_quantile() or 0.0
        held += all(
            abs(moments.mean - (truths[first] - truths[second])) <= reach * moments.error
            for first, second in sample.pairs
            for moments in [sample.moments(HEADLINE, (first, second))]
        )
    return _percent(held, size.matches)


def sequential(truth: float, matches: int) -> dict[str, float]:
    """Return what the sequential test decided about players with a known difference."""
    ends = [_played_until_decided(truth, match) for match in range(matches)]
    return {
        "low": _percent(sum(end.accepted == "low" for end in ends), matches),
        "high": _percent(sum(end.accepted == "high" for end in ends), matches),
        "decks": round(float(np.mean([end.decks for end in ends]))),
        "interval_holds": _percent(sum(end.holds for end in ends), matches),
    }


@dataclass(frozen=True, slots=True)
class _End:
    accepted: str
    decks: int
    holds: bool


def _played_until_decided(truth: float, match: int) -> _End:
    decks, past, difference = SimulatedDecks(match, truth), PastFit(), Moments()
    while difference.count < MOST_DECKS:
        values = past.adjust(decks.draw(BLOCK, difference.count))
        difference += Moments.of(values[:, 0] - values[:, 1])
        if sequential_test(STOP, difference).accepted != "none":
            break
    half = difference.error * anytime_quantile(difference.count, MOST_DECKS)
    accepted = sequential_test(STOP, difference).accepted
    return _End(accepted, difference.count, abs(difference.mean - truth) <= half)


def _percent(count: int, of: int) -> float:
    return round(_PERCENT * count / of, 1)


def faults(report: dict[str, Any]) -> list[str]:
    """Return which limits a report breaks.

    >>> faults({"matches": 1_000, "coverage": {"plain normal": 92.9}, "bias": {"plain": 4.0},
    ...         "simultaneous": 95.0, "sprt": {"low": {"high": 9.0}, "high": {"low": 1.0}}})
    ['coverage of plain normal: 92.9 %', 'bias of plain: 4.0', 'accepts high at low: 9.0 %']
    """
    counting = ERRORS * _PERCENT * sqrt(STOP.alpha * (1 - STOP.alpha) / report["matches"])
    most = _PERCENT * STOP.alpha + counting
    wrong = {
        "accepts high at low": report["sprt"]["low"]["high"],
        "accepts low at high": report["sprt"]["high"]["low"],
    }
    low, high = COVERAGE
    return [
        *(
            f"coverage of {name}: {percent} %"
            for name, percent in report["coverage"].items()
            if not low <= percent <= high
        ),
        *(
            f"bias of {name}: {errors}"
            for name, errors in report["bias"].items()
            if abs(errors) > MOST_BIAS
        ),
        *(["simultaneous intervals"] if report["simultaneous"] < low else []),
        *(f"{name}: {percent} %" for name, percent in wrong.items() if percent > most),
    ]


def main(matches: int, decks: int, styles: Sequence[str], population: int) -> int:
    """Simulate and print; exit code 1 if a limit is broken."""
    size = Size(matches, decks)
    if styles:
        drawn = DrawnDecks(styles, population)
        sizes = {"population": population, "matches": matches, "decks": decks}
        held = single(size, drawn.truth, drawn.draw)
        print(json.dumps({"styles": styles, **sizes, "truth": drawn.truth, **held}))
        return 0
    report: dict[str, Any] = {
        "matches": matches,
        "decks": decks,
        **single(size, TRUTH, simulated),
        "simultaneous": simultaneous(size),
        "sprt": {
            name: sequential(truth, matches)
            for name, truth in (
                ("low", STOP.low),
                ("between", (STOP.low + STOP.high) / 2),
                ("high", STOP.high),
            )
        },
    }
    broken = faults(report)
    print(json.dumps({**report, "broken": broken}))
    return int(bool(broken))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=Size.matches)
    parser.add_argument("--decks", type=int, default=Size.decks)
    parser.add_argument("--styles", nargs=2, default=())
    parser.add_argument("--population", type=int, default=2_000)
    sys.exit(main(**vars(parser.parse_args())))
