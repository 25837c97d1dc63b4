"""Ranks as bands: who is surely better than whom, by the matches of a league. Pure.

A player's rate is its mean against each other player. Two players are compared by the difference of
their rates, in which the match between them counts for both. The matches are played with different
decks, so their errors are independent and the variances add up. All pairs of players are compared,
so each comparison is made at a level (Bonferroni's) at which all of them together are right in 95 %
of all leagues.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, sqrt
from statistics import NormalDist

from casino_contracts.match_results import (
    Estimate,
    HeadToHead,
    Interval,
    LeagueEntry,
    MatchResult,
    Verdict,
)

from casino_match.statistics.estimates import FEW_DECKS

_HALF_95 = NormalDist().inv_cdf(0.975)

_LEVEL = 0.05
_LEAST = 2


@dataclass(frozen=True, slots=True)
class PairResult:
    """How much better the first player is than the second, in bb/100."""

    first: str
    second: str
    rate: float
    error: float | None
    """The standard error of the rate; None if there are too few decks to know it."""
    hands: int
    match: str | None = None
    """The id of the match at a lobby."""
    decides: bool = True
    """Whether it has decks enough to say who is better."""

    @classmethod
    def of(cls, result: MatchResult, match: str | None = None) -> "PairResult":
        """Return what the deciding estimate says; raises ValueError unless two play."""
        if len(result.players) != 2 or len(result.pairs) != 1:  # noqa: PLR2004
            raise ValueError("a league is made of matches between two players")
        (pair,) = result.pairs
        (headline,) = (entry for entry in pair.estimates if entry.estimator == pair.headline)
        rate, error = headline.bb_per_100, _error(headline)
        decides = result.decks >= FEW_DECKS
        return cls(pair.first, pair.second, rate, error, result.hands, match, decides)

    @property
    def players(self) -> frozenset[str]:
        return frozenset((self.first, self.second))

    def other(self, player: str) -> str:
        return self.second if player == self.first else self.first

    def rate_of(self, player: str) -> float:
        return self.rate if player == self.first else -self.rate

    def interval(self, quantile: float) -> Interval | None:
        if self.error is None:
            return None
        half = quantile * self.error
        return Interval(low=self.rate - half, high=self.rate + half)


def _error(estimate: Estimate) -> float | None:
    """Return the wider interval's standard error: with few decks rather too large."""
    intervals = [part for part in (estimate.normal, estimate.bootstrap) if part is not None]
    if not intervals:
        return None
    return max(interval.high - interval.low for interval in intervals) / 2 / _HALF_95


@dataclass(frozen=True, slots=True)
class RatedPlayer:
    """A player of a league before it is rated."""

    name: str
    player: str
    version: str | None = None


def simultaneous_quantile(players: int) -> float:
    """Return the number of standard errors for the comparisons of so many players.

    >>> round(simultaneous_quantile(2), 2), round(simultaneous_quantile(10), 2)
    (1.96, 3.26)
    """
    comparisons = comb(max(players, _LEAST), 2)
    return NormalDist().inv_cdf(1 - _LEVEL / (2 * comparisons))


class Rating:
    """The rates of a league's players, and who is surely better; pairs may be missing."""

    def __init__(self, names: Sequence[str], results: Sequence[PairResult]) -> None:
        self._names = names
        self.quantile = simultaneous_quantile(len(names))
        self._of: Mapping[str, dict[str, PairResult]] = {
            name: {result.other(name): result for result in results if name in result.players}
            for name in names
        }

    def rate(self, name: str) -> float:
        """Return the mean rate against those that the player has played; 0 without any."""
        played = self._of[name]
        return sum(result.rate_of(name) for result in played.values()) / max(len(played), 1)

    def interval(self, name: str) -> Interval | None:
        """Return the 95 % interval of the rate by itself, None if it is not known."""
        errors = [result.error for result in self._of[name].values()]
        measured = [error for error in errors if error is not None]
        if not errors or len(measured) < len(errors):
            return None
        half = (
            simultaneous_quantile(_LEAST)
            * sqrt(sum(error**2 for error in measured))
            / len(measured)
        )
        return Interval(low=self.rate(name) - half, high=self.rate(name) + half)

    def hands(self, name: str) -> int:
        return sum(result.hands for result in self._of[name].values())

    def has_played_all(self, name: str) -> bool:
        return len(self._of[name]) == len(self._names) - 1

    def is_better(self, name: str, other: str) -> bool:
        """Return whether a rate is surely higher; against different opponents it never is."""
        mine, theirs = self._of[name], self._of[other]
        if not mine or mine.keys() - {other} != theirs.keys() - {name}:
            return False
        weight = {name: 1 / len(mine), other: -1 / len(theirs)}
        difference = variance = 0.0
        for result in {*mine.values(), *theirs.values()}:
            if result.error is None or not result.decides:
                return False
            share = weight.get(result.first, 0.0) - weight.get(result.second, 0.0)
            difference += share * result.rate
            variance += (share * result.error) ** 2
        return difference > self.quantile * sqrt(variance)

    def band(self, name: str) -> tuple[int, int]:
        """Return the best and the worst rank that a player may have."""
        others = [other for other in self._names if other != name]
        above = sum(self.is_better(other, name) for other in others)
        below = sum(self.is_better(name, other) for other in others)
        return 1 + above, len(self._names) - below


def ranking(
    players: Sequence[RatedPlayer], results: Sequence[PairResult], provisional_below: int
) -> tuple[LeagueEntry, ...]:
    """Return the table of a league, the best first."""
    rating = Rating([player.name for player in players], results)
    return tuple(
        sorted(
            (_entry(player, rating, provisional_below) for player in players),
            key=lambda entry: (-entry.bb_per_100, entry.name),
        )
    )


def _entry(player: RatedPlayer, rating: Rating, provisional_below: int) -> LeagueEntry:
    best, worst = rating.band(player.name)
    hands = rating.hands(player.name)
    return LeagueEntry(
        name=player.name,
        player=player.player,
        version=player.version,
        rank=best,
        worst_rank=worst,
        bb_per_100=rating.rate(player.name),
        interval=rating.interval(player.name),
        hands=hands,
        is_provisional=hands < provisional_below or not rating.has_played_all(player.name),
    )


def matrix(names: Sequence[str], results: Sequence[PairResult]) -> tuple[HeadToHead, ...]:
    """Return how every two players have played, by intervals that hold together."""
    quantile = simultaneous_quantile(len(names))
    of_pair = {result.players: result for result in results}
    pairs = (of_pair.get(frozenset(pair)) for pair in combinations(names, 2))
    return tuple(_head_to_head(result, quantile) for result in pairs if result is not None)


def _head_to_head(result: PairResult, quantile: float) -> HeadToHead:
    interval = result.interval(quantile)
    verdict: Verdict = "undecided"
    if result.decides and interval is not None and (interval.low > 0 or interval.high < 0):
        verdict = "better" if interval.low > 0 else "worse"
    return HeadToHead(
        first=result.first,
        second=result.second,
        bb_per_100=result.rate,
        interval=interval,
        hands=result.hands,
        verdict=verdict,
        match=result.match,
    )
