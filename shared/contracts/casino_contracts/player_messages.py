"""Messages of a player's entrypoints, `signup` and `act`, in Hold'em and in any game."""

from datetime import timedelta
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, Field
from pydantic_core import PydanticSerializationError, to_json

from casino_contracts.base import (
    DefaultDetail,
    DefaultReason,
    DisplayName,
    FreeObject,
    ModelName,
    Reasoning,
    TableTalk,
    Token,
    WireModel,
    optional,
)
from casino_contracts.deal_messages import CardProof, holdem_order
from casino_contracts.entrypoints import ActionSkill
from casino_contracts.numbers import Amount, PositiveAmount, PositiveWhole, Whole, whole

Rank = Literal["2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A"]
Suit = Literal["hearts", "diamonds", "clubs", "spades"]

_RANKS: tuple[Rank, ...] = get_args(Rank)
_SUITS: tuple[Suit, ...] = ("clubs", "diamonds", "hearts", "spades")
"""In the order of the cards' numbers."""
_SUIT_BY_LETTER: dict[str, Suit] = {suit[0]: suit for suit in get_args(Suit)}


class Card(WireModel):
    """One playing card.

    >>> Card.from_text("Td").model_dump_json()
    '{"rank":"T","suit":"diamonds"}'
    """

    rank: Rank
    suit: Suit

    @classmethod
    def from_text(cls, text: str) -> "Card":
        """Parse the short form, such as `"As"`. Raises ValueError if it is not a card."""
        return cls.model_validate({"rank": text[:1], "suit": _SUIT_BY_LETTER.get(text[1:])})

    @classmethod
    def of_number(cls, number: int) -> "Card":
        """Return the card of a number from 0 to 51: four times the rank, plus the suit."""
        rank, suit = divmod(number, len(_SUITS))
        return cls(rank=_RANKS[rank], suit=_SUITS[suit])

    @property
    def number(self) -> int:
        return len(_SUITS) * _RANKS.index(self.rank) + _SUITS.index(self.suit)

    @property
    def text(self) -> str:
        """The short form: rank and the suit's first letter."""
        return self.rank + self.suit[0]


ActionKind = Literal["fold", "check", "call", "bet", "raise", "all-in"]
BettingRound = Literal["preflop", "flop", "turn", "river"]
SeatStatus = Literal["active", "folded", "all-in", "sitting-out"]
RejectionReason = Literal["illegal", "malformed"]
PlayerType = Literal["human", "ai"]  # who decides for a player, as its program says at signup

LONGEST_CLOCK_MS = 3_600_000  # maximum time for one decision, and maximum time bank: one hour
ClockMs = Annotated[int, whole(1, LONGEST_CLOCK_MS)]
TIME_BANK = "Time left of the session's bank for decisions that take longer than deadlineMs, in ms."

AWAY = (
    "Nobody is there to decide: the action is taken at once, and the decision counts as missed;"
    " the same as `defaulted` with the reason `away`."
)
DEFAULT_REASONS = {
    "away": "nobody is there to decide",
    "budget": "the tokens or the money for decisions are spent",
    "closing": "the seat or its process is being closed",
    "default_action": "the player asked for the default action by its name",
    "disconnected": "what decides is not connected",
    "failed": "the program that decides failed, such as by an exception",
    "model_failed": "the language model did not answer; `detail` has its provider's words",
    "provider_away": "the language model's provider cannot be reached, or refuses every question;"
    " `detail` has its words",
    "rejected": "the table refused the first answer, and there is no other",
    "state_invalid": "the question cannot be understood, such as a state without its fields",
    "timeout": "no decision was made in time",
    "unparsable": "no action can be read in what was answered",
}
"""What the known reasons of `Defaulted` mean; programs may send other words."""
_DEFAULTED = "Something answered in the player's place; absent: the decision is the player's own."
_USAGE = "What the decision cost, as the player says; public when the hand is over."
_REASONING = (
    "Private: only in the hand's record, and published when the hand is over if the player's"
    " profile says so."
)
_PROFILE = "What the player says of itself; public."

HOLDEM = "texas-holdem"  # the default game type

CARD_TIMEOUT = timedelta(seconds=5)  # how long a lobby or a match waits for a player's card
INVITED = "A casino invites you to its table; accept by giving your display name."
"""The text beside an invitation, for models that read it."""


