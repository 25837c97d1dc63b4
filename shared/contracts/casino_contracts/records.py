"""What is read back of the hands that were played: in public, and by the operator alone."""

from typing import Any, Literal

from pydantic import Field

from casino_contracts.base import WireModel, optional
from casino_contracts.cards import Card
from casino_contracts.events import TableEvent
from casino_contracts.numbers import PositiveWhole, SignedAmount, Whole
from casino_contracts.payloads import AwardedPot, Outcome, ShownHand, StackAfter
from casino_contracts.table import PlayerSeat


class HandSummary(WireModel):
    """One completed hand as a line of the list; nothing in it was not shown to everybody."""

    hand_id: str
    hand_number: PositiveWhole
    epoch: PositiveWhole
    first_sequence: PositiveWhole | None = optional(description="Of its `hand_started`.")
    last_sequence: PositiveWhole = Field(description="Of its `hand_completed`.")
    timestamp: str
    message: str
    community_cards: tuple[Card, ...] = ()
    pots: tuple[AwardedPot, ...] = ()
    shown: tuple[ShownHand, ...] = ()
    stacks: tuple[StackAfter, ...] = ()


class HandPage(WireModel):
    """Completed hands in their order; ask again with `after` set to `next` while there is one."""

    hands: tuple[HandSummary, ...]
    next: str | None = optional()


class HandDetail(WireModel):
    """One completed hand with every public fact of it."""

    room_id: str
    hand: HandSummary
    events: tuple[TableEvent, ...]


class HandRecordInput(WireModel):
    """Ask a table for the whole record of a completed hand (`handRecord`); operators only."""

    hand_id: str


class HoleCards(WireModel):
    """What a player was dealt."""

    player_id: str
    cards: tuple[Card, ...]


class RecordedDecision(WireModel):
    """One decision with what is nobody else's business."""

    player_id: str
    betting_round: str | None = optional()
    action: dict[str, Any]
    outcome: Outcome
    message: str | None = optional()
    reasoning: str | None = optional()


class Odds(WireModel):
    """A player's share of the pot if no more were bet, at one moment of the hand."""

    player_id: str
    win: float = Field(ge=0, le=1, description="Probability of winning alone.")
    tie: float = Field(ge=0, le=1, description="Probability of sharing the best hand.")


class StreetOdds(WireModel):
    """The odds of everybody still in, when a street was dealt; folded cards come no more."""

    betting_round: Literal["preflop", "flop", "turn", "river"]
    community_cards: tuple[Card, ...]
    odds: tuple[Odds, ...]
    is_exact: bool = Field(description="Counted out, not sampled.")


class HandRecord(WireModel):
    """Everything of a completed hand: all cards, the deck, what players thought, odds by street."""

    table_id: str
    hand_id: str
    hand_number: PositiveWhole
    epoch: PositiveWhole
    game_type: str
    button_seat: Whole
    players: tuple[PlayerSeat, ...] = Field(description="Stacks as before the hand.")
    hole_cards: tuple[HoleCards, ...] = ()
    deck: tuple[Card, ...] = Field(default=(), description="In dealing order.")
    decisions: tuple[RecordedDecision, ...] = ()
    odds: tuple[StreetOdds, ...] = ()
    scores: dict[str, SignedAmount] = Field(
        default_factory=dict, description="What each player won or, negative, lost."
    )
    private_states: dict[str, Any] = Field(
        default_factory=dict, description="Other games: each player's private state at the end."
    )
