"""Hands that are over, played by players who know only what is public, for the tests of luck."""

import random
from collections.abc import Callable, Sequence

from casino_games.cards import DECK, cards_from_text
from casino_games.holdem import Hand
from casino_games.holdem.hand import Board, Hole

Decide = Callable[[Hand], str]
"""Names the next decision: fold, call (which is also a check), raise or all-in."""


def deal_of(holes: Sequence[str], board: str) -> tuple[list[Hole], Board]:
    """Return hole cards such as `["AhKd", "2c7d"]` and a board as the engine has them."""
    pairs = [cards_from_text(hole) for hole in holes]
    return [(first, second) for first, second in pairs], tuple(cards_from_text(board))


def play(hand: Hand, decide: Decide) -> Hand:
    """Play a hand to its end; a decision that is not possible becomes the next milder one."""
    while not hand.is_over:
        decision = decide(hand)
        if decision == "fold" and hand.to_call:
            hand.fold()
        elif decision == "raise" and hand.max_raise_to:
            hand.raise_to(min(max(hand.min_raise_to, hand.price + hand.pot), hand.max_raise_to))
        elif decision == "all-in" and hand.max_raise_to:
            hand.all_in()
        elif hand.to_call:
            hand.call()
        else:
            hand.check()
    return hand


def play_in_turn(hand: Hand, *decisions: str) -> Hand:
    """Play the decisions, and then check or call to the end."""
    left = iter(decisions)
    return play(hand, lambda _: next(left, "call"))


def random_hand(dice: random.Random, seats: int) -> Hand:
    """Return a hand of players who decide by chance, and bet more with high cards.

    Stacks differ, and some have antes. What they do depends on their cards and on the board, as
    that of real players.
    """
    cards = dice.sample(DECK, 2 * seats + 5)
    holes = [(cards[2 * seat], cards[2 * seat + 1]) for seat in range(seats)]
    stacks = [dice.choice((15, 60, 200, 200)) for _ in range(seats)]
    antes = [1] * seats if dice.random() < 0.2 else []
    hand = Hand(stacks, (1, 2), holes, tuple(cards[-5:]), antes=antes)

    def decide(hand: Hand) -> str:
        high = max(card // 4 for card in hand.hole_of(hand.actor)) / 12
        paired = any(
            card // 4 == own // 4 for card in hand.board for own in hand.hole_of(hand.actor)
        )
        eager = dice.random() * (0.6 + high + paired)
        if eager > 1.3:
            return "all-in" if dice.random() < 0.2 else "raise"
        return "fold" if eager < 0.25 else "call"

    return play(hand, decide)