class SignupInvitation(WireModel):
    """Invitation of a player to a table (input of `signup`)."""

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
        description="The table sends it with every action request, as `Authorization: Bearer ...`;"
        " a caller without it is not the table.",
    )
    game_type: str | None = optional(
        description="The game that the room plays; absent: Texas Hold'em."
    )
    arguments: FreeObject | None = optional(
        description="Settings of the player in a match, as its plan has them; the player says what"
        " they mean."
    )


class PlayerProfile(WireModel):
    """What a player's program says of itself at its signup; public."""

    model: ModelName | None = optional(description="The language model that decides.")
    publishes_reasoning: bool | None = optional(
        description="Whether the reasoning of its decisions is published when the hand is over."
    )


class SignupResponse(WireModel):
    """The player accepts the seat (output of `signup`)."""

    display_name: DisplayName = Field(description="The name to display.")
    action_skill: ActionSkill = Field(
        default="act", description="The entrypoint that is called on every turn."
    )
    buy_in: PositiveAmount | None = optional(
        description="Initial chips, minBuyIn to maxBuyIn; absent: the starting stack."
    )
    plays_any_game: bool | None = optional(
        description="Send GameActionRequest, as in the game's specification."
    )
    clock_ms: ClockMs | None = optional(
        description="Time that the player wants for a decision, in ms; the table grants at most the"
        " room's maxActionTimeoutMs. Absent: actionTimeoutMs."
    )
    player_type: PlayerType | None = optional(
        description="human: a person decides; marked for everybody, and left out of rankings."
    )
    profile: PlayerProfile | None = optional(description=_PROFILE)


class PlayerView(WireModel):
    """Public view of one player in the hand."""

    player_id: str
    display_name: str
    seat_number: Whole
    stack: Amount = Field(description="Chips behind.")
    bet: Amount = Field(description="Chips put in during this betting round.")
    status: SeatStatus


class PastAction(WireModel):
    """A previous action of this hand."""

    player_id: str
    betting_round: BettingRound
    action: ActionKind
    amount: Amount | None = optional(
        description="The player's total in that betting round; absent for fold and check."
    )


_ECHO_LIMIT, _ECHO_DEPTH = 4_096, 32


def _echoable(answer: Any) -> Any:
    """Return the answer, or None if it is too large or too deep to be sent back."""
    level = [answer]
    for _ in range(_ECHO_DEPTH + 1):
        inner: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                inner += item.values()
            elif isinstance(item, list):
                inner += item
        level = inner
    try:
        return None if level or len(to_json(answer)) > _ECHO_LIMIT else answer
    except (PydanticSerializationError, ValueError):
        return None


class Rejection(WireModel):
    """Why the player's first answer was refused."""

    reason: RejectionReason
    message: str
    answer: Annotated[Any, AfterValidator(_echoable)] = optional(
        description="The refused answer; absent if it is larger than 4096 bytes or nested deeper"
        " than 32 levels."
    )


class ActionRequest(WireModel):
    """Request for a player's action in Hold'em (input of `act`).

    The first nine fields are from the protocol document. Amounts are in the config's unit; a field
    with "to" in its name is a total for this betting round.
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
    player_stack: Amount = Field(description="Chips the player has left.")
    legal_actions: Annotated[tuple[ActionKind, ...], Field(min_length=1)] = Field(
        description="The legal actions; no other is accepted."
    )

    request_id: str | None = optional(
        description="Idempotency key: the same id must be given the same answer."
    )
    game_type: str | None = optional()
    hand_id: str | None = optional()
    hand_number: Whole | None = optional()
    player_id: str | None = optional()
    seat_number: Whole | None = optional()
    button_seat: Whole | None = optional()
    to_call: Amount | None = optional(description="Chips to add for a call, at most the stack.")
    min_raise_to: Amount | None = Field(
        default=None, description="Smallest bet or raise, as a total; null when none is legal."
    )
    max_raise_to: Amount | None = Field(
        default=None, description="Largest bet or raise, as a total; null when none is legal."
    )
    deadline_ms: Whole | None = optional(description="Time left to answer when sent, in ms.")
    time_bank_ms: Whole | None = optional(description=TIME_BANK)
    players: tuple[PlayerView, ...] | None = optional(description="All players in the hand.")
    history: tuple[PastAction, ...] | None = optional(description="This hand's actions so far.")
    rejected: Rejection | None = optional(
        description="On the second attempt: why the first failed."
    )
    proof: CardProof | None = optional(
        description="That the table committed to the hole cards; in a contributor's first question"
        " of a hand."
    )

    @property
    def own_leaf(self) -> int | None:
        """The leaf of a fair deal that has the hole cards; None where seats are not told."""
        if self.players is None or self.seat_number is None or self.button_seat is None:
            return None
        order = holdem_order((each.seat_number for each in self.players), self.button_seat)
        return order.index(self.seat_number) if self.seat_number in order else None


class Defaulted(WireModel):
    """Why something answered in a player's place: a default, not a decision."""

    reason: DefaultReason = Field(
        description="A word in lower case: " + ", ".join(DEFAULT_REASONS) + ", or another one."
    )
    detail: DefaultDetail | None = optional(
        description="Why in one line, such as the words of a model's provider; public when the"
        " hand is over."
    )

    @property
    def text(self) -> str:
        """The reason, and the detail if there is one, in one line."""
        return f"{self.reason}: {self.detail}" if self.detail else self.reason


