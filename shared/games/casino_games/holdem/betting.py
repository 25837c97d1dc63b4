"""Betting rules of no-limit Hold'em: the turn of each seat and the limits of its bets.

Seats count from the first left of the button: with three players or more seat 0 is the small
blind and seat 1 the big blind; heads-up seat 0 is the big blind and seat 1, the button, the small
blind. A dead small blind is posted by nobody, then seat 0 is the big blind. So the button, or who
is last before a dead one, is always the last seat, and "lowest seat first" is "first seat left of
the button first".

The rules are those of tournament poker (TDA 34, 43, 47; Robert's Rules, no-limit 3):

* The smallest raise is the size of the last full bet or raise of the street, at least one big
  blind. On every street it starts as one big blind.
* A player may always go all-in. An all-in below the smallest raise is *short*: it does not
  re-open the betting for seats that have acted, unless short all-ins add up to a full raise.
* Posting a blind is not an action: the big blind may raise an unraised pot.
* A short big blind does not lower the price.
* A seat with nothing to match and no opponent to bet against has no turn, and a raise that no
  opponent could answer is not offered.

Sets of seats are bit masks (bit i = seat i), for speed. For the same reason a decision makes few
calls, and what most decisions need is found without a loop.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Final, Literal, NoReturn, TypeAlias

from casino_games.errors import IllegalAction

Chips: TypeAlias = int
"""A whole number of the table's smallest unit."""
Seat: TypeAlias = int
"""0 is the first seat left of the button."""
Street: TypeAlias = int
"""0 before the flop, 1 flop, 2 turn, 3 river."""
Kind: TypeAlias = Literal["fold", "check", "call", "bet", "raise", "all-in"]
ForcedKind: TypeAlias = Literal["ante", "small_blind", "big_blind"]

NOBODY: Final[Seat] = -1
RIVER: Final[Street] = 3
MOST_SEATS: Final = 22
"""Two cards each, five for the board and three to burn: 22 seats use the deck up."""

ForcedBet: TypeAlias = tuple[Seat, ForcedKind, Chips]
"""A seat, its ante or blind, and the chips paid, which may be less with a short stack."""

Action: TypeAlias = tuple[Seat, Street, Kind, Chips | None, Chips, Chips, Chips]
"""A decision and its immediate effect: (seat, street, kind, amount, paid, stack, pot).

`amount` is the seat's total for the street after a call, bet, raise or all-in, and `None` for
a fold or a check; `paid` are the added chips, `stack` the rest of the seat's chips, `pot` all chips
of the hand so far. A plain tuple, because one is created for every decision.
"""


BITS: Final[tuple[int, ...]] = tuple(1 << seat for seat in range(MOST_SEATS + 1))
"""The mask of each seat, and of the place behind the last; a look-up is faster than a shift."""


