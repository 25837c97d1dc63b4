"""The kinds of table events, each declared once: the payload that our tables write, its reader.

A table that knows only the protocol document leaves fields out or writes them in another shape.
A field that cannot be read is None or empty; the others still count, so a reader decides what it
needs. What a fold does not know changes nothing but an event's place and message.
"""

from collections.abc import Callable, Iterable
from typing import Any, Literal, NamedTuple, Protocol, Self

import pydantic

from casino_contracts.base import WireModel, optional
from casino_contracts.deal_messages import DealCommitment, DealContributed, DealOpening
from casino_contracts.events import payload_fields as read
from casino_contracts.events.payload_fields import (
    AwardedPot,
    DisclosedDecision,
    Field,
    Fields,
    ForcedBet,
    Outcome,
    PlayerPoints,
    PlayerStack,
    PotShare,
    ReportedSeat,
    ShownHand,
    StackAfter,
)
from casino_contracts.numbers import Amount, PositiveWhole, SignedAmount, Whole
from casino_contracts.player_messages import ActionKind, BettingRound, Card, Defaulted
from casino_contracts.table_commands import PlayerSeat, TableStatus

EventType = Literal[
    "player_registered", "hand_started", "action_taken", "hand_completed", "player_busted",
    "table_error", "table_status",
]  # fmt: skip
StatusKind = Literal[
    "configured", "started", "deal_committed", "deal_contributed", "street_dealt",
    "hand_cancelled", "sat_out", "returned", "rebought", "cashed_out", "left", "paused",
    "finished", "closed",
]  # fmt: skip
FAULT_REASON_LIMIT = 300
_PAUSE = "How long the table waits with the next hand, so that people see the result. Absent: none."
_TOLD = "The public state in the game's own sentences, with names."
_FAULT_REASON = "Why an answer was refused or none came. It may quote it: for the lobby alone."

OTHER_REASON = "other"
"""Stands for a default without a reason, and for rare reasons where only some are counted."""
_DEFAULTED = "The reason, if the player's program answered with a default; its detail comes later."
_OPENING = "How the dealt cards follow from what the table committed to; absent: nobody can check."
_DISCLOSED = "What is public of decisions when the hand is over; without those that have nothing."


class EventContent:
    """What an event says; a field is read when it is first asked for."""

    hand_number = Field(read.whole)

    def __init__(self, payload: Fields | None) -> None:
        self.fields: Fields = payload or {}


class _OfPlayer(EventContent):
    """An event about one player."""

    player_id: str

    @classmethod
    def of(cls, payload: Fields | None) -> Self | None:
        name = read.player_id(payload.get("playerId")) if payload else None
        if name is None:
            return None
        content = cls(payload)
        content.player_id = name
        return content


class PlayerRegisteredPayload(PlayerSeat):
    """`player_registered`: a player took a seat. The card URL is for the lobby only."""

    agent_card_url: str | None = optional()
    action_skill: str | None = optional()
    plays_any_game: bool | None = optional()
    clock_ms: Whole | None = optional(description="Its clock, if it asked for one.")


class PlayerRegistered(EventContent):
    """`player_registered`: a player took a seat."""

    agent_card_url = Field(read.text)
    action_skill = Field(read.text)
    plays_any_game = Field(read.is_true)
    clock_ms = Field(read.whole)

    def __init__(self, payload: Fields, seat: ReportedSeat) -> None:
        super().__init__(payload)
        self.seat = seat

    @classmethod
    def of(cls, payload: Fields | None) -> Self | None:
        """Read a payload; None if it does not name the player."""
        seat = read.seat(payload) if payload else None
        return cls(payload, seat) if payload and seat else None


class HandStartedPayload(WireModel):
    """`hand_started`: stacks are those before the forced bets."""

    hand_number: PositiveWhole
    button_seat: Whole
    small_blind: Amount
    big_blind: Amount
    ante: Amount
    posted: tuple[ForcedBet, ...]
    players: tuple[PlayerSeat, ...]


class GameStartedPayload(WireModel):
    """`hand_started` of a game other than Hold'em; stacks are those before the hand."""

    hand_number: PositiveWhole
    game_type: str
    spec_version: str
    button_seat: Whole
    players: tuple[PlayerSeat, ...]
    state: dict[str, Any] = pydantic.Field(description="The game's public state.")
    happened: tuple[dict[str, Any], ...] = pydantic.Field((), description="Effects of the deal.")
    told: tuple[str, ...] | None = optional(description=_TOLD)


