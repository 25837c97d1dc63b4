"""The controls are zero in the mean, whatever the players do."""

import random
from collections.abc import Callable, Sequence
from itertools import permutations

import numpy as np
import pytest
from casino_games.cards import DECK
from casino_games.holdem import Hand
from casino_match.luck.controls import board_luck, controls_of

from .conftest import deal_of, play, play_in_turn, random_hand

Decide = Callable[[Hand], str]


def by_the_last_card(hand: Hand) -> str:
    """Let the suit of the last card decide: spades end the hand, hearts put everything in."""
    if len(hand.board) < 4:
        return "call"
    return ("raise", "call", "all-in", "fold")[hand.board[-1] % 4]


def by_rank(hand: Hand) -> str:
    """Raise low cards and fold or call high ones, each seat in another way."""
    if len(hand.board) < 4:
        return "call"
    return ("raise", "fold", "call", "call")[(hand.board[-1] // 4 + hand.actor) % 4]


def all_in_on_the_flop(hand: Hand) -> str:
    """End the betting on the flop: all luck that is left is that of the all-in."""
    return "all-in" if hand.board else "call"


def all_in_on_some_turns(hand: Hand) -> str:
    """End the betting on the turn if it is low."""
    return "all-in" if len(hand.board) == 4 and hand.board[3] < 30 else "call"


def end_on_the_flop(hand: Hand) -> str:
    if not hand.board:
        return "call"
    return "fold" if hand.to_call else "raise"


@pytest.mark.parametrize(
    "decide", [by_the_last_card, by_rank, all_in_on_the_flop, all_in_on_some_turns]
)
@pytest.mark.parametrize(
    ("holes", "stacks"),
    [
        (["AhKh", "9c9d"], [200, 200]),
        (["AhKh", "9c9d", "Qs8h"], [200, 55, 23]),
        (["AhKd", "AcKs", "7h6h", "2c2d"], [31, 200, 77, 200]),
    ],
)
def test_over_every_turn_and_river_only_the_luck_of_the_flop_is_left(
    holes: Sequence[str], stacks: Sequence[int], decide: Decide
) -> None:
    """It is what a hand has whose betting ends on the flop by folds, with the same chips."""
    dealt, flop = deal_of(holes, "Th9s4d")
    seen = {card for hole in dealt for card in hole} | set(flop)
    unseen = [card for card in DECK if card not in seen]
    luck = [
        board_luck(play(Hand(stacks, (1, 2), dealt, (*flop, *rest)), decide))
        for rest in permutations(unseen, 2)
    ]
    folded = play(Hand(stacks, (1, 2), dealt, (*flop, *unseen[:2])), end_on_the_flop)
    assert folded.betting_ended_on == 1
    assert np.std(luck, axis=0).max() > 1
    np.testing.assert_allclose(np.mean(luck, axis=0), board_luck(folded), rtol=0, atol=1e-9)


@pytest.mark.parametrize(("seats", "hands"), [(2, 3_000), (6, 1_000)])
def test_over_random_deals_every_control_is_zero_in_the_mean(seats: int, hands: int) -> None:
    """Within four standard errors, for the seats together and for one position alone."""
    dice = random.Random(18)
    luck = np.array([controls_of(random_hand(dice, seats)) for _ in range(hands)])
    for values in (luck[:, 0], luck[:, -1], luck.sum(axis=1)):
        error = values.std(axis=0) / hands**0.5
        assert (np.abs(values.mean(axis=0)) < 4 * error + 1e-6).all()
    assert (luck.std(axis=0) > 0.01).all()


def test_hole_cards_are_zero_in_the_mean_of_all_hands() -> None:
    """Of the 1,326 pairs of cards, each as likely."""
    total = np.zeros(2)
    for first in DECK:
        for second in range(first):
            others = [card for card in range(8) if card not in (first, second)][:2]
            board = [card for card in DECK if card not in (first, second, *others)][:5]
            hand = Hand([200, 200], (1, 2), [(first, second), (others[0], others[1])], tuple(board))
            total += controls_of(play_in_turn(hand, "fold"))[0][-2:]
    np.testing.assert_allclose(total / 1326, 0, atol=5e-7)
