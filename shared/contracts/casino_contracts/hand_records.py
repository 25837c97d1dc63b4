"""Completed hands: for everybody, for one of their players, in full for operators; standings."""

from typing import Any, Literal

from pydantic import Field

from casino_contracts.base import CareerId, DefaultReason, FreeObject, WireModel, optional
from casino_contracts.deal_messages import CardProof
from casino_contracts.events.payload_fields import (
    AwardedPot,
    Outcome,
    PlayerPoints,
    ShownHand,
    StackAfter,
)
from casino_contracts.events.table_event import EventPlace, TableEvent
from casino_contracts.numbers import Amount, PositiveWhole, SignedAmount, Whole
from casino_contracts.play_statistics import (
    DecisionCosts,
    DecisionLatency,
    DefaultCount,
    PlayStatistics,
)
from casino_contracts.player_messages import Card, Defaulted, PlayerProfile, Usage
from casino_contracts.table_commands import PlayerSeat

HandKind = Literal["big-pot", "all-in", "bad-beat", "bluff", "fault"]
"""What makes a hand worth looking at; `bluff`: nobody called a big bet, and no card was shown."""


class HandSummary(WireModel):
    """One completed hand as a list entry; public data only."""

    hand_id: str
    hand_number: PositiveWhole
    epoch: PositiveWhole
    first_sequence: PositiveWhole | None = optional(description="Sequence of `hand_started`.")
    last_sequence: PositiveWhole = Field(description="Sequence of `hand_completed`.")
    timestamp: str
    message: str
    community_cards: tuple[Card, ...] = ()
    pots: tuple[AwardedPot, ...] = ()
    shown: tuple[ShownHand, ...] = ()
    stacks: tuple[StackAfter, ...] = ()
    score: Whole | None = optional(
        description="Points for what makes the hand worth looking at; absent if an older release"
        " stored it."
    )
    kinds: tuple[HandKind, ...] = ()


class HandPage(WireModel):
    """Completed hands in order; for the next page, set `after` to `next`, if present."""

    hands: tuple[HandSummary, ...]
    next: str | None = optional()
    kept_from: EventPlace | None = optional(
        description="The room's oldest stored event, if older ones and their hands are deleted."
    )


class HandDetail(WireModel):
    """One completed hand with all its public events."""

    room_id: str
    hand: HandSummary
    events: tuple[TableEvent, ...]


class HandProof(WireModel):
    """What anybody needs to check the deal of one completed hand."""

    room_id: str
    hand_number: PositiveWhole
    commitment: FreeObject = Field(description="As in the event `deal_committed`.")
    contributed: FreeObject = Field(description="As in the event `deal_contributed`.")
    events: tuple[TableEvent, ...] = Field(
        description="The hand's public events, from `hand_started` to `hand_completed`."
    )


class HandRecordInput(WireModel):
    """Request for the full record of a completed hand (`handRecord`); operators only."""

    hand_id: str
    questions: bool | None = optional(
        description="Whether each decision has the question that the player was asked."
    )


class HoleCards(WireModel):
    """One player's hole cards."""

    player_id: str
    cards: tuple[Card, ...]


class RecordedDecision(WireModel):
    """One action with the player's private reasoning."""

    player_id: str
    betting_round: str | None = optional()
    action: dict[str, Any]
    outcome: Outcome
    message: str | None = optional()
    reasoning: str | None = optional()
    defaulted: Defaulted | None = optional()
    usage: Usage | None = optional()
    reason: str | None = optional(
        description="Why an answer was refused or none came; it may quote the answer."
    )
    refused: str | None = optional(
        description="The answer that was refused last, as JSON, cut off at 1,000 characters."
    )
    question: dict[str, Any] | None = optional(
        description="The input of `act`, as at the first attempt; only if it was asked for, and"
        " absent where a seat that sat out was not asked."
    )


class PlayerFault(WireModel):
    """One decision whose first answer was refused, or that the table made in the player's place."""

    hand_number: PositiveWhole | None = optional()
    epoch: PositiveWhole
    sequence: PositiveWhole = Field(description="Sequence of its `action_taken`.")
    betting_round: str | None = optional()
    action: str | None = optional(description="The action that was taken.")
    outcome: Outcome
    defaulted: DefaultReason | None = optional(
        description="The reason that the player's program gave for a default."
    )
    turns: PositiveWhole = Field(
        default=1, description="Turns in a row that a `sitting_out` seat missed; this is the last."
    )
    latency_ms: Whole | None = optional(description="Absent if nothing was asked.")
    timestamp: str
    reason: str | None = optional(
        description="Absent if the table reported none, and, except for the player, while the"
        " hand is running."
    )


