"""A completed hand of No-Limit Hold'em as every format can write it, and its amounts as text. Pure.

Seats are in the order of the engine: 0 is the first left of the button, so that the button is the
last one, unless nobody who was dealt in has it; heads-up seat 0 is the big blind. Amounts are whole
chips of the smallest unit.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cached_property
from typing import Final, Literal, NamedTuple

from casino_contracts import MAX_SAFE, DealOpening, DisclosedDecision
from casino_contracts.foreign_text import number_of
from casino_contracts.play_counts import positions

from casino_histories.errors import UnreadableHistory

Kind = Literal["fold", "check", "call", "bet", "raise"]
ForcedKind = Literal["ante", "small-blind", "big-blind", "straddle", "post"]
"""`post`: what a player pays who enters or returns, beside the two blinds of the hand."""
Cards = tuple[str, ...]
"""Cards such as `("Ah", "Td")`; empty where they are unknown."""

STREETS: Final = ("preflop", "flop", "turn", "river")
BOARD_SIZES: Final = (0, 3, 4, 5)
RIVER: Final = 3
HEADS_UP: Final = 2

MOST_DECIMALS = 6
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:,\d{3}){1,9}(?:\.\d{0,30})?")
FIRST = datetime(2000, 1, 1, tzinfo=UTC)


class SeatedPlayer(NamedTuple):
    """A player of the hand."""

    player_id: str
    name: str
    number: int
    """The number of the seat at the table, from 0."""
    stack: int
    """Before the forced bets."""
    cards: Cards
    model: str = ""
    """The language model that decides, if the player names one."""


class ForcedBet(NamedTuple):
    """A posted blind or ante."""

    seat: int
    kind: ForcedKind
    amount: int
    is_dead: bool = False
    """Whether it goes to the pot and nobody has to match it: no part of the seat's bet.

    So are a missed small blind, and the ante that the big blind pays for everybody.
    """

    @property
    def is_bet(self) -> bool:
        """Whether it counts as a bet of its seat: antes do not, which all others match."""
        return self.kind != "ante" and not self.is_dead


class Action(NamedTuple):
    """A decision."""

    seat: int
    street: int
    kind: Kind
    total: int
    """The seat's chips in this betting round after it."""
    added: int
    is_all_in: bool


class Share(NamedTuple):
    """Chips that go to a seat."""

    seat: int
    amount: int


class Pot(NamedTuple):
    """A pot and its winners."""

    amount: int
    winners: tuple[Share, ...]


class ShownCards(NamedTuple):
    """Cards that a seat showed, with the name of the hand's class if it is known."""

    seat: int
    cards: Cards
    rank_name: str


@dataclass(frozen=True)
class HandHistory:
    """One completed hand."""

    hand_id: str
    """Unique among all hands."""
    table: str
    number: int
    seats: tuple[SeatedPlayer, ...]
    small_blind: int
    big_blind: int
    ante: int
    forced: tuple[ForcedBet, ...]
    actions: tuple[Action, ...]
    board: Cards
    shown: tuple[ShownCards, ...]
    """In the order of showing."""
    pots: tuple[Pot, ...]
    """The main pot first; empty where a file does not say who won."""
    returned: Share | None = None
    """The part of the last bet that nobody matched."""
    decimals: int = 0
    started_at: datetime | None = None
    dead_button: int | None = None
    """The number of the button's seat where nobody who was dealt in has it."""
    rake: int = 0
    """Rake and fees, less what the house added: the pots with it are what was put in."""
    is_cancelled: bool = False
    """Whether everybody got back what it put in: the pots then have it, seat by seat."""
    decided: tuple[DisclosedDecision, ...] = ()
    """Who decided the actions, counted from 1, and at what cost, as far as it is known and public.

    A decision that the table made has the outcome as the reason of its default.
    """
    opening: DealOpening | None = None
    """How the cards follow from what the table committed to."""

    @property
    def button(self) -> int | None:
        """The index in `seats` of the player on the button, if there is one."""
        return len(self.seats) - 1 if self.dead_button is None else None

    @property
    def button_number(self) -> int:
        """The number of the button's seat at the table, from 0."""
        return self.seats[-1].number if self.dead_button is None else self.dead_button

    @property
    def ante_is_dead(self) -> bool:
        """Whether the big blind paid the ante for everybody."""
        return any(bet.is_dead for bet in self.forced if bet.kind == "ante")

    @property
    def first_price(self) -> int:
        """What is to be matched before anybody acts: the big blind, or a larger forced bet."""
        chips = [0] * len(self.seats)
        for bet in self.forced:
            chips[bet.seat] += bet.amount * bet.is_bet
        return max(self.big_blind, *chips)

    @property
    def folded(self) -> frozenset[int]:
        return frozenset(action.seat for action in self.actions if action.kind == "fold")

    @property
    def live(self) -> tuple[int, ...]:
        folded = self.folded
        return tuple(seat for seat in range(len(self.seats)) if seat not in folded)

    @property
    def has_showdown(self) -> bool:
        return len(self.live) > 1

    @property
    def streets(self) -> int:
        """The last street that was dealt."""
        return BOARD_SIZES.index(len(self.board)) if len(self.board) in BOARD_SIZES else 0

    @cached_property
    def contributed(self) -> tuple[int, ...]:
        """The chips that each seat put in, without what was returned."""
        chips = [0] * len(self.seats)
        for bet in self.forced:
            chips[bet.seat] += bet.amount
        for action in self.actions:
            chips[action.seat] += action.added
        if self.returned:
            chips[self.returned.seat] -= self.returned.amount
        return tuple(chips)

    @property
    def contested(self) -> tuple[int, ...]:
        """What each seat put in that others had to match: dead chips are in the first pot."""
        chips = [*self.contributed]
        for bet in self.forced:
            chips[bet.seat] -= bet.amount * bet.is_dead
        return tuple(chips)

    @cached_property
    def won(self) -> tuple[int, ...]:
        """The chips that each seat won of the pots."""
        chips = [0] * len(self.seats)
        for pot in self.pots:
            for share in pot.winners:
                chips[share.seat] += share.amount
        return tuple(chips)

    @property
    def pot(self) -> int:
        """The chips of all pots, without what was returned."""
        return sum(self.contributed)

    @property
    def finishing_stacks(self) -> tuple[int, ...]:
        parts = zip(self.seats, self.contributed, self.won, strict=True)
        return tuple(seat.stack - paid + won for seat, paid, won in parts)

    @property
    def is_settled(self) -> bool:
        """Whether the pots and the rake are exactly the chips that were put in."""
        return sum(self.won) + self.rake == self.pot

    @property
    def big_seat(self) -> int:
        """The seat that posts the big blind, or would if it had chips."""
        posted = (bet.seat for bet in self.forced if bet.kind == "big-blind")
        is_heads_up = len(self.seats) == HEADS_UP and self.dead_button is None
        return next(posted, 0 if is_heads_up else 1)

    def position_of(self, seat: int) -> str:
        """Return BTN, SB, BB, CO, HJ, UTG, UTG+1, …; heads-up the button is BTN.

        Nobody is BTN where the button is nobody's, and nobody SB where the big blind is the first.
        """
        if seat == self.button:
            return "BTN"
        big, places = self.big_seat, len(self.seats) + (self.button is None)
        return "SB" if seat < big else positions(places - big, has_small_blind=False)[seat - big]


