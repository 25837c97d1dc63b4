"""What the casino says to a player agent, and what a player answers: `signup` and `act`."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticSerializationError, to_json

from casino_contracts.base import DisplayName, Reasoning, TableTalk, Token, WireModel, optional
from casino_contracts.cards import Card
from casino_contracts.numbers import Amount, PositiveAmount, Whole
from casino_contracts.skills import ActionSkill

ActionKind = Literal["fold", "check", "call", "bet", "raise", "all-in"]
BettingRound = Literal["preflop", "flop", "turn", "river"]
SeatStatus = Literal["active", "folded", "all-in", "sitting-out"]
RejectionReason = Literal["illegal", "malformed"]

HOLDEM = "texas-holdem"
"""The game type that is played where none is named."""


class SignupInvitation(WireModel):
    """The casino invites a player to a table (the input of `signup`)."""

    casino_name: str
    table_id: str
    room_id: str
    min_buy_in: PositiveAmount
    max_buy_in: PositiveAmount
    small_blind: PositiveAmount
    big_blind: PositiveAmount
    player_id: str | None = optional(description="The id that the player will have in the room.")
    seat_token: Token | None = optional(
        repr=False,
        description="The table shows it with every question, as `Authorization: Bearer ...`;"
        " whoever does not is not the table.",
    )


class SignupResponse(WireModel):
    """The player takes the seat (the output of `signup`)."""

    display_name: DisplayName = Field(description="The name the casino shows.")
    action_skill: ActionSkill = Field(
        default="act", description="The entrypoint that is called on every turn."
    )
    buy_in: PositiveAmount | None = optional(
        description="Chips to sit down with, minBuyIn to maxBuyIn; absent: the starting stack."
    )
    plays_any_game: bool | None = optional(
        description="Ask in the words of the game's specification (GameActionRequest)."
    )


class PlayerView(WireModel):
    """What everybody may see of one player in the hand."""

    player_id: str
    display_name: str
    seat_number: Whole
    stack: Amount = Field(description="Chips behind.")
    bet: Amount = Field(description="Chips put in during this betting round.")
    status: SeatStatus


class PastAction(WireModel):
    """An action of this hand that everybody saw."""

    player_id: str
    betting_round: BettingRound
    action: ActionKind
    amount: Amount | None = optional(
        description="The player's total in that betting round; absent for fold and check."
    )


_ECHO_LIMIT, _ECHO_DEPTH = 4_096, 32


def _small(answer: Any) -> Any:
    """Return an answer that can be sent back, None for one that is too large or too deep."""
    level = [answer]
    for _ in range(_ECHO_DEPTH + 1):
        inner: list[Any] = []
        for one in level:
            inner += one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        level = inner
    try:
        return None if level or len(to_json(answer)) > _ECHO_LIMIT else answer
    except (PydanticSerializationError, ValueError):
        return None


class Rejection(WireModel):
    """Why the first answer to a question was not taken."""

    reason: RejectionReason
    message: str
    answer: Annotated[Any, AfterValidator(_small)] = optional(
        description="The answer that was refused; absent where it is larger than 4096 bytes or"
        " nested deeper than 32 levels."
    )


class ActionRequest(WireModel):
    """One question to a player (the input of `act`).

    The first nine fields are the protocol document's.
    Amounts are in the table's numbers; every "to" is a total for this betting round.
    """

    table_id: str
    betting_round: BettingRound
    community_cards: tuple[Card, ...]
    hole_cards: Annotated[tuple[Card, ...], Field(min_length=2, max_length=2)]
    pot: Amount = Field(description="All chips put in during this hand, this round included.")
    minimum_raise: Amount = Field(
        description="Size of the smallest full raise: currentBet + minimumRaise is its total."
    )
    current_bet: Amount = Field(description="The total to be matched in this betting round.")
    player_stack: Amount = Field(description="Chips the player has left behind.")
    legal_actions: Annotated[tuple[ActionKind, ...], Field(min_length=1)] = Field(
        description="Exactly what is accepted."
    )

    request_id: str | None = optional(
        description="Names this question: asked again, it deserves the same answer."
    )
    game_type: str | None = optional()
    hand_id: str | None = optional()
    hand_number: Whole | None = optional()
    player_id: str | None = optional()
    seat_number: Whole | None = optional()
    button_seat: Whole | None = optional()
    to_call: Amount | None = optional(description="Chips to add for a call, by the stack at most.")
    min_raise_to: Amount | None = Field(
        default=None, description="Smallest bet or raise, as a total; null when none is legal."
    )
    max_raise_to: Amount | None = Field(
        default=None, description="Largest bet or raise, as a total; null when none is legal."
    )
    deadline_ms: Whole | None = optional(description="What is left of the clock, as sent.")
    players: tuple[PlayerView, ...] | None = optional(description="Everybody dealt in.")
    history: tuple[PastAction, ...] | None = optional(description="This hand's actions so far.")
    rejected: Rejection | None = optional(description="On the second attempt: what was wrong.")


class ActionResponse(WireModel):
    """A player's decision (the output of `act`).

    >>> ActionResponse(action="raise", amount=300).model_dump_json()
    '{"action":"raise","amount":300}'
    """

    action: ActionKind
    amount: Amount | None = optional(
        description="For bet and raise: the TOTAL put in during this betting round (raise to)."
    )
    message: TableTalk | None = optional(description="Table talk, public at once.")
    reasoning: Reasoning | None = optional(description="Private until the hand's record is opened.")