class PlayerFaults(WireModel):
    """Outcomes of a player's decisions, and why they failed."""

    room_id: str
    player_id: str
    outcomes: dict[Outcome, Whole] = Field(description="Number of decisions by outcome.")
    faults: tuple[PlayerFault, ...] | None = optional(
        description="The newest faults, newest first; only for the operator and the player."
    )


class Standing(WireModel):
    """What a player has won or lost in a room's completed hands."""

    player_id: str
    display_name: str
    hands: Whole
    net: SignedAmount = Field(description="`stack` less `bought`.")
    bought: SignedAmount = Field(description="Chips bought, less those cashed out between hands.")
    stack: Amount = Field(
        description="As of the last completed hand; of a player who left, the last one."
    )
    bb_per_100: float = Field(
        description="Mean result of a hand times 100, each in its own big blinds; in `unit`."
    )
    half_interval_95: float | None = Field(
        default=None,
        description="Half the 95 % interval of `bbPer100`; null where it says nothing yet: below"
        " 30 hands, or where all had the same result.",
    )
    faults: dict[Outcome, Whole] = Field(
        description="Number of decisions by outcome, without `ok` and `away`."
    )
    decisions: Whole
    statistics: PlayStatistics | None = optional(
        description="Only of Hold'em; absent before the first hand that counts."
    )
    latency: DecisionLatency | None = optional(
        description="Absent before the first decision for which the player was asked."
    )
    defaulted: tuple[DefaultCount, ...] | None = optional(
        description="Decisions in which something answered in the player's place, by reason."
    )
    costs: DecisionCosts | None = optional(description="Absent if no decision said what it cost.")
    profile: PlayerProfile | None = optional()
    is_guest: bool | None = optional(description="Whether a person decides.")
    has_left: bool | None = optional(description="Whether the player has no seat any more.")
    career: CareerId | None = optional(description="Its id in `/v1/players`.")


class Standings(WireModel):
    """Results of a room's players, the best first; those who left stay listed."""

    room_id: str
    hands: Whole = Field(description="Number of completed hands that count.")
    unit: Literal["bb", "chips"] = Field(
        default="bb", description="Of `bbPer100`: `chips` in games without blinds."
    )
    players: tuple[Standing, ...]


class Odds(WireModel):
    """A player's probability of winning or sharing the pot, without further betting."""

    player_id: str
    win: float = Field(ge=0, le=1, description="Probability of winning alone.")
    tie: float = Field(ge=0, le=1, description="Probability of sharing the best hand.")


class StreetOdds(WireModel):
    """Odds of the players still in the hand when a street is dealt; folded cards count as dead."""

    betting_round: Literal["preflop", "flop", "turn", "river"]
    community_cards: tuple[Card, ...]
    odds: tuple[Odds, ...]
    is_exact: bool = Field(description="Enumerated, not sampled.")


class HandRecord(WireModel):
    """Full record of a completed hand: all cards, the deck, players' reasoning, odds by street."""

    table_id: str
    hand_id: str
    hand_number: PositiveWhole
    epoch: PositiveWhole
    game_type: str
    button_seat: Whole
    players: tuple[PlayerSeat, ...] = Field(description="Stacks before the hand.")
    hole_cards: tuple[HoleCards, ...] = ()
    deck: tuple[Card, ...] = Field(default=(), description="In dealing order.")
    decisions: tuple[RecordedDecision, ...] = ()
    odds: tuple[StreetOdds, ...] = ()
    scores: dict[str, SignedAmount] = Field(
        default_factory=dict, description="Each player's win or, negative, loss."
    )
    private_states: dict[str, Any] = Field(
        default_factory=dict, description="Other games: each player's private state at the end."
    )
    points: tuple[PlayerPoints, ...] | None = optional(
        description="Of a game that is played for points, instead of scores."
    )


