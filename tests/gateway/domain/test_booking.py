"""Bookings of a seat: each change of its stack once, whatever the events are."""

from decimal import Decimal
from typing import Any

import pytest
from casino_gateway.domain.booking import Booking, SeatChips
from hypothesis import given
from hypothesis import strategies as st
from support.gateway.seat_side import event


def registered(stack: float, player_id: str = "ada") -> Any:
    seat = {"playerId": player_id, "seatNumber": 0, "displayName": "Ada", "stack": stack}
    return event(1, "player_registered", seat)


def hand(stack: float) -> Any:
    return event(
        2, "hand_completed", {"handNumber": 1, "stacks": [{"playerId": "ada", "stack": stack}]}
    )


def status(kind: str, **fields: Any) -> Any:
    return event(
        3, "table_status", {"status": "running", "kind": kind, "playerId": "ada", **fields}
    )


def test_a_seat_is_booked_from_buy_in_to_cash_out() -> None:
    """Cents are exact, and an unchanged stack is not booked."""
    chips = SeatChips("ada")
    assert chips.fold(registered(9, "bob")) is None
    assert chips.fold(registered(0.3)) == Booking("deposit", Decimal("0.3"))
    assert chips.fold(registered(0.3)) is None
    assert chips.fold(hand(0.1)) == Booking("game_loss", Decimal("0.2"))
    assert chips.fold(hand(0.1)) is None
    assert chips.fold(status("rebought", amount=0.2)) == Booking("deposit", Decimal("0.2"))
    assert chips.fold(hand(0.4)) == Booking("game_win", Decimal("0.1"))
    assert chips.fold(status("left", stack=0.4)) == Booking("withdrawal", Decimal("0.4"))
    assert chips.close() is None


def test_chips_above_the_starting_stack_are_paid_out() -> None:
    chips = SeatChips("ada", Decimal(260))
    assert chips.fold(status("cashed_out", amount=60)) == Booking("withdrawal", Decimal(60))
    assert chips.stack == 200
    assert chips.fold(hand(190)) == Booking("game_loss", Decimal(10))


def test_a_bust_gives_nothing_back() -> None:
    """And a seat that is closed without a word of the table gives back what it had."""
    chips = SeatChips("ada", Decimal(5))
    assert chips.fold(hand(0)) == Booking("game_loss", Decimal(5))
    busted = {"handNumber": 1, "playerId": "ada", "finish": 2}
    assert chips.fold(event(4, "player_busted", busted)) is None
    assert chips.close() is None
    assert SeatChips("ada", Decimal(7)).close() == Booking("withdrawal", Decimal(7))


@pytest.mark.parametrize("payload", [{}, {"stacks": 7}, {"stacks": [{"playerId": "ada"}]}])
def test_what_cannot_be_read_books_nothing(payload: dict[str, Any]) -> None:
    chips = SeatChips("ada", Decimal(5))
    assert chips.fold(event(2, "hand_completed", payload)) is None
    assert chips.stack == Decimal(5)


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=30))
def test_the_bookings_add_up_to_the_stack(stacks: list[int]) -> None:
    chips, balance = SeatChips("ada"), Decimal(0)
    for number, stack in enumerate(stacks):
        made = chips.fold(registered(stack) if number == 0 else hand(stack))
        balance += made.change if made else 0
        assert balance == chips.stack == stack
    made = chips.close()
    assert balance + (made.change if made else 0) == 0
