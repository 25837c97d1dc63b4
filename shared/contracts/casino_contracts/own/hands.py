"""Completed hands as one of their players may see them: its own cards, questions and answers."""

from typing import Any

from pydantic import Field

from casino_contracts.base import WireModel, optional
from casino_contracts.cards import Card
from casino_contracts.events.payloads import Outcome
from casino_contracts.numbers import Amount, PositiveWhole, SignedAmount, Whole
from casino_contracts.records import Standing


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
