"""Configuration of a room's table, and the unit of its chips."""

import hashlib
from collections.abc import Iterable
from decimal import Decimal
from functools import partial
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from casino_contracts.base import WireModel, optional
from casino_contracts.deal_messages import DealBlock
from casino_contracts.numbers import MAX_SAFE, Amount, PositiveAmount, PositiveWhole, whole
from casino_contracts.player_messages import LONGEST_CLOCK_MS, ClockMs

MAX_DECIMALS = 6  # maximum number of decimal places, so that chip counts stay exact integers

Rebuy = Literal["none", "auto"]
ButtonRule = Literal["dead", "moving"]

_RESULT_MS, _RESULT_IN_PACES, _FOLDED_PERCENT, _RUN_OUT_PERCENT = 2_500, 4, 40, 160

_COVERED = {
    "big_blind": "small_blind",
    "max_buy_in": "min_buy_in",
    "max_action_timeout_ms": "action_timeout_ms",
}
"""Fields that must be at least as large as another one."""


def _decimals(amount: float) -> int:
    exponent = Decimal(str(amount)).normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


class TableConfig(WireModel):
    """Configuration of a table.

    The first seven fields are from the protocol document; the rest is optional. The operator
    chooses the unit of the amounts; their smallest decimal place becomes the table's unit (see
    `Unit`).
    """

    starting_stack: PositiveAmount
    small_blind: PositiveAmount
    big_blind: PositiveAmount
    min_buy_in: PositiveAmount
    max_buy_in: PositiveAmount
    max_hands: PositiveWhole
    max_seats: Annotated[int, whole(2, 10)]
    action_timeout_ms: ClockMs = 10_000
    max_timeouts: PositiveWhole = 3
    ante: Amount = 0
    rebuy: Rebuy = "none"
    seed: str | None = optional(
        min_length=1,
        max_length=256,
        description="Makes the session reproducible. Write-only: never returned.",
    )
    decks: PositiveWhole | None = optional(
        description="Number of different decks: after this many hands the decks repeat, in another"
        " order. With two seats and an odd number, every deck is played from both positions. Needs"
        " seed."
    )
    first_deck: PositiveWhole | None = optional(
        description="Number of the deck of the first hand, to play a hand of another room with the"
        " same seed again. Absent: 1. Needs seed."
    )
    reset_stacks: bool | None = optional(
        description="Whether every hand begins with the starting stack: what a player has won is"
        " cashed out before the next hand, what it has lost is bought. Absent: false."
    )
    max_action_timeout_ms: ClockMs | None = optional(
        description="Longest clock that a seat gets if it asks for one at signup, in ms. Absent:"
        " actionTimeoutMs."
    )
    time_bank_ms: Annotated[int, whole(0, LONGEST_CLOCK_MS)] | None = optional(
        description="Time that each seat has in a session for decisions that take longer than its"
        " clock, in ms. Absent: 0."
    )
    pace_ms: Annotated[int, whole(0, 60_000)] | None = optional(
        description="Least time between two published decisions of a hand, and after a deal, in ms;"
        " never charged to a player. Absent: 0."
    )
    result_ms: Annotated[int, whole(0, 60_000)] | None = optional(
        description="How long the result of a hand stays before the next hand, in ms; 40 % of it"
        " where all others folded. Absent: 2500 where a person sits, else four times paceMs, at"
        " most 2500."
    )

    button_rule: ButtonRule | None = optional(
        description="In Hold'em, whether the button and the small blind of a seat that is empty by"
        " now are dead, as in tournaments (TDA 32), or move to the next player. Absent: dead."
    )

    fair_deal: bool | None = optional(
        description="Whether nobody chooses the cards, and anybody can check them: false: the table"
        " deals by itself. Absent: true, unless there is a seed."
    )
    deal_block: DealBlock | None = optional(
        description="Number of hands that the table commits to at once. Absent: 100."
    )

    @field_validator(
        "starting_stack", "small_blind", "big_blind", "min_buy_in", "max_buy_in", "ante"
    )
    @classmethod
    def _has_a_unit(cls, amount: float) -> float:
        if _decimals(amount) > MAX_DECIMALS:
            raise ValueError(f"has more than {MAX_DECIMALS} decimal places")
        return amount

    @field_validator(*_COVERED)
    @classmethod
    def _covers(cls, number: float | None, info: ValidationInfo) -> float | None:
        name = _COVERED[str(info.field_name)]
        least = info.data.get(name, 0)
        if number is not None and number < least:
            raise ValueError(f"must be at least {to_camel(name)}, {least}")
        return number

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        """Compare the starting stack with the other amounts; the fault is of one field."""
        stack, low, high = self.starting_stack, self.min_buy_in, self.max_buy_in
        at_most = f"must be at most startingStack, {stack}"
        faults = {}
        if not low <= stack <= high:
            faults["startingStack"] = f"must lie between minBuyIn and maxBuyIn, {low} to {high}"
        else:
            forced = {"bigBlind": self.big_blind, "ante": self.ante}
            faults = {name: at_most for name, amount in forced.items() if amount > stack}
        if faults:
            raise _faulty(faults)
        return self

    def deck_of(self, hand_number: int) -> int:
        """Return the number of the deck of a hand; both count from 1.

        Repeated decks come in an order that follows from the seed, so that nobody who remembers
        them knows the next one. Decks of odd and of even numbers keep apart: with an odd number of
        decks, two seats change positions between a deck and its repetition.
        """
        number = hand_number + (self.first_deck or 1) - 1
        cycle, place = (0, number - 1) if self.decks is None else divmod(number - 1, self.decks)
        if not cycle or self.decks is None:
            return place + 1
        order = sorted(range(place % 2, self.decks, 2), key=partial(_shuffled, self.seed, cycle))
        return order[place // 2] + 1

    def granted_clock_ms(self, requested: int | None) -> int | None:
        """Return the clock of a seat that asked for one, at most the room's longest; else None."""
        longest = self.max_action_timeout_ms or self.action_timeout_ms
        return None if requested is None else min(requested, longest)

    def result_pause_ms(
        self, *, has_people: bool, is_shown: bool = True, runs_out: bool = False
    ) -> int:
        """Return how long the next hand waits.

        `is_shown`: the hand did not end by folds alone; `runs_out`: cards of the board were dealt
        after the last decision, which takes people longer to see.
        """
        pause_ms = self.result_ms
        if pause_ms is None:
            paced_ms = _RESULT_IN_PACES * (self.pace_ms or 0)
            pause_ms = _RESULT_MS if has_people else min(_RESULT_MS, paced_ms)
        percent = _RUN_OUT_PERCENT if runs_out else 100 if is_shown else _FOLDED_PERCENT
        return pause_ms * percent // 100

    def public(self) -> "TableConfig":
        """Return the config without the seed, for summaries, snapshots and events."""
        return self.model_copy(update={"seed": None})


def _shuffled(seed: str | None, cycle: int, deck: int) -> bytes:
    return hashlib.sha256(f"decks/{cycle}/{deck}/{seed}".encode()).digest()


def _with_a_seed(config: TableConfig) -> TableConfig:
    for name, number in (("decks", config.decks), ("firstDeck", config.first_deck)):
        if number is not None and config.seed is None:
            raise _faulty({name: "needs seed, from which the decks follow"})
    return config


def _faulty(faults: dict[str, str]) -> ValidationError:
    return ValidationError.from_exception_data(
        TableConfig.__name__,
        [
            {"type": PydanticCustomError("config", text), "loc": (name,), "input": None}
            for name, text in faults.items()
        ],
        hide_input=True,
    )


WholeConfig = Annotated[TableConfig, AfterValidator(_with_a_seed)]
"""A config as it is ordered, with the seed that nobody reads later."""


class Unit(WireModel):
    """The smallest amount of a table: 10^-decimals in the config's unit.

    Internally, chips are integers of this unit; on the wire, amounts are in the config's unit.

    >>> unit = Unit(decimals=2)
    >>> unit.chips(0.29), unit.amount(29), unit.amount(500)
    (29, 0.29, 5)
    """

    decimals: Annotated[int, Field(ge=0, le=MAX_DECIMALS)] = 0

    @classmethod
    def of(cls, config: TableConfig) -> "Unit":
        """Return the unit of a config: the smallest decimal place of its amounts."""
        amounts = (
            config.starting_stack,
            config.small_blind,
            config.big_blind,
            config.min_buy_in,
            config.max_buy_in,
            config.ante,
        )
        return cls.of_amounts(amounts)

    @classmethod
    def of_amounts(cls, amounts: Iterable[float]) -> "Unit":
        """Return the unit of which all these amounts are multiples, none below 10^-6."""
        return cls(decimals=min(MAX_DECIMALS, max(map(_decimals, amounts), default=0)))

    def chips(self, amount: float) -> int:
        """Convert it. Raises ValueError, naming the unit, if it is not a multiple of it."""
        if self.decimals == 0 and type(amount) is int:
            return amount
        # Converted by its decimal text, not multiplied: int(0.29 * 100) is 28.
        scaled = Decimal(str(amount)).scaleb(self.decimals)
        if scaled != scaled.to_integral_value() or abs(scaled) > MAX_SAFE:
            raise ValueError(f"{amount} is no multiple of {self.smallest}, this table's unit")
        return int(scaled)

    def amount(self, chips: int) -> int | float:
        """Convert chips to an amount in the config's unit: an int if it is whole."""
        if self.decimals == 0:
            return chips
        scale: int = 10**self.decimals
        return chips // scale if chips % scale == 0 else chips / scale

    @property
    def smallest(self) -> str:
        """The unit as text, such as `0.01`."""
        return str(Decimal(1).scaleb(-self.decimals))


DEFAULT_CONFIG = TableConfig(
    starting_stack=200,
    small_blind=1,
    big_blind=2,
    min_buy_in=40,
    max_buy_in=400,
    max_hands=100,
    max_seats=6,
    rebuy="auto",
)
"""The rules of a room that names none: a hundred big blinds, six seats, automatic rebuys."""
