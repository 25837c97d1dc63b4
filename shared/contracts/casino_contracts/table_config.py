"""Configuration of a room's table, and the unit of its chips."""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, field_validator

from casino_contracts.base import WireModel, optional
from casino_contracts.numbers import MAX_SAFE, Amount, PositiveAmount, PositiveWhole, whole

MAX_DECIMALS = 6
"""Maximum number of decimal places, so that chip counts stay exact integers."""

Rebuy = Literal["none", "auto"]


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
    action_timeout_ms: Annotated[int, whole(1, 3_600_000)] = 10_000
    max_timeouts: PositiveWhole = 3
    ante: Amount = 0
    rebuy: Rebuy = "none"
    seed: str | None = optional(
        min_length=1,
        max_length=256,
        description="Makes the session reproducible. Write-only: never returned.",
    )

    @field_validator(
        "starting_stack", "small_blind", "big_blind", "min_buy_in", "max_buy_in", "ante"
    )
    @classmethod
    def _has_a_unit(cls, amount: float) -> float:
        if _decimals(amount) > MAX_DECIMALS:
            raise ValueError(f"has more than {MAX_DECIMALS} decimal places")
        return amount

    @field_validator("big_blind")
    @classmethod
    def _covers_the_small_blind(cls, big_blind: float, info: ValidationInfo) -> float:
        small_blind = info.data.get("small_blind", 0)
        if big_blind < small_blind:
            raise ValueError(f"must be at least smallBlind, {small_blind}")
        return big_blind

    @field_validator("big_blind", "ante")
    @classmethod
    def _leaves_something_to_play_for(cls, forced: float, info: ValidationInfo) -> float:
        starting_stack = info.data.get("starting_stack", forced)
        if forced > starting_stack:
            raise ValueError(f"must be at most startingStack, {starting_stack}")
        return forced

    @field_validator("max_buy_in")
    @classmethod
    def _admits_the_starting_stack(cls, max_buy_in: float, info: ValidationInfo) -> float:
        min_buy_in = info.data.get("min_buy_in", 0)
        if max_buy_in < min_buy_in:
            raise ValueError(f"must be at least minBuyIn, {min_buy_in}")
        starting_stack = info.data.get("starting_stack", min_buy_in)
        if not min_buy_in <= starting_stack <= max_buy_in:
            raise ValueError(
                f"startingStack {starting_stack} must lie between minBuyIn and maxBuyIn,"
                f" {min_buy_in} to {max_buy_in}"
            )
        return max_buy_in

    def public(self) -> "TableConfig":
        """Return the config without the seed, for summaries, snapshots and events."""
        return self.model_copy(update={"seed": None})


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
        return cls(decimals=max(map(_decimals, amounts)))

    def chips(self, amount: float) -> int:
        """Convert an amount of the wire to whole chips.

        Raises ValueError, naming the unit, if the amount is not a multiple of it.
        """
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
