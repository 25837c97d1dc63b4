"""One round of blackjack: values, bets, cards, decisions and payments, by seat.

Methods do not check whether a decision is legal; callers validate it against `game.actions`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from casino_games.cards import DECK, Card

ACE = 1
TEN = 10
BLACKJACK = 21
_SOFT = 10
"""Points that an ace adds when it counts 11 instead of 1."""
_STANDS = 17

VALUES: tuple[int, ...] = tuple(
    ACE if rank == "A" else min(rank_number + 2, TEN)
    for rank_number, rank in enumerate("23456789TJQKA")
    for _ in range(4)
)
"""Points of each card, indexed by card; an ace is 1, a face card 10."""
POINTS_OF_A_DECK = sum(VALUES[card] for card in DECK)
MOST_POINTS_OF_A_HAND = 30
"""With aces as 1: a hand that may draw has at most 20, and a card counts at most 10."""

DEALER = -1
"""The dealer's seat in `Happened`."""
MOST_HANDS = 3
"""Maximum number of hands of a seat after splits."""
Phase: TypeAlias = Literal["betting", "playing", "over"]
Happened: TypeAlias = tuple[int, int, Card | None]
"""(seat, hand of the seat, card): a card was dealt or shown; None for the dealer's hole card."""


def count(cards: Sequence[Card]) -> tuple[int, bool]:
    """Return the best total of cards and whether it is soft (an ace in it counts 11).

    >>> count([48, 20])  # an ace and a seven
    (18, True)
    """
    hard, has_ace = 0, False
    for card in cards:
        value = VALUES[card]
        hard += value
        has_ace |= value == ACE
    is_soft = has_ace and hard <= BLACKJACK - _SOFT
    return (hard + _SOFT, True) if is_soft else (hard, False)


def is_natural(cards: Sequence[Card]) -> bool:
    """Return whether the first two cards are an ace and a ten."""
    return len(cards) == 2 and count(cards)[0] == BLACKJACK  # noqa: PLR2004  two cards


def can_hide_a_natural(up_card: Card) -> bool:
    """Return whether the dealer has to peek with this up card."""
    return VALUES[up_card] in (ACE, TEN)


def dealer_draws(cards: Sequence[Card], *, stands_on_soft_17: bool) -> bool:
    total, is_soft = count(cards)
    return total < _STANDS or (total == _STANDS and is_soft and not stands_on_soft_17)


def play_dealer(cards: list[Card], shoe: Iterator[Card], *, stands_on_soft_17: bool) -> None:
    while dealer_draws(cards, stands_on_soft_17=stands_on_soft_17):
        cards.append(next(shoe))


@dataclass(slots=True)
class Hand:
    """A bet and its cards."""

    bet: int
    cards: list[Card] = field(default_factory=list)
    is_done: bool = False
    is_split: bool = False

    @property
    def is_natural(self) -> bool:
        """Whether it is a natural; an ace and a ten after a split are not."""
        return not self.is_split and is_natural(self.cards)


@dataclass(slots=True)
class Box:
    """A seat in the round; `bet` is None before the decision, 0 for a pass."""

    stack: int
    bet: int | None = None
    hands: list[Hand] = field(default_factory=list)
    won: int = 0

    @property
    def left(self) -> int:
        if self.hands:
            return self.stack - sum(hand.bet for hand in self.hands)
        return self.stack - (self.bet or 0)


