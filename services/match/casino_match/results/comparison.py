"""Two players of a match, what the decks say about their difference, and the verdict. Pure."""

from dataclasses import dataclass

from casino_contracts.match_results import Interval, SequentialTest, Verdict

from casino_match.domain.plan import Plan
from casino_match.statistics.moments import Moments


@dataclass(frozen=True, slots=True)
class Compared:
    """One player of a pair."""

    name: str
    bb_per_100: float
    """By the headline's estimator."""
    defaults: int
    """Decisions in which the default action was taken instead of an answer."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two players, and what the decks say about their difference."""

    first: Compared
    second: Compared
    difference: Moments
    """Of the first player's decks and the second's, without luck."""
    interval: Interval | None
    """Holds for all pairs together, and with a sequential test whenever it ends the match."""
    verdict: Verdict
    hands: int
    hands_per_deck: int
    pairs: int
    """The number of pairs of the match."""
    test: SequentialTest | None = None
    is_complete: bool = True
    """Whether the stopping rule has ended the match."""

    @property
    def leads(self) -> bool:
        """Whether the first player won at least as much as the second."""
        return self.difference.mean >= 0


def verdict_of(plan: Plan, interval: Interval | None, test: SequentialTest | None) -> Verdict:
    """Return whether the first player is better, by the sequential test or else by the interval."""
    if test is not None:
        if test.accepted == "high" and plan.stop.low >= 0:
            return "better"
        if test.accepted == "low" and plan.stop.high <= 0:
            return "worse"
    if interval is None or interval.low <= 0 <= interval.high:
        return "undecided"
    return "better" if interval.low > 0 else "worse"
