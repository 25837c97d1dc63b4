"""Replies of tables: the protocol document does not say what is in most of them."""

from typing import Annotated, Any, Literal, TypeVar

from casino_contracts import Amount, PlayerSeat, SeatPlayerInput, TableStatus, TableSummary
from casino_contracts.base import PlayerId, WireModel, optional
from casino_contracts.numbers import Whole
from pydantic import ValidationError, ValidatorFunctionWrapHandler, WrapValidator

_T = TypeVar("_T")


def _or_none(value: Any, read: ValidatorFunctionWrapHandler) -> Any:
    try:
        return read(value)
    except ValidationError:
        return None


Read = Annotated[_T | None, WrapValidator(_or_none)]
"""A field that is None if it is absent or cannot be read."""


class TableReply(WireModel):
    """What a table says of itself, as a `TableSummary` of which any field may be missing."""

    table_id: Read[str] = optional()
    status: Read[TableStatus] = optional()
    hand_count: Read[Whole] = optional()
    players: Read[tuple[PlayerSeat, ...]] = optional()
    message: Read[str] = optional()
    state: Read[str] = optional()
    epoch: Read[Whole] = optional()
    sequence: Read[Whole] = optional()
    kept_from: Read[Whole] = optional()
    plays_for: Read[Literal["points"]] = optional()

    def completed(self, recorded: TableSummary) -> TableSummary:
        """Return the summary, with what the lobby has recorded in place of missing fields."""
        replied = {name: getattr(self, name) for name in TableSummary.model_fields}
        present = {name: value for name, value in replied.items() if value is not None}
        return recorded.model_copy(update=present)


class SeatReply(WireModel):
    """What a table says of a new seat, as a `PlayerSeat` of which any field may be missing."""

    player_id: Read[PlayerId] = optional()
    seat_number: Read[Whole] = optional()
    display_name: Read[str] = optional()
    stack: Read[Amount] = optional()

    def completed(self, request: SeatPlayerInput, free_seat: int) -> PlayerSeat:
        """Return the seat, with what was requested in place of missing fields."""
        return PlayerSeat(
            player_id=self.player_id or request.player_id,
            seat_number=free_seat if self.seat_number is None else self.seat_number,
            display_name=self.display_name or request.display_name,
            stack=request.starting_stack if self.stack is None else self.stack,
            player_type=request.player_type,
        )