class Usage(WireModel):
    """What a decision cost its player; all attempts together."""

    model: ModelName | None = optional(description="The language model that was asked.")
    latency_ms: Whole | None = optional(description="How long the model took, in ms.")
    attempts: Whole | None = optional(description="How often the model was called.")
    input_tokens: Whole | None = optional(description="Tokens of the prompts, cached ones too.")
    output_tokens: Whole | None = optional(description="Tokens of the answers, thoughts too.")
    cached_tokens: Whole | None = optional(description="Those of the prompts that were cached.")
    reasoning_tokens: Whole | None = optional(description="Those of the answers that are thoughts.")
    cost_usd: Amount | None = optional(
        description="The price in US dollars, where every part of it is known."
    )


def usage_of_both(earlier: Usage | None, later: Usage | None) -> Usage | None:
    """Return what both cost together, with the later one's model if it names any."""
    if earlier is None or later is None:
        return earlier or later
    both = {name: (getattr(earlier, name), getattr(later, name)) for name in _SUMMED}
    sums = {name: (one or 0) + (two or 0) for name, (one, two) in both.items() if one or two}
    prices = earlier.cost_usd, later.cost_usd
    cost = None if prices[0] is None or prices[1] is None else prices[0] + prices[1]
    return Usage(model=later.model or earlier.model, cost_usd=cost, **sums)


_SUMMED = tuple(name for name in Usage.model_fields if name not in {"model", "cost_usd"})


class ActionResponse(WireModel):
    """A player's action in Hold'em (output of `act`).

    >>> ActionResponse(action="raise", amount=300).model_dump_json()
    '{"action":"raise","amount":300}'
    """

    action: ActionKind
    amount: Amount | None = optional(
        description="For bet and raise: the TOTAL put in during this betting round (raise to)."
    )
    message: TableTalk | None = optional(description="Table talk, public at once.")
    reasoning: Reasoning | None = optional(description=_REASONING)
    away: bool | None = optional(description=AWAY)
    defaulted: Defaulted | None = optional(description=_DEFAULTED)
    usage: Usage | None = optional(description=_USAGE)


class GameActionRequest(WireModel):
    """Request for a player's action in any game (input of `act`).

    `state` conforms to the State Schema of the game's specification. Each available action can be
    sent back unchanged; one with a range (`min`, `max`) needs an `amount` within it.
    """

    table_id: str
    game_type: str
    spec_version: str = Field(description="Version of the specification of this message.")
    request_id: str = Field(
        description="Idempotency key: the same id must be given the same answer."
    )
    player_id: str
    state: dict[str, Any] = Field(description="`public` and `private`: the player's view.")
    available_actions: tuple[dict[str, Any], ...] = Field(
        min_length=1, description="The legal actions; no other is accepted."
    )
    deadline_ms: Whole = Field(description="Time left to answer when sent, in ms.")
    time_bank_ms: Whole | None = optional(description=TIME_BANK)
    hand_id: str | None = optional()
    hand_number: PositiveWhole | None = optional()
    rejected: Rejection | None = optional(
        description="On the second attempt: why the first failed."
    )


class GameActionResponse(WireModel):
    """A player's action in any game (output of `act`).

    >>> GameActionResponse(action={"action_type": "HIT"}).model_dump_json()
    '{"action":{"action_type":"HIT"}}'
    """

    action: dict[str, Any] = Field(description="Conforms to the specification's Action Schema.")
    message: TableTalk | None = optional(description="Table talk, public at once.")
    reasoning: Reasoning | None = optional(description=_REASONING)
    away: bool | None = optional(description=AWAY)
    defaulted: Defaulted | None = optional(description=_DEFAULTED)
    usage: Usage | None = optional(description=_USAGE)