class Round:
    """A running round; `actor` and `active` are the seat and the hand to act."""

    def __init__(
        self, stacks: Sequence[int], shoe: Iterator[Card], *, stands_on_soft_17: bool = True
    ) -> None:
        self.boxes = [Box(stack) for stack in stacks]
        self.dealer: list[Card] = []
        self.phase: Phase = "betting"
        self.actor = 0
        self.active = 0
        self.happened: list[Happened] = []
        self._shoe = shoe
        self._stands_on_soft_17 = stands_on_soft_17

    @property
    def hand(self) -> Hand:
        return self.boxes[self.actor].hands[self.active]

    @property
    def can_double(self) -> bool:
        """Whether the hand has two cards and the stack covers a second bet."""
        return len(self.hand.cards) == 2 and self.hand.bet <= self.boxes[self.actor].left  # noqa: PLR2004

    @property
    def can_split(self) -> bool:
        """Whether two cards of equal value can be split, given the stack and `MOST_HANDS`."""
        if not self.can_double or len(self.boxes[self.actor].hands) == MOST_HANDS:
            return False
        first, second = self.hand.cards
        return VALUES[first] == VALUES[second]

    def bet(self, amount: int) -> None:
        """Bet, or pass with 0; the last decision starts the deal."""
        self.boxes[self.actor].bet = amount
        self.actor += 1
        if self.actor == len(self.boxes):
            self._deal()

    def hit(self) -> None:
        self._draw(self.actor, self.active, self.hand)
        self._go_on()

    def stand(self) -> None:
        self.hand.is_done = True
        self._go_on()

    def double(self) -> None:
        self.hand.bet *= 2
        self.hand.is_done = True
        self.hit()

    def split(self) -> None:
        """Split two cards into two hands, each with a new card; split aces get no more."""
        hand, hands = self.hand, self.boxes[self.actor].hands
        other = Hand(hand.bet, [hand.cards.pop()], is_split=True)
        hand.is_split = True
        hands.insert(self.active + 1, other)
        hand.is_done = other.is_done = VALUES[other.cards[0]] == ACE
        for place, split in ((self.active, hand), (self.active + 1, other)):
            self._draw(self.actor, place, split)
        self._go_on()

    def _deal(self) -> None:
        playing = [seat for seat, box in enumerate(self.boxes) if box.bet]
        if not playing:
            self.phase = "over"
            return
        for seat in playing:
            self.boxes[seat].hands = [Hand(self.boxes[seat].bet or 0)]
        for is_hole in (False, True):
            for seat in playing:
                self._draw(seat, 0, self.boxes[seat].hands[0])
            self.dealer.append(next(self._shoe))
            self.happened.append((DEALER, 0, None if is_hole else self.dealer[0]))
        self.phase = "playing"
        self.actor = self.active = 0
        if can_hide_a_natural(self.dealer[0]) and is_natural(self.dealer):
            self._settle()
        else:
            self._go_on()

    def _draw(self, seat: int, place: int, hand: Hand) -> None:
        card = next(self._shoe)
        hand.cards.append(card)
        self.happened.append((seat, place, card))

    def _go_on(self) -> None:
        """Move to the next hand with a decision; if there is none, the dealer plays."""
        while self.actor < len(self.boxes):
            hands = self.boxes[self.actor].hands
            while self.active < len(hands):
                hand = hands[self.active]
                if not hand.is_done and count(hand.cards)[0] < BLACKJACK:
                    return
                hand.is_done = True
                self.active += 1
            self.actor += 1
            self.active = 0
        if any(self._is_open(hand) for box in self.boxes for hand in box.hands):
            play_dealer(self.dealer, self._shoe, stands_on_soft_17=self._stands_on_soft_17)
        self._settle()

    def _is_open(self, hand: Hand) -> bool:
        """Return whether a hand's result depends on the dealer's total."""
        return not hand.is_natural and count(hand.cards)[0] <= BLACKJACK

    def _settle(self) -> None:
        self.happened += [(DEALER, 0, card) for card in self.dealer[1:]]
        for box in self.boxes:
            box.won = sum(won_by(hand, self.dealer) for hand in box.hands)
        self.phase = "over"


def won_by(hand: Hand, dealer: Sequence[Card]) -> int:
    """Return the chips a hand wins or loses; a natural's 3:2 is rounded down to whole chips."""
    if hand.is_natural or is_natural(dealer):
        if hand.is_natural and is_natural(dealer):
            return 0
        return 3 * hand.bet // 2 if hand.is_natural else -hand.bet
    total, _ = count(hand.cards)
    if total > BLACKJACK:
        return -hand.bet
    against, _ = count(dealer)
    if against > BLACKJACK or total > against:
        return hand.bet
    return 0 if total == against else -hand.bet
