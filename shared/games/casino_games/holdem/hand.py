"""One hand of no-limit hold'em, from the forced bets to the last chip paid.

`Hand` adds the cards to the betting: it opens the streets, runs the board out when nobody can bet
any more, determines the shown hands and pays the pots. It uses seats and integers, without player
ids and texts; `HoldemGame` implements the game interface with it.
"""

from collections.abc import Sequence

from casino_games.cards import DECK
from casino_games.holdem.betting import Betting
from casino_games.holdem.deal import Board, Hole
from casino_games.holdem.pots import Award, Payment, award, build_pots, uncalled_bet
from casino_games.holdem.ranking import rank_showdown
from casino_games.holdem.record import RIVER, Chips, Seat, Street
from casino_games.holdem.showdown import hands_to_show, showing_order

BOARD_SIZE = (0, 3, 4, 5)
"""Number of community cards by street."""
MOST_SEATS = 22
"""Two cards each, five for the board and three to burn: 22 seats use the deck up."""

_ALL_CARDS = frozenset(DECK)
_HEADS_UP = 2


class Hand(Betting):
    """A hand in progress: the seat `actor` decides until `is_over`.

    It holds every card and stays inside the engine. Seats are defined in `record`, the limits of
    a decision in `betting`.

    ```
    hand = Hand([1000, 1000], (50, 100), holes, board)
    hand.raise_to(300)  # seat 1, the button and small blind
    hand.call()
    hand.check()
    ```
    """

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

    @property
    def board(self) -> Board:
        """The community cards dealt so far."""
        return self._board[: BOARD_SIZE[self.street]]

    def hole_of(self, seat: Seat) -> Hole:
        """Return the hole cards of a seat, which are secret unless it is in `shown`."""
        return self._holes[seat]

    def _begin(
        self, blinds: tuple[Chips, Chips], antes: Sequence[Chips], *, ante_is_dead: bool
    ) -> None:
        small_seat, big_seat = (1, 0) if len(self.stacks) == _HEADS_UP else (0, 1)
        to_pay = [(seat, ante) for seat, ante in enumerate(antes) if ante]
        if not ante_is_dead:
            for seat, ante in to_pay:
                self._post_ante(seat, ante, is_dead=False)
        self._post_blind(small_seat, "small_blind", blinds[0])
        self._post_blind(big_seat, "big_blind", blinds[1])
        if ante_is_dead:
            for seat, ante in to_pay:
                self._post_ante(seat, ante, is_dead=True)
        self._open_first_street(big_seat)

    def _end_street(self) -> None:
        """Open the next street if betting is possible, otherwise settle the hand."""
        if self.street < RIVER and self.with_chips & (self.with_chips - 1):
            self._open_next_street()
        else:
            self._settle()

    def _settle(self) -> None:
        self.betting_ended_on = self.street
        self._close_betting()
        self.uncalled = uncalled_bet(self.contributed)
        if self.uncalled:
            self.contributed[self.uncalled.seat] -= self.uncalled.amount
            self._pay(self.uncalled)
        contenders = [seat for seat in range(len(self.stacks)) if self.live >> seat & 1]
        if len(contenders) == 1:
            prize = Payment(contenders[0], self.pot)
            self.awards = [Award(self.pot, (prize.seat,), (prize,))]
        else:
            self._show_down(contenders)
        for pot in self.awards:
            for payment in pot.winners:
                self._pay(payment)

    def _show_down(self, contenders: list[Seat]) -> None:
        self.street = RIVER
        holes = [self._holes[seat] for seat in contenders]
        ranks = dict(zip(contenders, rank_showdown(self._board, holes), strict=True))
        order = showing_order(contenders, self.aggressor)
        is_anybody_all_in = self.live != self.with_chips
        self.shown = order if is_anybody_all_in else hands_to_show(order, ranks)
        self.ranks = {seat: ranks[seat] for seat in self.shown}
        pots = build_pots(self.contributed, contenders, self.pot)
        self.awards = [award(pot, ranks) for pot in pots]

    def _pay(self, payment: Payment) -> None:
        seat, amount = payment
        self.pot -= amount
        self.stacks[seat] += amount


def _check_chips(
    stacks: Sequence[Chips], blinds: tuple[Chips, Chips], antes: Sequence[Chips]
) -> None:
    if not _HEADS_UP <= len(stacks) <= MOST_SEATS:
        raise ValueError(f"a hand has 2 to {MOST_SEATS} seats")
    if antes and len(antes) != len(stacks):
        raise ValueError("antes are given for every seat or not at all")
    if {*map(type, (*stacks, *blinds, *antes))} != {int}:
        raise ValueError("chips are whole numbers")
    if min(stacks) <= 0 or not 0 < blinds[0] <= blinds[1] or (antes and min(antes) < 0):
        raise ValueError("stacks and blinds are positive, and the small blind is not the larger")


def _check_cards(seats: int, holes: Sequence[Hole], board: Board) -> None:
    cards = {*board}.union(*holes)
    if len(holes) != seats or len(board) != BOARD_SIZE[RIVER] or len(cards) != 2 * seats + 5:
        raise ValueError("a hand needs two distinct cards for each seat and five for the board")
    if not cards <= _ALL_CARDS:
        raise ValueError("a card is a number from 0 to 51")
