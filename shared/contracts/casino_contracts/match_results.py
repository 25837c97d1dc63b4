"""Results of matches and leagues: who won how much, how certain that is, how everybody played."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from casino_contracts.base import FreeObject, Identifier, ModelName, WireModel, optional
from casino_contracts.deal_messages import Bytes32, SigningKey
from casino_contracts.events.payload_fields import Outcome
from casino_contracts.events.table_event import TableEvent
from casino_contracts.hand_records import HandRecord
from casino_contracts.numbers import Amount, PositiveWhole, SignedAmount, Whole
from casino_contracts.play_statistics import (
    DecisionCosts,
    DecisionLatency,
    DefaultCount,
    PlayStatistics,
)
from casino_contracts.signed_results import Signature

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
Rate = Annotated[float, Field(allow_inf_nan=False)]  # in bb/100
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
    key: Bytes32 | None = optional(
        description="Thumbprint of the key that signed its agent's card, if it was one throughout."
    )
    hands: Whole
    net: SignedAmount
    estimates: tuple[Estimate, ...] = Field(max_length=8)
    statistics: PlayStatistics | None = optional()
    decisions: Whole
    outcomes: dict[Outcome, Whole] = Field(description="Number of decisions by outcome.")
    not_own: Whole | None = optional(
        description="How many decisions were not the player's own: all but `ok` and `retried`."
    )
    defaulted: tuple[DefaultCount, ...] | None = optional(
        description="Decisions in which the player's program answered in its place, by reason."
    )
    models: tuple[ModelName, ...] | None = optional(
        description="The language models that decided, as the player says."
    )
    costs: DecisionCosts | None = optional(
        description="By results in bb; not part of the digest. Absent if no decision said any."
    )
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
    unjudged: tuple[EntrantName, ...] | None = optional(
        description="Players because of whom there is no verdict: none of their decisions was their"
        " own, or some were not though the plan does not say so."
    )
    sequential_test: SequentialTest | None = optional()
    notable_hands: tuple[NotableHand, ...] = Field(default=(), max_length=MOST_NOTABLE)
    finished_at: str | None = optional(max_length=64, description="Not part of the digest.")
    key: SigningKey | None = optional(description="Of the card of the service that played it.")
    signature: Signature | None = optional(
        description="ES256 of the result without it, hashed as that of a session."
    )

    @model_validator(mode="after")
    def _names_its_players(self) -> Self:
        names = {player.name for player in self.players}
        if len(names) < len(self.players):
            raise ValueError("two players have the same name")
        named = {name for pair in self.pairs for name in (pair.first, pair.second)}
        if not named <= names or any(pair.first == pair.second for pair in self.pairs):
            raise ValueError("a pair is not of two of the players")
        return self


MOST_LEAGUE_PLAYERS = 64
MOST_HEADS = MOST_LEAGUE_PLAYERS * (MOST_LEAGUE_PLAYERS - 1) // 2


class LeagueEntry(WireModel):
    """One player of a league."""

    name: EntrantName
    player: PlayerSource
    version: Version | None = optional()
    rank: PositiveWhole = Field(description="The best rank that the intervals allow.")
    worst_rank: PositiveWhole = Field(description="The worst; ranks from best to worst are a band.")
    bb_per_100: Rate = Field(description="Mean over the matches against each other player.")
    interval: Interval | None = optional(description="Of that mean, by itself.")
    hands: Whole
    is_provisional: bool = Field(description="Whether too few hands are played to say much.")


class HeadToHead(WireModel):
    """How much better the first player is than the second."""

    first: EntrantName
    second: EntrantName
    bb_per_100: Rate
    interval: Interval | None = optional(
        description="Widened so that the intervals of all pairs of the league together hold in"
        " 95 % of all leagues."
    )
    hands: Whole
    verdict: Verdict
    match: Identifier | None = optional(description="The id of the match at the lobby.")


class League(WireModel):
    """The table of a league, the best first, and its matrix."""

    name: Title
    provisional_below: Whole = Field(description="Hands of a player below which it is provisional.")
    players: tuple[LeagueEntry, ...] = Field(max_length=MOST_LEAGUE_PLAYERS)
    matrix: tuple[HeadToHead, ...] = Field(
        max_length=MOST_HEADS, description="One for each pair that has played."
    )
    updated_at: str | None = optional(max_length=64)

    @model_validator(mode="after")
    def _names_its_players(self) -> Self:
        names = {player.name for player in self.players}
        if len(names) < len(self.players):
            raise ValueError("two players have the same name")
        if not {name for pair in self.matrix for name in (pair.first, pair.second)} <= names:
            raise ValueError("the matrix has a name that is none of the players")
        return self


class PairSummary(WireModel):
    """What a match says of two of its players."""

    first: EntrantName
    second: EntrantName
    estimator: Estimator
    bb_per_100: Rate
    interval: Interval | None = optional(description="The one that decides.")
    verdict: Verdict
    sentence: Sentence


class MatchSummary(WireModel):
    """A match of a list."""

    match_id: str
    name: Title
    digest: Digest
    decks: Whole
    hands: Whole
    is_complete: bool
    players: tuple[EntrantName, ...] = Field(max_length=MOST_PLAYERS)
    pairs: tuple[PairSummary, ...] = Field(max_length=MOST_PAIRS)
    published_at: str
    finished_at: str | None = optional()


class MatchList(WireModel):
    """Matches, the last published first."""

    matches: tuple[MatchSummary, ...]
    next: PositiveWhole | None = optional(description="Where the next page begins: its `after`.")


class LeagueSummary(WireModel):
    """A league of a list."""

    league_id: str
    name: Title
    players: Whole
    hands: Whole = Field(description="Hands of all matches.")
    leader: EntrantName | None = optional(description="Who has the first place alone.")
    published_at: str


class LeagueList(WireModel):
    """Leagues, the last published first."""

    leagues: tuple[LeagueSummary, ...]
    next: PositiveWhole | None = optional(description="Where the next page begins: its `after`.")


class MatchHand(WireModel):
    """A notable hand as the events that a table would have published, and with every card."""

    match_id: str
    hand_number: PositiveWhole
    deck: Whole
    seating: Whole
    kind: Literal["biggest", "decisive"]
    events: tuple[TableEvent, ...]
    record: HandRecord
