"""What a match of two players says to a league. Pure."""

from dataclasses import dataclass
from statistics import NormalDist

from casino_contracts.match_results import Estimate, Interval, MatchResult

_HALF_95 = NormalDist().inv_cdf(0.975)


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

    @classmethod
    def of(cls, result: MatchResult, match: str | None = None) -> "PairResult":
        """Return what the estimate that decides a match says.

        Raises ValueError for a match that is not of two players.
        """
        if len(result.players) != 2 or len(result.pairs) != 1:  # noqa: PLR2004
            raise ValueError("a league is made of matches between two players")
        (pair,) = result.pairs
        (headline,) = (entry for entry in pair.estimates if entry.estimator == pair.headline)
        rate, error = headline.bb_per_100, _error(headline)
        return cls(pair.first, pair.second, rate, error, result.hands, match)

    @property
    def players(self) -> frozenset[str]:
        """Both players."""
        return frozenset((self.first, self.second))

    def other(self, player: str) -> str:
        """Return the opponent of one of them."""
        return self.second if player == self.first else self.first

    def rate_of(self, player: str) -> float:
        """Return how much better one of them is."""
        return self.rate if player == self.first else -self.rate

    def interval(self, quantile: float) -> Interval | None:
        """Return so many standard errors around the rate."""
        if self.error is None:
            return None
        half = quantile * self.error
        return Interval(low=self.rate - half, high=self.rate + half)


def _error(estimate: Estimate) -> float | None:
    """Return the standard error that the wider one of its intervals stands for.

    Student's interval is a little wider than that of the normal distribution: with few decks the
    error is too large rather than too small.
    """
    intervals = [part for part in (estimate.normal, estimate.bootstrap) if part is not None]
    if not intervals:
        return None
    return max(interval.high - interval.low for interval in intervals) / 2 / _HALF_95