class HandStarted(EventContent):
    """`hand_started`: stacks are as before the forced bets."""

    players = Field(read.seats)
    button_seat = Field(read.whole)
    small_blind = Field(read.amount)
    big_blind = Field(read.amount)
    ante = Field(read.amount)
    posted = Field(read.bets)
    game_type = Field(read.text)
    state = Field(read.mapping)
    """The public state of a game other than Hold'em, which has None."""


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
    defaulted: Defaulted | None = optional(description=_DEFAULTED)
    latency_ms: Whole | None = optional(description="Absent if nothing was asked.")
    message: str | None = optional()
    reason: str | None = optional(description=_FAULT_REASON)


class GameActedPayload(WireModel):
    """`action_taken` of a game other than Hold'em."""

    hand_number: PositiveWhole
    player_id: str
    action: str = pydantic.Field(description="The action's type.")
    details: dict[str, Any] = pydantic.Field(description="The whole action.")
    outcome: Outcome
    defaulted: Defaulted | None = optional(description=_DEFAULTED)
    latency_ms: Whole | None = optional(description="Absent if nothing was asked.")
    state: dict[str, Any] = pydantic.Field(description="The game's public state after the action.")
    happened: tuple[dict[str, Any], ...] = ()
    message: str | None = optional()
    reason: str | None = optional(description=_FAULT_REASON)
    told: tuple[str, ...] | None = optional(description=_TOLD)


class ActionTaken(_OfPlayer):
    """`action_taken`: one decision, with pot and stack after it."""

    betting_round = Field(read.text)
    action = Field(read.text)
    amount = Field(read.amount)
    """The player's total in this betting round."""
    pot = Field(read.amount)
    stack = Field(read.amount)
    outcome = Field(read.text)
    message = Field(read.text)
    defaulted = Field(read.message(Defaulted))
    """Why the player's program answered with a default; without the detail."""
    reason = Field(read.text)
    """Why an answer was refused or none came; never public."""
    latency_ms = Field(read.whole)
    details = Field(read.mapping)
    """The whole action of a game other than Hold'em."""
    state = Field(read.mapping)
    """The public state after the action of a game other than Hold'em, which has None."""

    @property
    def default_reason(self) -> str | None:
        """Why the player's program answered in its place, as one word; None if it did not."""
        if self.outcome not in {"away", "defaulted"}:
            return None
        if self.defaulted is not None:
            return self.defaulted.reason
        return "away" if self.outcome == "away" else OTHER_REASON

    @property
    def fault(self) -> str | None:
        """Why the table acted in the player's place, in words; None if the player decided."""
        if self.outcome is None or self.outcome in {"ok", "retried"}:
            return None
        return (self.default_reason or self.outcome).replace("_", " ")


class HandCompletedPayload(WireModel):
    """`hand_completed`: exactly once per hand."""

    hand_number: PositiveWhole
    community_cards: tuple[Card, ...]
    pots: tuple[AwardedPot, ...]
    returned: PotShare | None = optional(description="The unmatched part of the last bet.")
    rake: SignedAmount | None = optional(description="What left the table, of hands of files.")
    is_cancelled: bool | None = optional(description="Whether everybody got back its chips.")
    shown: tuple[ShownHand, ...]
    stacks: tuple[StackAfter, ...]
    disclosed: tuple[DisclosedDecision, ...] | None = optional(description=_DISCLOSED)
    pause_ms: PositiveWhole | None = optional(description=_PAUSE)
    opening: DealOpening | None = optional(description=_OPENING)


class GameCompletedPayload(WireModel):
    """`hand_completed` of a game other than Hold'em; `scores` and `house` add up to 0.

    A game that is played for points has `points` instead, best first, and moves no chips.
    """

    hand_number: PositiveWhole
    result: dict[str, Any] = pydantic.Field(description="Conforms to the Result Schema.")
    scores: dict[str, SignedAmount]
    house: SignedAmount | None = optional(description="The bank's win or, negative, loss.")
    stacks: tuple[StackAfter, ...]
    points: tuple[PlayerPoints, ...] | None = optional()
    disclosed: tuple[DisclosedDecision, ...] | None = optional(description=_DISCLOSED)
    told: tuple[str, ...] | None = optional(description=_TOLD)
    pause_ms: PositiveWhole | None = optional(description=_PAUSE)
    opening: DealOpening | None = optional(description=_OPENING)


