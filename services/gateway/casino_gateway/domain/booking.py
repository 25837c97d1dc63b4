"""Bookings of a seat's play chips, folded from the room's public events. Pure."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Literal

from casino_contracts import TableEvent
from casino_contracts.events.content import (
    EventContent,
    HandCompleted,
    PlayerBusted,
    PlayerRegistered,
    StatusChanged,
    content_of,
    stacks_of,
)

BookingKind = Literal["deposit", "withdrawal", "game_win", "game_loss"]
"""`deposit`: chips that the casino gives with a seat or a rebuy; `withdrawal`: those given back."""

_SIGNS: dict[BookingKind, int] = {"deposit": 1, "withdrawal": -1, "game_win": 1, "game_loss": -1}


@dataclass(frozen=True, slots=True)
class Booking:
    """Chips that a seat got or lost; the amount is positive, the kind says which way it went."""

    kind: BookingKind
    amount: Decimal

    @property
    def change(self) -> Decimal:
        return _SIGNS[self.kind] * self.amount


@dataclass(frozen=True, slots=True)
class Transaction:
    """A stored booking, with the owner's balance after it."""

    tx_id: str
    booking: Booking
    balance: Decimal
    table_id: str
    game_type: str
    at: datetime


class SeatChips:
    """The stack of one seat, and the bookings that its changes make.

    `stack` is that of the newest event that was folded; None before the seat is known.
    """

    def __init__(self, player_id: str, stack: Decimal | None = None) -> None:
        self._player_id = player_id
        self.stack = stack

    def fold(self, event: TableEvent) -> Booking | None:
        """Fold the room's next event; return what is booked, if anything."""
        content = content_of(event)
        return None if content is None else self._booked(content)

    def close(self) -> Booking | None:
        """Book that the seat is given back with its chips, unless an event said so before."""
        return self._moved("withdrawal", self.stack, None)

    def _booked(self, content: EventContent) -> Booking | None:
        match content:
            case PlayerRegistered() if content.seat.player_id == self._player_id:
                stack = _exact(content.seat.stack)
                return self._moved("deposit", stack, stack) if self.stack is None else None
            case StatusChanged(kind="rebought" | "cashed_out" as kind) if (
                content.player_id == self._player_id
            ):
                amount, stack = _exact(content.amount), self.stack or Decimal(0)
                return (
                    self._moved("deposit", amount, stack + amount)
                    if kind == "rebought"
                    else self._moved("withdrawal", amount, stack - amount)
                )
            case StatusChanged(kind="left") if content.player_id == self._player_id:
                paid = self.stack if content.stack is None else _exact(content.stack)
                return self._moved("withdrawal", paid, None)
            case PlayerBusted() if content.player_id == self._player_id:
                return self._moved("withdrawal", None, None)
            case HandCompleted():
                return self._paid(stacks_of(content.stacks).get(self._player_id))
        return None

    def _paid(self, stack: float | None) -> Booking | None:
        """Book a hand: the difference of the stacks after it and before."""
        if stack is None:
            return None
        after = _exact(stack)
        before = after if self.stack is None else self.stack
        kind: BookingKind = "game_win" if after > before else "game_loss"
        return self._moved(kind, abs(after - before), after)

    def _moved(
        self, kind: BookingKind, amount: Decimal | None, stack: Decimal | None
    ) -> Booking | None:
        self.stack = stack
        return Booking(kind, amount) if amount else None


def _exact(amount: float | None) -> Decimal:
    return Decimal(str(amount or 0))
