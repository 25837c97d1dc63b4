"""The result of a match: who won how much, how certain that is, and how everybody played."""

from typing import Any, Literal

from pydantic import Field

from casino_contracts.base import WireModel, optional
from casino_contracts.events.payloads import Outcome
from casino_contracts.numbers import Amount, PositiveWhole, SignedAmount, Whole
from casino_contracts.statistics.reports import DecisionLatency, PlayStatistics

Estimator = Literal["plain", "all-in", "adjusted"]
"""How luck is taken out: not at all, that of all-ins, or that of every card."""
Verdict = Literal["better", "worse", "undecided"]


class Interval(WireModel):
    """An interval that holds the true value in 95 % of all matches, in bb/100."""

    low: float
    high: float


class Estimate(WireModel):
    """What the decks say about a win rate or a difference of two, in bb/100."""

    estimator: Estimator
    bb_per_100: float
    normal: Interval | None = optional(
        description="By the normal distribution of the decks' mean; absent below 30 decks."
    )
    bootstrap: Interval | None = optional(description="By drawing the decks again; absent too.")
    deck_deviation: float = Field(description="Standard deviation of a deck, in bb/100.")
    variance_ratio: float | None = optional(
        description="Variance of single hands divided by that of this estimator at equal hands:"
        " how many times fewer hands it needs for the same interval."
    )


class PositionResult(WireModel):
    """A player's result in one position."""

    position: str
    hands: Whole
    net: SignedAmount
    statistics: PlayStatistics | None = optional()


class StreetResult(WireModel):
    """A player's result in hands whose betting ended on one street."""

    street: Literal["preflop", "flop", "turn", "river"]
    net: SignedAmount


class MatchPlayer(WireModel):
    """One player of a match."""

    name: str
    player: str = Field(description="A style, a function of a file, or the address of an agent.")
    version: str | None = optional(description="The hash of the file or of the agent card.")
    hands: Whole
    net: SignedAmount
    estimates: tuple[Estimate, ...]
    statistics: PlayStatistics | None = optional()
    decisions: Whole
    outcomes: dict[Outcome, Whole] = Field(description="Number of decisions by outcome.")
    latency: DecisionLatency | None = optional(description="Not part of the digest.")
    positions: tuple[PositionResult, ...] = ()
    streets: tuple[StreetResult, ...] = ()


class PairSeriesPoint(WireModel):
    """The estimate of a pair after a number of decks."""

    decks: PositiveWhole
    bb_per_100: float
    low: float
    high: float


class MatchPair(WireModel):
    """How much better the first of two players is, by decks that both have played."""

    first: str
    second: str
    estimates: tuple[Estimate, ...]
    headline: Estimator = Field(description="The estimator whose interval decides.")
    simultaneous: Interval | None = optional(
        description="The headline's interval, widened so that the intervals of all pairs together"
        " hold in 95 % of all matches."
    )
    verdict: Verdict = Field(description="Of the first player, by the simultaneous interval.")
    sentence: str = Field(description="What may be concluded, and what may not.")
    series: tuple[PairSeriesPoint, ...] = ()


class NotableHand(WireModel):
    """A hand worth looking at."""

    deck: Whole
    seating: Whole
    pot: Amount
    players: tuple[str, ...] = Field(description="In the order of the seats, from the small blind.")
    net: dict[str, SignedAmount]
    kind: Literal["biggest", "decisive"] = Field(
        description="`decisive`: its deck changed the difference of the first two players most."
    )
    history: str = Field(description="The hand in PHH, which shows every card.")


class SequentialTest(WireModel):
    """What a sequential test says."""

    accepted: Literal["low", "high", "none"]
    log_likelihood_ratio: float
    lower: float
    upper: float


class MatchResult(WireModel):
    """The result of a match; without times it follows from the plan and the players alone."""

    name: str
    plan: dict[str, Any]
    plan_digest: str
    digest: str = Field(
        description="SHA-256 of the plan's digest and of every block in order, without times."
    )
    decks: Whole
    hands: Whole
    is_complete: bool = Field(description="Whether the stopping rule ended it.")
    big_blind: PositiveWhole
    players: tuple[MatchPlayer, ...]
    pairs: tuple[MatchPair, ...]
    sequential_test: SequentialTest | None = optional()
    notable_hands: tuple[NotableHand, ...] = ()
    finished_at: str | None = optional(description="Not part of the digest.")