class HandCompleted(EventContent):
    """`hand_completed`: a hand or a round of a game is over and paid."""

    stacks = Field(read.stacks)
    community_cards = Field(read.cards)
    board_size = Field(read.size, "communityCards")
    pots = Field(read.messages(AwardedPot))
    winners = Field(read.winners, "pots")
    """The players who won chips of a pot."""
    pot_amounts = Field(read.amounts, "pots")
    """The amount of each pot, None where it cannot be read; winners are not needed."""
    returned = Field(read.message(PotShare))
    rake = Field(read.signed)
    is_cancelled = Field(read.is_true)
    shown = Field(read.messages(ShownHand))
    scores = Field(read.scores)
    """Chips won or lost by player, in a game other than Hold'em, which has None."""
    points = Field(read.messages(PlayerPoints))
    """The ranking of a game that is played for points, best first; else empty."""
    disclosed = Field(read.messages(DisclosedDecision))
    """What is now public of the hand's decisions, in their order."""
    opening = Field(read.mapping)
    """How the cards follow from the table's commitment, unread."""
    house = Field(read.signed)
    """What the bank won or, negative, lost."""
    result = Field(read.mapping)
    """The result of a game other than Hold'em."""

    @property
    def public_result(self) -> Fields | None:
        """The public state with which a game other than Hold'em ended."""
        return read.mapping(self.result.get("public")) if self.result else None


class PlayerBustedPayload(WireModel):
    """`player_busted`: a player lost the last chip; `finish` is the final place."""

    hand_number: PositiveWhole
    player_id: str
    finish: PositiveWhole


class PlayerBusted(_OfPlayer):
    """`player_busted`: a player lost the last chip and the seat."""


class TableErrorPayload(WireModel):
    """`table_error`: a failure (`reason`) and how it was handled (`done`)."""

    reason: str
    done: str
    status: TableStatus | None = optional(description="The table's new status, if it changed.")
    player_id: str | None = optional()
    hand_number: PositiveWhole | None = optional()


class TableFailed(EventContent):
    """`table_error`: a failure; it changes nothing but the table's status."""

    status = Field(read.status)


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
    commitment: DealCommitment | None = optional(description="deal_committed: to what.")
    contributed: DealContributed | None = optional(description="deal_contributed: what.")


class StatusChanged(EventContent):
    """`table_status`: something about the table or one of its seats changed."""

    kind = Field(read.text)
    status = Field(read.status)
    player_id = Field(read.player_id)
    stack = Field(read.amount)
    amount = Field(read.amount)
    hands_left = Field(read.whole)
    plays_for = Field(read.text)
    betting_round = Field(read.text)
    community_cards = Field(read.cards)
    commitment = Field(read.mapping)
    """What a table commits to, unread."""
    contributed = Field(read.mapping)
    """What contributors added, unread."""


class EventKind(NamedTuple):
    """How a kind of event is written and read."""

    payload: type[WireModel]
    read: Callable[[Fields | None], EventContent | None] = EventContent
    of_games: type[WireModel] | None = None
    """The payload in a game other than Hold'em, where it differs."""


KINDS: dict[EventType, EventKind] = {
    "player_registered": EventKind(PlayerRegisteredPayload, PlayerRegistered.of),
    "hand_started": EventKind(HandStartedPayload, HandStarted, GameStartedPayload),
    "action_taken": EventKind(ActionTakenPayload, ActionTaken.of, GameActedPayload),
    "hand_completed": EventKind(HandCompletedPayload, HandCompleted, GameCompletedPayload),
    "player_busted": EventKind(PlayerBustedPayload, PlayerBusted.of),
    "table_error": EventKind(TableErrorPayload, TableFailed),
    "table_status": EventKind(StatusPayload, StatusChanged),
}
_READERS = {name: kind.read for name, kind in KINDS.items()}


class HasPayload(Protocol):
    """What is read of a table event."""

    @property
    def event_type(self) -> EventType: ...

    @property
    def payload(self) -> Fields | None: ...


def content_of(event: HasPayload) -> EventContent | None:
    """Return what an event says; None where it does not even name the player that it is about."""
    return _READERS[event.event_type](event.payload)


def hand_number_of(event: HasPayload) -> int | None:
    """Return the number of an event's hand, without reading what else it says."""
    return read.whole((event.payload or {}).get("handNumber"))


def stacks_of(players: Iterable[ReportedSeat | PlayerStack]) -> dict[str, float]:
    return {player.player_id: player.stack for player in players if player.stack is not None}
