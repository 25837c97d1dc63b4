"""The result of a match: who won how much, how certain that is, and how everybody played."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from casino_contracts.base import WireModel, optional
from casino_contracts.events.payloads import Outcome
from casino_contracts.free_json import FreeObject
from casino_contracts.numbers import Amount, PositiveWhole, SignedAmount, Whole
from casino_contracts.statistics.reports import DecisionLatency, PlayStatistics

Estimator = Literal["plain", "all-in", "adjusted"]
"""How luck is taken out: not at all, that of all-ins, or that of every card."""
Verdict = Literal["better", "worse", "undecided"]

MOST_PLAYERS = 10
MOST_PAIRS = 45
MOST_POINTS = 200
MOST_NOTABLE = 50

_PLAIN = r"^[^\x00-\x1f\x7f]+$"

EntrantName = Annotated[str, Field(min_length=1, max_length=64, pattern=_PLAIN)]
"""The name of a player of a match, which others chose."""
Title = Annotated[str, Field(min_length=1, max_length=64, pattern=_PLAIN)]
"""The name of a match or a league."""
PlayerSource = Annotated[str, Field(min_length=1, max_length=2048)]
"""What plays: a style, a function of a file, or the address of an agent."""
Version = Annotated[str, Field(max_length=128)]
Digest = Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]
Rate = Annotated[float, Field(allow_inf_nan=False)]
"""In bb/100."""
Sentence = Annotated[str, Field(max_length=2_000)]


class Interval(WireModel):
    """An interval that holds the true value in 95 % of all matches, in bb/100."""

    low: Rate
    high: Rate


class Estimate(WireModel):
    """What the decks say about a win rate or a difference of two, in bb/100."""

    estimator: Estimator
    bb_per_100: Rate
    normal: Interval | None = optional(
        description="By the normal distribution of the decks' mean; absent below 30 decks."
    )
    bootstrap: Interval | None = optional(
        description="By drawing the decks again; absent below 30 decks or if few of them differ."
    )
    deck_deviation: Rate = Field(description="Standard deviation of a deck, in bb/100.")
    variance_ratio: Rate | None = optional(
        description="Variance of single hands divided by that of this estimator at equal hands:"
        " how many times fewer hands it needs for the same interval."
    )


class PositionResult(WireModel):
    """A player's result in one position."""

    position: str = Field(max_length=16)
    hands: Whole
    net: SignedAmount
    statistics: PlayStatistics | None = optional()


class StreetResult(WireModel):
    """A player's result in hands whose betting ended on one street."""

    street: Literal["preflop", "flop", "turn", "river"]
    net: SignedAmount


class MatchPlayer(WireModel):
    """One player of a match."""

    name: EntrantName
    player: PlayerSource = Field(
        description="A style, a function of a file, or the address of an agent."
    )
    version: Version | None = optional(description="The hash of the file or of the agent card.")
    hands: Whole
    net: SignedAmount
    estimates: tuple[Estimate, ...] = Field(max_length=8)
    statistics: PlayStatistics | None = optional()
    decisions: Whole
    outcomes: dict[Outcome, Whole] = Field(description="Number of decisions by outcome.")
    latency: DecisionLatency | None = optional(description="Not part of the digest.")
    positions: tuple[PositionResult, ...] = Field(default=(), max_length=16)
    streets: tuple[StreetResult, ...] = Field(default=(), max_length=4)


class PairSeriesPoint(WireModel):
    """The estimate of a pair after a number of decks."""

    decks: PositiveWhole
    bb_per_100: Rate
    low: Rate
    high: Rate


class MatchPair(WireModel):
    """How much better the first of two players is, by decks that both have played."""

    first: EntrantName
    second: EntrantName
    estimates: tuple[Estimate, ...] = Field(max_length=8)
    headline: Estimator = Field(description="The estimator whose interval decides.")
    simultaneous: Interval | None = optional(
        description="The headline's interval, widened so that the intervals of all pairs together"
        " hold in 95 % of all matches, and with a sequential test whenever that ends the match."
    )
    verdict: Verdict = Field(
        description="Of the first player, by the sequential test or else the simultaneous interval."
    )
    sentence: Sentence = Field(description="What may be concluded, and what may not.")
    series: tuple[PairSeriesPoint, ...] = Field(default=(), max_length=MOST_POINTS)


class NotableHand(WireModel):
    """A hand worth looking at."""

    deck: Whole
    seating: Whole
    pot: Amount
    players: tuple[EntrantName, ...] = Field(
        description="In the order of the seats, from the small blind.", max_length=MOST_PLAYERS
    )
    net: dict[str, SignedAmount] = Field(max_length=MOST_PLAYERS)
    kind: Literal["biggest", "decisive"] = Field(
        description="`decisive`: its deck changed the difference of the first two players most."
    )
    history: str = Field(description="The hand in PHH, which shows every card.", max_length=20_000)


class SequentialTest(WireModel):
    """What a sequential test says."""

    accepted: Literal["low", "high", "none"]
    log_likelihood_ratio: Rate
    lower: Rate
    upper: Rate


class MatchResult(WireModel):
    """The result of a match; without times it follows from the plan and the players alone."""

    name: Title
    plan: FreeObject
    plan_digest: Digest
    digest: Digest = Field(
        description="SHA-256 of the plan's digest and of every block in order, without times."
    )
    decks: Whole
    hands: Whole
    is_complete: bool = Field(description="Whether the stopping rule ended it.")
    big_blind: PositiveWhole
    players: tuple[MatchPlayer, ...] = Field(min_length=2, max_length=MOST_PLAYERS)
    pairs: tuple[MatchPair, ...] = Field(max_length=MOST_PAIRS)
    sequential_test: SequentialTest | None = optional()
    notable_hands: tuple[NotableHand, ...] = Field(default=(), max_length=MOST_NOTABLE)
    finished_at: str | None = optional(max_length=64, description="Not part of the digest.")

    @model_validator(mode="after")
    def _names_its_players(self) -> Self:
        names = {player.name for player in self.players}
        if len(names) < len(self.players):
            raise ValueError("two players have the same name")
        named = {name for pair in self.pairs for name in (pair.first, pair.second)}
        if not named <= names or any(pair.first == pair.second for pair in self.pairs):
            raise ValueError("a pair is not of two of the players")
        return self
