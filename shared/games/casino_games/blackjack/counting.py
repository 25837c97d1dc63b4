"""Values of hands in blackjack, and the dealer's drawing rules."""

from collections.abc import Iterator, Sequence

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
    """Return whether the dealer has to draw."""
    total, is_soft = count(cards)
    return total < _STANDS or (total == _STANDS and is_soft and not stands_on_soft_17)


def play_dealer(cards: list[Card], shoe: Iterator[Card], *, stands_on_soft_17: bool) -> None:
    """Draw the dealer's cards from the shoe and append them to `cards`."""
    while dealer_draws(cards, stands_on_soft_17=stands_on_soft_17):
        cards.append(next(shoe))