class OwnHand(WireModel):
    """A completed hand of one player; of the others it has only what was public."""

    hand_number: PositiveWhole
    epoch: PositiveWhole
    timestamp: str
    message: str = Field(description="The result in words.")
    position: str | None = optional(
        description="Hold'em: BTN, SB, BB, and from the button backwards CO, HJ, and the UTGs."
    )
    net: SignedAmount | None = optional(
        description="Won or, negative, lost; absent in games for points."
    )
    hole_cards: tuple[Card, ...] | None = optional(
        description="The player's own; absent where the table has no record of the hand."
    )
    community_cards: tuple[Card, ...] = ()
    decisions: Whole
    faults: Whole = Field(description="Decisions with another outcome than `ok` and `away`.")
    slowest_ms: Whole | None = optional(description="The longest time that an answer took.")


class OwnHandPage(WireModel):
    """Hands of one player; for the next page, set `after` to `next`, if present."""

    room_id: str
    player_id: str
    standing: Standing | None = optional(description="The player's results in the room so far.")
    hands: tuple[OwnHand, ...]
    next: str | None = optional()
    cards_missing: str | None = optional(
        description="Why some hands lack the cards: the table, which has them, gave no record."
    )


class AnsweredQuestion(WireModel):
    """One decision of the player: what it was asked, what it answered, and what came of it."""

    betting_round: str | None = optional()
    action: str | None = optional(description="The action that was taken.")
    amount: Amount | None = optional()
    outcome: Outcome | None = optional()
    latency_ms: Whole | None = optional(description="Absent if nothing was asked.")
    reason: str | None = optional(
        description="Why an answer was refused or none came; it may quote the answer."
    )
    refused: str | None = optional(
        description="The answer that was refused last, as JSON, cut off at 1,000 characters."
    )
    message: str | None = optional()
    reasoning: str | None = optional()
    defaulted: Defaulted | None = optional()
    usage: Usage | None = optional()
    answer: dict[str, Any] | None = optional(description="The action that counted, as played.")
    question: dict[str, Any] | None = optional(
        description="The input of `act`, as at the first attempt; absent where nothing was asked."
    )


class OwnHandDetail(WireModel):
    """One completed hand of a player with all its decisions."""

    room_id: str
    player_id: str
    hand: OwnHand
    decisions: tuple[AnsweredQuestion, ...]
    private_state: dict[str, Any] | None = optional(
        description="Other games than Hold'em: the player's private state at the end."
    )
    record_missing: str | None = optional(
        description="Why own cards, questions and answers are absent: the table gave no record."
    )


class OwnDecision(WireModel):
    """One decision of the player that reads it."""

    action: dict[str, Any] = Field(description="The action taken, as in a hand record.")
    betting_round: str | None = optional(description="Of Hold'em.")
    outcome: Outcome
    latency_ms: Whole | None = optional(description="Absent if nothing was asked.")


class OwnHandRecord(WireModel):
    """What a player alone may know of a completed hand, beside its public result."""

    private: dict[str, Any] = Field(description="Its private state at the end: its own cards.")
    decisions: tuple[OwnDecision, ...] = Field(description="Its decisions, in order.")
    net: SignedAmount | None = optional(
        description="Chips won or, negative, lost, in the config's unit; absent in a game that is"
        " played for points."
    )
    stack: Amount = Field(description="Its stack after the hand, in the config's unit.")


class HandNotice(WireModel):
    """A hand was dealt to the player, or is over (input of `notify`).

    `state` and `result` conform to the specification of the game, in Hold'em too: whole chips.
    """

    table_id: str
    game_type: str
    spec_version: str = Field(description="Version of the specification of this message.")
    player_id: str
    hand_id: str
    hand_number: PositiveWhole
    kind: Literal["dealt", "completed"]
    state: dict[str, Any] | None = optional(
        description="dealt: `public` and `private`, the player's view before the first decision."
    )
    result: dict[str, Any] | None = optional(
        description="completed: as in the specification's Result Schema."
    )
    record: OwnHandRecord | None = optional(description="completed: the player's own record.")
    proof: CardProof | None = optional(
        description="dealt: that the table committed to the player's own cards."
    )


class HandNoticeOutput(WireModel):
    """The player has taken the notice (output of `notify`)."""

    ok: Literal[True] = True
