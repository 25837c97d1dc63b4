"""The payload of each kind of table event."""

from typing import Any, Literal

from pydantic import Field

from casino_contracts.base import WireModel, optional
from casino_contracts.events.table_event import EventType
from casino_contracts.numbers import Amount, PositiveWhole, SignedAmount, Whole
from casino_contracts.player_messages import ActionKind, BettingRound, Card
from casino_contracts.table_commands import PlayerSeat, TableStatus

StatusKind = Literal[
    "configured",
    "started",
    "street_dealt",
    "hand_cancelled",
    "sat_out",
    "returned",
    "rebought",
    "cashed_out",
    "left",
    "paused",
    "finished",
    "closed",
]
Outcome = Literal[
    "ok",
    "retried",
    "timeout",
    "illegal",
    "malformed",
    "unreachable",
    "disconnected",
    "sitting_out",
    "away",
]
"""`ok` and `retried`: the player's own answer. The others: the default action was taken.

`disconnected`: the player was reached, and closed the connection without a reply. `sitting_out`:
the seat sits out, so nothing was asked. `away`: the player's program answered that
nobody is there to decide; the action is its own, and counts as missed.
"""

FAULT_REASON_LIMIT = 300
_FAULT_REASON = (
    "Why an answer was refused or none came, in one line of at most 300 characters. It may quote"
    " the answer: only for the lobby, which leaves it out of everything public."
)


class StatusPayload(WireModel):
    """`table_status`: the state of the table or of one of its seats changed."""

    status: TableStatus
    kind: StatusKind
    hand_number: PositiveWhole | None = optional()
    betting_round: BettingRound | None = optional()
    community_cards: tuple[Card, ...] | None = optional()
    player_id: str | None = optional()
    seat_number: Whole | None = optional()
    stack: Amount | None = optional()
    amount: Amount | None = optional(
        description="rebought, cashed_out: the amount bought or paid out."
    )
    hand_count: Whole | None = optional()
    hands_left: Whole | None = optional(description="started: number of hands of this session.")
    plays_for: Literal["points"] | None = optional(
        description="configured: `points`: the scores are points, and stacks do not change."
    )
    reason: str | None = optional()


class PlayerRegisteredPayload(PlayerSeat):
    """`player_registered`: a player took a seat. The card URL is for the lobby only."""

    agent_card_url: str | None = optional()
    action_skill: str | None = optional()
    plays_any_game: bool | None = optional()
    clock_ms: Whole | None = optional(description="Its clock, if it asked for one.")


class ForcedBet(WireModel):
    """A posted blind or ante."""

    player_id: str
    kind: Literal["ante", "small-blind", "big-blind"]
    amount: Amount


class HandStartedPayload(WireModel):
    """`hand_started`: stacks are those before the forced bets."""

    hand_number: PositiveWhole
    button_seat: Whole
    small_blind: Amount
    big_blind: Amount
    ante: Amount
    posted: tuple[ForcedBet, ...]
    players: tuple[PlayerSeat, ...]


class ActionTakenPayload(WireModel):
    """`action_taken`: one action; pot and stack are those after it."""

    hand_number: PositiveWhole
    player_id: str
    betting_round: BettingRound
    action: ActionKind
    amount: Amount | None = optional(description="The player's total in this betting round.")
    pot: Amount
    stack: Amount
    outcome: Outcome
    latency_ms: Whole | None = optional(description="Absent if nothing was asked.")
    message: str | None = optional()
    reason: str | None = optional(description=_FAULT_REASON)


class PotShare(WireModel):
    """One player's share of one pot."""

    player_id: str
    amount: Amount


class AwardedPot(WireModel):
    """One pot and its winners; the main pot comes first."""

    amount: Amount
    winners: tuple[PotShare, ...]


class ShownHand(WireModel):
    """Hole cards shown at the showdown, in the order of showing."""

    player_id: str
    cards: tuple[Card, ...]
    rank_name: str
    best_five: tuple[Card, ...] | None = optional()


class StackAfter(WireModel):
    """A player's stack after the hand."""

    player_id: str
    stack: Amount


class HandCompletedPayload(WireModel):
    """`hand_completed`: exactly once per hand."""

    hand_number: PositiveWhole
    community_cards: tuple[Card, ...]
    pots: tuple[AwardedPot, ...]
    returned: PotShare | None = optional(description="The unmatched part of the last bet.")
    shown: tuple[ShownHand, ...]
    stacks: tuple[StackAfter, ...]


class PlayerBustedPayload(WireModel):
    """`player_busted`: a player lost the last chip; `finish` is the final place."""

    hand_number: PositiveWhole
    player_id: str
    finish: PositiveWhole


class TableErrorPayload(WireModel):
    """`table_error`: a failure (`reason`) and how it was handled (`done`)."""

    reason: str
    done: str
    status: TableStatus | None = optional(description="The table's new status, if it changed.")
    player_id: str | None = optional()
    hand_number: PositiveWhole | None = optional()


class GameStartedPayload(WireModel):
    """`hand_started` of a game other than Hold'em; stacks are those before the hand."""

    hand_number: PositiveWhole
    game_type: str
    spec_version: str
    button_seat: Whole
    players: tuple[PlayerSeat, ...]
    state: dict[str, Any] = Field(description="The game's public state.")
    happened: tuple[dict[str, Any], ...] = Field(default=(), description="Effects of the deal.")


class GameActedPayload(WireModel):
    """`action_taken` of a game other than Hold'em."""

    hand_number: PositiveWhole
    player_id: str
    action: str = Field(description="The action's type.")
    details: dict[str, Any] = Field(description="The whole action.")
    outcome: Outcome
    latency_ms: Whole | None = optional(description="Absent if nothing was asked.")
    state: dict[str, Any] = Field(description="The game's public state after the action.")
    happened: tuple[dict[str, Any], ...] = ()
    message: str | None = optional()
    reason: str | None = optional(description=_FAULT_REASON)


class PlayerPoints(WireModel):
    """A player's points and place; players with the same points share a place."""

    player_id: str
    points: SignedAmount
    place: PositiveWhole


class GameCompletedPayload(WireModel):
    """`hand_completed` of a game other than Hold'em; `scores` and `house` add up to 0.

    A game that is played for points has `points` instead, best first, and moves no chips.
    """

    hand_number: PositiveWhole
    result: dict[str, Any] = Field(description="Conforms to the specification's Result Schema.")
    scores: dict[str, SignedAmount]
    house: SignedAmount | None = optional(description="The bank's win or, negative, loss.")
    stacks: tuple[StackAfter, ...]
    points: tuple[PlayerPoints, ...] | None = optional()


PAYLOADS: dict[EventType, type[WireModel]] = {
    "player_registered": PlayerRegisteredPayload,
    "hand_started": HandStartedPayload,
    "action_taken": ActionTakenPayload,
    "hand_completed": HandCompletedPayload,
    "player_busted": PlayerBustedPayload,
    "table_error": TableErrorPayload,
    "table_status": StatusPayload,
}
"""Payload model of every event type."""