def amount_text(chips: int, decimals: int) -> str:
    """Return chips as a decimal number without exponent and without zeros at its end.

    >>> amount_text(150, 2), amount_text(-5, 2), amount_text(300, 2), amount_text(7, 0)
    ('1.5', '-0.05', '3', '7')
    """
    if decimals == 0:
        return str(chips)
    sign, digits = ("-" if chips < 0 else ""), str(abs(chips)).rjust(decimals + 1, "0")
    whole, rest = digits[:-decimals], digits[-decimals:].rstrip("0")
    return f"{sign}{whole}.{rest}" if rest else f"{sign}{whole}"


def money_text(chips: int, decimals: int) -> str:
    """Return chips as trackers write money: whole, or with two decimals or more.

    >>> money_text(150, 2), money_text(300, 2), money_text(7, 0), money_text(15, 1)
    ('1.50', '3', '7', '1.50')
    """
    text = amount_text(chips, decimals)
    whole, dot, rest = text.partition(".")
    width = 4 if len(rest) == 3 else 2  # noqa: PLR2004  three digits may be a group of a number
    return f"{whole}.{rest.ljust(width, '0')}" if dot else whole


def decimal_of(text: object) -> Decimal:
    """Return a number of a file, such as `"1,250.50"` or 2.5; raises UnreadableHistory."""
    try:
        plain = str(text).strip()
        if "," in plain and _GROUPED.fullmatch(plain) is None:
            raise UnreadableHistory(f"{plain[:40]!r} is no amount: decimals begin with a point")
        number = number_of(plain.replace(",", ""))
    except ValueError as error:  # str() refuses whole numbers of 5,000 digits
        raise UnreadableHistory(f"it is no amount: {error}") from error
    if abs(number) > MAX_SAFE:
        raise UnreadableHistory(f"{str(text)[:40]!r} is no amount of chips")
    return number


def whole_of(value: object) -> int:
    """Return a whole number of a file, also of `2.0` or `"2"`; raises UnreadableHistory."""
    return int(decimal_of(value))


def decimals_of(amounts: "list[Decimal]") -> int:
    """Return how many decimals are needed to write all amounts; raises UnreadableHistory."""
    exponents = (amount.normalize().as_tuple().exponent for amount in amounts)
    most = max((-exponent for exponent in exponents if isinstance(exponent, int)), default=0)
    if most > MOST_DECIMALS:
        raise UnreadableHistory(f"an amount has more than {MOST_DECIMALS} decimals")
    return max(0, most)


def time_of(hand: HandHistory) -> datetime:
    """Return when the hand began, or so many seconds after 2000-01-01 as its number is."""
    return hand.started_at or FIRST + timedelta(seconds=min(hand.number, 10**9))
