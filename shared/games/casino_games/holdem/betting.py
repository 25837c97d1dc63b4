"""Betting rules of no-limit Hold'em: the turn of each seat and the limits of its bets.

The rules are those of tournament poker (TDA 34, 43, 47; Robert's Rules, no-limit 3):

* The smallest raise is the size of the last full bet or raise of the street, at least one big
  blind. On every street it starts as one big blind.
* A player may always go all-in. An all-in below the smallest raise is *short*: it does not
  re-open the betting for seats that have acted, unless short all-ins add up to a full raise.
* Posting a blind is not an action: the big blind may raise an unraised pot.
* A short big blind does not lower the price.
* A seat with nothing to match and no opponent to bet against has no turn, and a raise that no
  opponent could answer is not offered.

Sets of seats are bit masks (bit i = seat i), for speed: finding the next seat and testing for a
single seat take two integer operations each.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NoReturn

from casino_games.errors import IllegalAction
from casino_games.holdem.record import (
    NOBODY,
    Action,
    Chips,
    ForcedBet,
    ForcedKind,
    Kind,
    Seat,
    Street,
)


class Betting(ABC):
    """The chips of one hand and the seat to act.

    The state is changed only by `fold` .. `all_in`; an illegal call raises `IllegalAction` without
    any change. Amounts "to" are totals of a seat for the street. For the seat `actor`, `to_call`
    are the chips of a call (0: checking is free); `min_raise_to` and `max_raise_to` are the limits
    of a raise, both 0 if none is legal, both the whole stack if only a short all-in is legal.
    """

    __slots__ = (
        "_acted",
        "_highest_bet",
        "_pending",
        "actions",
        "actor",
        "aggressor",
        "bets",
        "big_blind",
        "contributed",
        "forced_bets",
        "is_over",
        "live",
        "max_raise_to",
        "min_raise",
        "min_raise_to",
        "pot",
        "price",
        "stacks",
        "street",
        "to_call",
        "with_chips",
    )

    def __init__(self, stacks: Sequence[Chips], big_blind: Chips) -> None:
        """Set the stacks; subclasses post the forced bets and open the first street."""
        seats = len(stacks)
        self.big_blind = big_blind
        self.stacks = list(stacks)
        """Remaining chips by seat."""
        self.bets = [0] * seats
        """Bets of this street by seat."""
        self.contributed = [0] * seats
        """Chips put in by each seat in this hand, including this street's bets, no dead antes."""
        self.pot = 0
        """All chips put in, including this street's bets; 0 when the hand is over."""
        self.live = (1 << seats) - 1
        """Seats that have not folded."""
        self.with_chips = self.live
        """Live seats that are not all-in."""
        self.street: Street = 0
        self.price = 0
        """The total to match on this street."""
        self.min_raise = big_blind
        """The size of the smallest full raise."""
        self.actor = NOBODY
        self.to_call = self.min_raise_to = self.max_raise_to = 0
        self.aggressor = NOBODY
        """The seat that bet or raised last on this street."""
        self.is_over = False
        self.forced_bets: list[ForcedBet] = []
        self.actions: list[Action] = []
        self._highest_bet = 0  # below the price only after a short big blind
        self._pending = 0  # seats still to act on this street
        self._acted = 0  # seats that have acted since the last full bet or raise

    # Decisions

    def fold(self) -> None:
        """Fold; legal only if there is something to call."""
        if not self.to_call:
            self._refuse("there is nothing to call: check instead of folding")
        others = ~(1 << self.actor)
        self.live &= others
        self.with_chips &= others
        self._pending &= others
        self._finish_turn("fold", None, 0)

    def check(self) -> None:
        """Check; legal only if there is nothing to call."""
        if self.to_call or self.is_over:
            self._refuse(f"a check is not possible: call {self.to_call} or fold")
        bit = 1 << self.actor
        self._acted |= bit
        self._pending &= ~bit
        self._finish_turn("check", None, 0)

    def call(self) -> None:
        """Match the price, or go all-in if the stack is smaller."""
        if not self.to_call:
            self._refuse("there is nothing to call: check instead")
        self._call("call")

    def raise_to(self, amount: Chips) -> None:
        """Bet or raise to a total of `amount` for this street."""
        if type(amount) is not int:  # a float or a bool would corrupt the chips
            self._refuse("an amount is a whole number of chips")
        if not 0 < self.min_raise_to <= amount <= self.max_raise_to:
            self._refuse_raise_to(amount)
        self._raise_to(amount, "raise" if self.price else "bet")

    def all_in(self) -> None:
        """Put in the whole stack, as a call, a bet or a raise."""
        if self.max_raise_to:
            self._raise_to(self.max_raise_to, "all-in")
        elif self.to_call and self.to_call == self.stacks[self.actor]:
            self._call("all-in")
        else:
            self._refuse(f"an all-in would raise, and no raise is open: {self._instead()}")

    # Streets and turns

    @abstractmethod
    def _end_street(self) -> None:
        """Continue after the last decision of a street."""

    def _post_ante(self, seat: Seat, ante: Chips, *, is_dead: bool) -> None:
        """Take an ante, which is not a bet; a dead one need not be matched."""
        paid = min(ante, self.stacks[seat])
        self._put_in(seat, paid)
        if is_dead:
            self.contributed[seat] -= paid
        self.forced_bets.append((seat, "ante", paid))

    def _post_blind(self, seat: Seat, kind: ForcedKind, blind: Chips) -> None:
        paid = min(blind, self.stacks[seat])
        self.bets[seat] = paid
        self._put_in(seat, paid)
        self.forced_bets.append((seat, kind, paid))

    def _open_first_street(self, big_blind_seat: Seat) -> None:
        """Start left of the big blind, with the blinds as bets."""
        self._highest_bet = max(self.bets)
        self.price = max(self.big_blind, self._highest_bet)
        self._pending = self.with_chips
        self.actor = big_blind_seat
        self._next_turn()

    def _open_next_street(self) -> None:
        """Start with the first seat left of the button, without bets."""
        self.street += 1
        self.bets = [0] * len(self.bets)
        self.price = self._highest_bet = 0
        self.min_raise = self.big_blind
        self._acted = 0
        self._pending = self.with_chips
        self.actor = self.aggressor = NOBODY
        self._next_turn()

    def _close_betting(self) -> None:
        """End the betting: no seat has to decide."""
        self.is_over = True
        self.bets = [0] * len(self.bets)
        self.actor = NOBODY
        self.price = self.to_call = self.min_raise_to = self.max_raise_to = 0

    def _call(self, kind: Kind) -> None:
        seat = self.actor
        bit = 1 << seat
        paid = self.to_call
        self.bets[seat] = bet = self.bets[seat] + paid
        self._put_in(seat, paid)
        if self._highest_bet < self.price:  # after a short big blind
            self._highest_bet = max(self._highest_bet, bet)
        self._acted |= bit
        self._pending &= ~bit
        self._finish_turn(kind, bet, paid)

    def _raise_to(self, amount: Chips, kind: Kind) -> None:
        seat = self.actor
        bit = 1 << seat
        paid = amount - self.bets[seat]
        size = amount - self.price
        self.bets[seat] = self.price = self._highest_bet = amount
        self._put_in(seat, paid)
        if size >= self.min_raise:
            self.min_raise = size
            self._acted = bit  # a full raise re-opens the betting for all others
        else:
            self._acted |= bit  # a short all-in does not re-open the betting
        self._pending = self.with_chips & ~bit
        self.aggressor = seat
        self._finish_turn(kind, amount, paid)

    def _put_in(self, seat: Seat, paid: Chips) -> None:
        """Move chips from the stack to the pot; the caller updates the bets."""
        self.pot += paid
        self.contributed[seat] += paid
        self.stacks[seat] -= paid
        if not self.stacks[seat]:
            self.with_chips &= ~(1 << seat)

    def _finish_turn(self, kind: Kind, amount: Chips | None, paid: Chips) -> None:
        seat = self.actor
        self.actions.append((seat, self.street, kind, amount, paid, self.stacks[seat], self.pot))
        self._next_turn()

    def _next_turn(self) -> None:
        """Move to the next seat that has a decision, or end the street."""
        pending = self._pending
        if not pending or not self.live & (self.live - 1):  # all have acted, or one seat is left
            self._end_street()
            return
        later = pending >> (self.actor + 1)
        if later:
            seat = self.actor + (later & -later).bit_length()
        else:
            seat = (pending & -pending).bit_length() - 1
        bet = self.bets[seat]
        stack = self.stacks[seat]
        facing = self.price - bet
        if bet >= self._highest_bet and not self.with_chips & (self.with_chips - 1):
            self._end_street()
            return
        self.actor = seat
        self.min_raise_to = self.max_raise_to = 0
        if stack <= facing:
            self.to_call = stack
            return
        self.to_call = facing
        is_open = not self._acted >> seat & 1 or facing >= self.min_raise
        if is_open and self._can_be_answered(seat):
            self.max_raise_to = bet + stack
            self.min_raise_to = min(self.price + self.min_raise, bet + stack)

    def _can_be_answered(self, seat: Seat) -> bool:
        """Return whether another seat could put in more than the price."""
        price = self.price
        others = self.with_chips & ~(1 << seat)
        while others:
            other = others.bit_length() - 1
            if self.stacks[other] + self.bets[other] > price:
                return True
            others ^= 1 << other
        return False

    def _refuse(self, reason: str) -> NoReturn:
        raise IllegalAction("the hand is over" if self.is_over else reason)

    def _refuse_raise_to(self, amount: Chips) -> NoReturn:
        word = "raise" if self.price else "bet"
        if not self.max_raise_to:
            self._refuse(f"no {word} is open to you now: {self._instead()}")
        if amount > self.max_raise_to:
            limit = f"more than your stack allows, to {self.max_raise_to}"
        elif self.min_raise_to == self.max_raise_to:
            limit = f"not your whole stack, which is the only {word} left, to {self.max_raise_to}"
        else:
            limit = f"below the smallest {word}, to {self.min_raise_to}"
        self._refuse(f"{word} to {amount} is {limit}")

    def _instead(self) -> str:
        return f"call {self.to_call} or fold" if self.to_call else "check"
