"""One hand of no-limit hold'em, from the deal and the forced bets to the last chip paid.

Hole cards go round one at a time from seat 0 (the first left of the button; heads-up that is the
big blind), twice. Then burn, flop; burn, turn; burn, river.

`Hand` adds the cards to the betting: it opens the streets, runs the board out when nobody can bet
any more, determines the shown hands and pays the pots. It uses seats and integers, without player
ids and texts; `HoldemGame` implements the game interface with it.

Every pot is awarded separately among those who paid its level (TDA 21), and a split leaves its odd
chips one each to the first winners left of the button (TDA 20A).

If a player is all-in when betting ends, all live hands are shown (TDA 16), before the remaining
streets. Otherwise the last aggressor of the river shows first, or without a bet the first live seat
left of the button, and the others follow clockwise (TDA 17). A hand that is beaten by a shown hand
is mucked and stays secret.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from casino_games.cards import DECK, Card
from casino_games.holdem.betting import (
    BITS,
    MOST_SEATS,
    NOBODY,
    RIVER,
    Betting,
    Chips,
    ForcedKind,
    Seat,
    Street,
)
from casino_games.holdem.ranking import rank_holes

Hole = tuple[Card, Card]
Board = tuple[Card, ...]

_BOARD_AND_BURNS: Final = 8
BOARD_SIZE: Final[tuple[int, ...]] = (0, 3, 4, 5)
"""Number of community cards by street."""
BOARD_LEAVES: Final[tuple[int, ...]] = (3, 1, 1)
"""Number of community cards that a street adds."""
_ALL_CARDS: Final = frozenset(DECK)
_HEADS_UP: Final = 2


def cards_needed(seats: int) -> int:
    """Return the number of cards that a hand can use, including burned ones."""
    return 2 * seats + _BOARD_AND_BURNS


def deal(deck: Sequence[Card], seats: int) -> tuple[list[Hole], Board]:
    """Return the hole cards of each seat and the five cards of the board."""
    holes = [(deck[seat], deck[seat + seats]) for seat in range(seats)]
    burn = 2 * seats
    board = (deck[burn + 1], deck[burn + 2], deck[burn + 3], deck[burn + 5], deck[burn + 7])
    return holes, board


def order_of(
    holes: Sequence[Sequence[Card]], board: Sequence[Sequence[Card]], burned: Sequence[Card]
) -> list[Card]:
    """Return the order that `deal` deals so; what is `burned` is the first of the given."""
    order = [hole[turn] for turn in range(2) for hole in holes]
    for burn, street in zip(burned, board, strict=False):
        order += [burn, *street]
    return order


class Hand(Betting):
    """A hand in progress, with every card: the seat `actor` decides until `is_over`."""

    __slots__ = ("_board", "_holes", "awards", "betting_ended_on", "ranks", "shown", "uncalled")

    def __init__(
        self,
        stacks: Sequence[Chips],
        blinds: tuple[Chips, Chips],
        holes: Sequence[Hole],
        board: Board,
        *,
        antes: Sequence[Chips] = (),
        ante_is_dead: bool = False,
    ) -> None:
        """Post the forced bets and move to the first decision.

        A small blind of 0 is dead: nobody posts it, and seat 0 has the big blind.
        `antes` are by seat; `ante_is_dead` marks a big-blind ante, which is paid after the
        blind (TDA 2024), goes to the main pot and need not be matched. Raises `ValueError` for
        invalid stacks, blinds or cards.
        """
        _check_chips(stacks, blinds, antes)
        _check_cards(len(stacks), holes, board)
        super().__init__(stacks, blinds[1])
        self._holes = holes
        self._board = board
        self.betting_ended_on: Street = RIVER
        self.uncalled: Payment | None = None
        """The returned bet that nobody matched."""
        self.shown: list[Seat] = []
        """Seats that showed, in that order; all other cards stay secret."""
        self.ranks: dict[Seat, int] = {}
        """Ranks of the shown hands."""
        self.awards: list[Award] = []
        """The awarded pots, main pot first."""
        self._begin(blinds, antes, ante_is_dead=ante_is_dead)

    def start_like(self, opened: "Hand", holes: Sequence[Hole], board: Board) -> None:
        """Start again with other, unchecked cards, as `opened` before its first decision."""
        self._holes = holes
        self._board = board
        self.betting_ended_on = RIVER
        self.uncalled = None
        self.shown = []
        self.ranks = {}
        self.awards = []
        self._start_betting_like(opened)

    @property
    def board(self) -> Board:
        return self._board[: BOARD_SIZE[self.street]]

    def board_on(self, street: Street) -> Board:
        """Return the community cards on a street, which are secret before it is dealt."""
        return self._board[: BOARD_SIZE[street]]

    def hole_of(self, seat: Seat) -> Hole:
        """Return the hole cards of a seat, which are secret unless it is in `shown`."""
        return self._holes[seat]

    def _begin(
        self, blinds: tuple[Chips, Chips], antes: Sequence[Chips], *, ante_is_dead: bool
    ) -> None:
        small_seat, big_seat = (1, 0) if len(self.stacks) == _HEADS_UP else (0, 1)
        if not blinds[0]:
            small_seat, big_seat = NOBODY, 0
        to_pay = [(seat, ante) for seat, ante in enumerate(antes) if ante]
        if not ante_is_dead:
            for seat, ante in to_pay:
                self._post_ante(seat, ante, is_dead=False)
        if small_seat != NOBODY:
            self._post_blind(small_seat, "small_blind", blinds[0])
        self._post_blind(big_seat, "big_blind", blinds[1])
        if ante_is_dead:
            for seat, ante in to_pay:
                self._post_ante(seat, ante, is_dead=True)
        # The blinds are bets; the first turn is left of the big blind.
        self._highest_bet = max(self.bets)
        self.price = max(self.big_blind, self._highest_bet)
        self._pending = self.with_chips
        self.actor = big_seat
        self._next_turn()

    def _post_ante(self, seat: Seat, ante: Chips, *, is_dead: bool) -> None:
        """Take an ante, which is not a bet; a dead one need not be matched."""
        self._post(seat, "ante", ante)
        if is_dead:
            self.contributed[seat] -= self.forced_bets[-1][2]

    def _post_blind(self, seat: Seat, kind: ForcedKind, blind: Chips) -> None:
        self._post(seat, kind, blind)
        self.bets[seat] = self.forced_bets[-1][2]

    def _post(self, seat: Seat, kind: ForcedKind, due: Chips) -> None:
        """Move a forced bet to the pot, or the rest of the stack; the caller updates the bets."""
        stack = self.stacks[seat]
        paid = min(due, stack)
        self.pot += paid
        self.contributed[seat] += paid
        self.stacks[seat] = stack - paid
        if paid == stack:
            self.with_chips &= ~(1 << seat)
        self.forced_bets.append((seat, kind, paid))

    def _end_street(self) -> None:
        """Open the next street if betting is possible, otherwise settle the hand."""
        if self.street < RIVER and self.with_chips & (self.with_chips - 1):
            self._open_next_street()
        else:
            self._settle()

    def _settle(self) -> None:
        self.betting_ended_on = self.street
        self.is_over = True
        self.actor = NOBODY
        self.bets = [0] * len(self.bets)
        self.price = self.to_call = self.min_raise_to = self.max_raise_to = 0
        contributed = self.contributed
        live = self.live
        stacks = self.stacks
        self.uncalled = uncalled = uncalled_bet(contributed)
        if uncalled:
            seat, amount = uncalled
            contributed[seat] -= amount
            self.pot -= amount
            stacks[seat] += amount
        if live & (live - 1):
            self._show_down([seat for seat in range(len(stacks)) if live & BITS[seat]])
        else:
            winner = live.bit_length() - 1
            self.awards = [Award(self.pot, (winner,), (Payment(winner, self.pot),))]
        for _, _, winners in self.awards:
            for seat, amount in winners:
                self.pot -= amount
                stacks[seat] += amount

    def _show_down(self, contenders: list[Seat]) -> None:
        self.street = RIVER
        holes = self._holes
        ranked = rank_holes(self._board, [holes[seat] for seat in contenders])
        ranks = dict(zip(contenders, ranked))  # noqa: B905 - equally many; strict costs as much again
        order = showing_order(contenders, self.aggressor)
        if self.live == self.with_chips:  # nobody is all-in: all have paid the same
            self.shown = hands_to_show(order, ranks)
            self.ranks = {seat: ranks[seat] for seat in self.shown}
            self.awards = [award_to_best(self.pot, tuple(contenders), ranks)]
        else:
            self.shown = order
            self.ranks = ranks
            pots = build_pots(self.contributed, contenders, self.pot)
            self.awards = [award(pot, ranks) for pot in pots]


def _check_chips(
    stacks: Sequence[Chips], blinds: tuple[Chips, Chips], antes: Sequence[Chips]
) -> None:
    if not _HEADS_UP <= len(stacks) <= MOST_SEATS:
        raise ValueError(f"a hand has 2 to {MOST_SEATS} seats")
    if antes and len(antes) != len(stacks):
        raise ValueError("antes are given for every seat or not at all")
    if {*map(type, (*stacks, *blinds, *antes))} != {int}:
        raise ValueError("chips are whole numbers")
    if min(*stacks, blinds[1]) <= 0 or min(*blinds, *antes) < 0:
        raise ValueError("stacks and big blind are positive, small blind and antes not negative")
    if blinds[0] > blinds[1]:
        raise ValueError("the small blind is not larger than the big blind")


def _check_cards(seats: int, holes: Sequence[Hole], board: Board) -> None:
    cards = {*board}.union(*holes)
    if len(holes) != seats or len(board) != BOARD_SIZE[RIVER] or len(cards) != 2 * seats + 5:
        raise ValueError("a hand needs two distinct cards for each seat and five for the board")
    if not cards <= _ALL_CARDS:
        raise ValueError("a card is a number from 0 to 51")


_new: Final = tuple.__new__
"""Makes a named tuple in half the time that a call of its class takes."""


class Pot(NamedTuple):
    """Chips and the seats that contest them, lowest seat first."""

    amount: Chips
    eligible: tuple[Seat, ...]


class Payment(NamedTuple):
    """Chips that go to one seat."""

    seat: Seat
    amount: Chips


class Award(NamedTuple):
    """A pot and its payments."""

    amount: Chips
    eligible: tuple[Seat, ...]
    winners: tuple[Payment, ...]


def uncalled_bet(contributed: Sequence[Chips]) -> Payment | None:
    """Return what nobody matched of the largest bet: no part of a pot, returned before awards."""
    second, largest = sorted(contributed)[-2:]
    if largest == second:
        return None
    return Payment(contributed.index(largest), largest - second)


def build_pots(contributed: Sequence[Chips], contenders: Sequence[Seat], total: Chips) -> list[Pot]:
    """Return the main pot and then the side pots.

    `contributed` are the chips of each seat, including folded seats and without the uncalled bet;
    `contenders` are the live seats, lowest first. The main pot is the part of `total` that is in
    no side pot, including a dead ante.
    """
    lowest = contributed[contenders[0]]
    for seat in contenders:
        if contributed[seat] != lowest:
            break
    else:
        return [Pot(total, tuple(contenders))]
    pots: list[Pot] = []
    levels = sorted({contributed[seat] for seat in contenders})
    in_side_pots = 0
    while len(levels) > 1:
        level = levels.pop()
        above_next = sum(chips - levels[-1] for chips in contributed if chips > levels[-1])
        eligible = tuple(seat for seat in contenders if contributed[seat] >= level)
        pots.append(Pot(above_next - in_side_pots, eligible))
        in_side_pots = above_next
    pots.append(Pot(total - in_side_pots, tuple(contenders)))
    pots.reverse()
    return pots


def award(pot: Pot, ranks: dict[Seat, int]) -> Award:
    """Award a pot to the best rank (the lowest number) among its contenders."""
    return award_to_best(pot.amount, pot.eligible, ranks)


def award_to_best(amount: Chips, eligible: tuple[Seat, ...], ranks: dict[Seat, int]) -> Award:
    """Do the same for chips that are not a `Pot`: most hands have one, and it is made often."""
    best = ranks[eligible[0]]
    winners: list[Seat] = []
    for seat in eligible:
        rank = ranks[seat]
        if rank == best:
            winners.append(seat)
        elif rank < best:
            best = rank
            winners = [seat]
    return _new(Award, (amount, eligible, split(amount, winners)))


def split(amount: Chips, winners: Sequence[Seat]) -> tuple[Payment, ...]:
    """Share chips among winners, lowest seat first; the first ones get an odd chip each."""
    if len(winners) == 1:
        return (_new(Payment, (winners[0], amount)),)
    share, odd_chips = divmod(amount, len(winners))
    return tuple([Payment(seat, share + (place < odd_chips)) for place, seat in enumerate(winners)])


def showing_order(contenders: Sequence[Seat], aggressor: Seat) -> list[Seat]:
    """Return the live seats (passed lowest first) clockwise from the aggressor, if any."""
    if aggressor == NOBODY:
        return list(contenders)
    first = contenders.index(aggressor)
    return [*contenders[first:], *contenders[:first]]


def hands_to_show(order: Sequence[Seat], ranks: Mapping[Seat, int]) -> list[Seat]:
    """Return who shows of `order`, when nobody is all-in: all have paid the same for one pot."""
    shown: list[Seat] = []
    best = ranks[order[0]]
    for seat in order:
        if ranks[seat] <= best:
            best = ranks[seat]
            shown.append(seat)
    return shown
