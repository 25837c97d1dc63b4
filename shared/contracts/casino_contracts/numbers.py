"""Number types of the wire format, exact in every language.

JavaScript and protobuf represent numbers as doubles. So integers stay within ±(2^53 - 1), `40.0`
is read as `40`, and strings and booleans are refused.
"""

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

MAX_SAFE = 2**53 - 1
"""The largest integer that a double represents unambiguously (`Number.MAX_SAFE_INTEGER`)."""


def _whole_where_possible(number: float) -> int | float:
    return int(number) if number.is_integer() else number


def _must_be_whole(number: float) -> int:
    if not number.is_integer():
        raise PydanticCustomError("whole_number", "must be a whole number")
    return int(number)


@dataclass(frozen=True)
class WireNumber:
    """Pydantic schema of a number; the common case, an int, is validated without Python code."""

    at_least: int = 0
    above: int | None = None
    at_most: int = MAX_SAFE
    whole: bool = False

    def __get_pydantic_core_schema__(
        self, _source: Any, _handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        integer = core_schema.int_schema(
            strict=True, ge=self.at_least, gt=self.above, le=self.at_most
        )
        real = core_schema.float_schema(
            strict=True, allow_inf_nan=False, ge=self.at_least, gt=self.above, le=self.at_most
        )
        return core_schema.union_schema(
            [
                integer,
                core_schema.no_info_after_validator_function(
                    _must_be_whole if self.whole else _whole_where_possible, real
                ),
            ],
            mode="left_to_right",
            custom_error_type="number",
            custom_error_message=self._demand(),
        )

    def __get_pydantic_json_schema__(
        self, _schema: CoreSchema, _handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        lowest = (
            {"minimum": self.at_least}
            if self.above is None
            else {"exclusiveMinimum": self.above}
            if not self.whole
            else {"minimum": self.above + 1}
        )
        return {"type": "integer" if self.whole else "number", **lowest, "maximum": self.at_most}

    def _demand(self) -> str:
        kind = "a whole number" if self.whole else "a number"
        lowest = f"of at least {self.at_least}" if self.above is None else f"above {self.above}"
        return f"must be {kind} {lowest} and at most {self.at_most}"


Amount = Annotated[int | float, WireNumber()]
"""An amount of chips in the config's unit, 0 or more; an int if it is whole."""

PositiveAmount = Annotated[int | float, WireNumber(above=0)]
"""An amount of chips in the config's unit, more than 0."""

SignedAmount = Annotated[int | float, WireNumber(at_least=-MAX_SAFE)]
"""Chips won (positive) or lost (negative)."""

Whole = Annotated[int, WireNumber(whole=True)]
"""A whole number, 0 or more: a seat, a count, milliseconds."""

PositiveWhole = Annotated[int, WireNumber(above=0, whole=True)]  # a whole number, 1 or more


def whole(at_least: int, at_most: int) -> Any:
    """Return the `Annotated` metadata of a whole number within bounds.

    >>> Seats = Annotated[int, whole(2, 10)]
    """
    return WireNumber(at_least=at_least, at_most=at_most, whole=True)