class Betting(ABC):
    """The chips of one hand and the seat to act.

    The state is changed only by `fold` .. `all_in`; an illegal call raises `IllegalAction` without
    any change. Amounts "to" are totals of a seat for the street. For the seat `actor`, `to_call`
    are the chips of a call (0: checking is free); `min_raise_to` and `max_raise_to` are the limits
    of a raise, both 0 if none is legal, both the whole stack if only a short all-in is legal.
    """

    __slots__ = (
        "_closed",
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
        self._closed = 0  # seats that may not raise, unless they face a full raise

    def _start_betting_like(self, other: "Betting") -> None:
        """Set all values to those of another hand before its first decision."""
        self.big_blind = other.big_blind
        self.stacks = other.stacks.copy()
        self.bets = other.bets.copy()
        self.contributed = other.contributed.copy()
        self.pot = other.pot
        self.live = other.live
        self.with_chips = other.with_chips
        self.street = other.street
        self.price = other.price
        self.min_raise = other.min_raise
        self.actor = other.actor
        self.to_call = other.to_call
        self.min_raise_to = other.min_raise_to
        self.max_raise_to = other.max_raise_to
        self.aggressor = other.aggressor
        self.is_over = other.is_over
        self.forced_bets = other.forced_bets.copy()
        self.actions = []
        self._highest_bet = other._highest_bet  # noqa: SLF001 - of the same class
        self._pending = other._pending  # noqa: SLF001
        self._closed = other._closed  # noqa: SLF001

    # Decisions

    def fold(self) -> None:
        """Fold; legal only if there is something to call."""
        if not self.to_call:
            self._refuse("there is nothing to call: check instead of folding")
        seat = self.actor
        bit = BITS[seat]
        self.live = live = self.live - bit
        self.with_chips -= bit
        self._pending -= bit
        self.actions.append((seat, self.street, "fold", None, 0, self.stacks[seat], self.pot))
        if live & (live - 1):
            self._next_turn()
        else:
            self._end_street()

    def check(self) -> None:
        """Check; legal only if there is nothing to call."""
        if self.to_call or self.is_over:
            self._refuse(f"a check is not possible: call {self.to_call} or fold")
        seat = self.actor
        self._pending -= BITS[seat]
        self.actions.append((seat, self.street, "check", None, 0, self.stacks[seat], self.pot))
        self._next_turn()

    def call(self, kind: Kind = "call") -> None:
        """Match the price, or go all-in if the stack is smaller."""
        paid = self.to_call
        if not paid:
            self._refuse("there is nothing to call: check instead")
        seat = self.actor
        bit = BITS[seat]
        self.bets[seat] = bet = self.bets[seat] + paid
        self.stacks[seat] = stack = self.stacks[seat] - paid
        self.contributed[seat] += paid
        self.pot = pot = self.pot + paid
        self._pending -= bit
        if not stack:
            self.with_chips -= bit
        if self._highest_bet < self.price:  # after a short big blind
            self._highest_bet = max(self._highest_bet, bet)
        self.actions.append((seat, self.street, kind, bet, paid, stack, pot))
        self._next_turn()

    def raise_to(self, amount: object) -> None:
        """Bet or raise to a total of `amount` for this street, a whole number of chips."""
        if type(amount) is not int:  # a float or a bool would corrupt the chips
            self._refuse("an amount is a whole number of chips")
        if not 0 < self.min_raise_to <= amount <= self.max_raise_to:
            self.refuse_raise_to(amount)
        self.bet_to(amount, "raise" if self.price else "bet")

    def bet_to(self, amount: Chips, kind: Kind) -> None:
        """Bet or raise to a total that the caller has checked, recorded as `kind`."""
        seat = self.actor
        bit = BITS[seat]
        size = amount - self.price
        paid = amount - self.bets[seat]
        self.bets[seat] = self.price = self._highest_bet = amount
        self.stacks[seat] = stack = self.stacks[seat] - paid
        self.contributed[seat] += paid
        self.pot = pot = self.pot + paid
        if size >= self.min_raise:
            self.min_raise = size
            self._closed = 0
        else:  # a short all-in does not re-open the betting for those who have acted
            self._closed |= self.with_chips & ~self._pending
        self._pending = self.with_chips - bit
        if not stack:
            self.with_chips -= bit
        self.aggressor = seat
        self.actions.append((seat, self.street, kind, amount, paid, stack, pot))
        self._next_turn()

    def all_in(self) -> None:
        """Put in the whole stack, as a call, a bet or a raise."""
        if self.max_raise_to:
            self.bet_to(self.max_raise_to, "all-in")
        elif self.to_call and self.to_call == self.stacks[self.actor]:
            self.call("all-in")
        else:
            self._refuse(f"an all-in would raise, and no raise is open: {self._instead()}")

    # Streets and turns

    @abstractmethod
    def _end_street(self) -> None:
        """Continue after the last decision of a street."""

    def _open_next_street(self) -> None:
        """Start with the first seat left of the button, without bets; two seats have chips."""
        self.actor = seat = (self.with_chips & -self.with_chips).bit_length() - 1
        self.street += 1
        self.bets = [0] * len(self.bets)
        self.price = self._highest_bet = self.to_call = 0
        self.min_raise = least = self.big_blind
        self.max_raise_to = most = self.stacks[seat]
        self.min_raise_to = least if least < most else most  # noqa: FURB136 - a call costs more
        self._closed = 0
        self._pending = self.with_chips
        self.aggressor = NOBODY

    def _next_turn(self) -> None:
        pending = self._pending
        if not pending:
            self._end_street()
            return
        seat = self.actor + 1
        if not pending & BITS[seat]:  # mostly the next seat is the next to act
            later = pending >> seat
            if later:
                seat += (later & -later).bit_length() - 1
            else:
                seat = (pending & -pending).bit_length() - 1
        stacks = self.stacks
        price = self.price
        bet = self.bets[seat]
        if bet >= self._highest_bet and not self.with_chips & (self.with_chips - 1):
            self._end_street()
            return
        self.actor = seat
        facing = price - bet
        stack = stacks[seat]
        if stack <= facing:
            self.to_call = stack
            self.min_raise_to = self.max_raise_to = 0
            return
        self.to_call = facing
        closed = self._closed
        if not closed or not closed & BITS[seat] or facing >= self.min_raise:
            rival = self.aggressor  # who has bet the price, and may have more
            if not price or (rival != NOBODY and stacks[rival]) or self._can_be_answered():
                self.max_raise_to = most = bet + stack
                least = price + self.min_raise
                self.min_raise_to = least if least < most else most  # noqa: FURB136 - a call costs more
                return
        self.min_raise_to = self.max_raise_to = 0

    def _can_be_answered(self) -> bool:
        """Return whether a seat besides the actor could put in more than the price."""
        others = self.with_chips & ~BITS[self.actor]
        while others:
            other = others.bit_length() - 1
            if self.stacks[other] + self.bets[other] > self.price:
                return True
            others -= BITS[other]
        return False

    def _refuse(self, reason: str) -> NoReturn:
        raise IllegalAction("the hand is over" if self.is_over else reason)

    def refuse_raise_to(self, amount: Chips) -> NoReturn:
        """Raise `IllegalAction` with the reason why a raise to this amount is not legal."""
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
