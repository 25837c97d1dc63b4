"""What the controls are of a few hands, and that chips add up."""

import random
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from casino_games.cards import DECK
from casino_games.holdem import Hand
from casino_games.holdem.pots import award, build_pots
from casino_games.holdem.ranking import rank_cards
from casino_match.luck.controls import CONTROLS, controls_of

from .conftest import deal_of, play_in_turn, random_hand

ALL_IN, POT, RIVER, AHEAD, GOOD = (
    CONTROLS.index(name)
    for name in ("all-in", "pot before the river", "pot on the river", "ahead", "good hole cards")
)
WEAK = CONTROLS.index("against a better hand before the river")


def expected_payments(hand: Hand, known: int) -> list[float]:
    """Return the mean payments over all boards that begin with the known cards, one by one."""
    seats = range(len(hand.stacks))
    contenders = [seat for seat in seats if hand.live >> seat & 1]
    pots = build_pots(hand.contributed, contenders, sum(hand.contributed))
    holes = [hand.hole_of(seat) for seat in seats]
    board = hand.board[:known]
    seen = {*board, *(card for hole in holes for card in hole)}
    boards = list(combinations([card for card in DECK if card not in seen], 5 - known))
    total = [0] * len(seats)
    for rest in boards:
        ranks = {seat: rank_cards([*board, *rest, *holes[seat]]) for seat in contenders}
        for pot in pots:
            for seat, chips in award(pot, ranks).winners:
                total[seat] += chips
    return [chips / len(boards) for chips in total]


@pytest.mark.parametrize(
    ("holes", "stacks", "decisions", "known"),
    [
        (["AhKh", "9c9d"], [200, 200], ["call", "call", "all-in", "call"], 3),
        (["AhKh", "9c9d"], [200, 51], [*["call"] * 4, "all-in", "call"], 4),
        # Three stacks: a main pot of 69 and a side pot of 64, which are often split.
        (["AhKd", "AcKs", "7h6h"], [200, 55, 23], [*["call"] * 3, "all-in", "call", "call"], 3),
        # The folded chips leave odd ones in a split pot.
        (
            ["AhKd", "AcKs", "2h3h"],
            [31, 31, 200],
            ["raise", "call", "call", "all-in", "call", "fold"],
            3,
        ),
        (["JhTd", "JcTs", "JdTc"], [41, 33, 29], [*["call"] * 6, "all-in", "call", "call"], 4),
    ],
)
def test_the_luck_of_an_all_in_is_the_payment_minus_that_of_all_boards(
    holes: Sequence[str], stacks: Sequence[int], decisions: Sequence[str], known: int
) -> None:
    """Compared with every board ranked and paid alone, side pots and odd chips included."""
    dealt, board = deal_of(holes, "Th9s4d2s8c")
    hand = play_in_turn(Hand(stacks, (1, 2), dealt, board), *decisions)
    won = [0] * len(stacks)
    for pot in hand.awards:
        for seat, chips in pot.winners:
            won[seat] += chips
    assert (0, 3, 4, 5)[hand.betting_ended_on] == known
    luck = [row[ALL_IN] for row in controls_of(hand)]
    np.testing.assert_allclose(luck, np.subtract(won, expected_payments(hand, known)), atol=1e-6)


def test_an_all_in_before_the_flop_is_compared_with_a_sample_of_boards() -> None:
    """Aces win 81.9 % of the pot against kings; here within the error of 704 boards."""
    dealt, board = deal_of(["AhAs", "KcKd"], "Th9s4d2s8c")
    hand = play_in_turn(Hand([200, 200], (1, 2), dealt, board), "all-in", "call")
    assert controls_of(hand)[0][ALL_IN] == pytest.approx(400 * (1 - 0.819), abs=400 * 0.045)
    assert [row[POT:GOOD] for row in controls_of(hand)] == [(0.0,) * (GOOD - 1)] * 2


def test_without_an_all_in_the_payment_has_no_luck_of_its_own() -> None:
    dealt, board = deal_of(["AhKh", "9c9d"], "Th9s4d2s8c")
    hand = play_in_turn(Hand([200, 200], (1, 2), dealt, board))
    assert [row[ALL_IN] for row in controls_of(hand)] == [0.0, 0.0]


def test_a_hand_that_ends_before_the_flop_has_the_luck_of_its_hole_cards_alone() -> None:
    """Kings are premium; seven-deuce is below the mean."""
    dealt, board = deal_of(["KhKd", "7c2d"], "Th9s4d2s8c")
    kings, seven = controls_of(play_in_turn(Hand([200, 200], (1, 2), dealt, board), "fold"))
    assert kings[:GOOD] == seven[:GOOD] == (0.0,) * GOOD
    assert kings[-2] == pytest.approx(2 + seven[-2])
    assert kings[-1] > 1
    assert seven[-1] < 0


def test_the_river_moves_the_pot_by_the_change_of_its_expected_share() -> None:
    """Nines are ahead of a flush draw with nine outs of 44: two spades pair the board."""
    dealt, board = deal_of(["AsKs", "9c9d"], "9h7s2s4hQs")
    hand = play_in_turn(Hand([200, 200], (1, 2), dealt, board))
    flush, nines = controls_of(hand)
    assert flush[RIVER] == pytest.approx(4 * (1 - 7 / 44), abs=1e-6)
    assert nines[RIVER] == -flush[RIVER]
    assert flush[AHEAD] > 0


@pytest.mark.parametrize("seats", [2, 3, 6, 10])
def test_what_one_seat_is_lucky_to_win_the_others_are_unlucky_to_lose(seats: int) -> None:
    """Chips of a pot add up to 0, and who is ahead of one seat is so at its cost."""
    dice = random.Random(seats)
    for _ in range(60):
        total = np.sum(controls_of(random_hand(dice, seats)), axis=0)
        np.testing.assert_allclose(total[[ALL_IN, POT, RIVER, AHEAD]], 0, atol=2e-5)


def test_a_weak_hand_has_at_stake_what_the_pot_allows() -> None:
    """Eight pots of 4 chips on the flop, or the smaller stack if that is less."""
    dealt, board = deal_of(["AhKh", "9c9d"], "Th9s4d2s8c")
    deep, deeper, short = (
        controls_of(play_in_turn(Hand([stack, 200], (1, 2), dealt, board)))
        for stack in (100, 180, 18)
    )
    assert [row[WEAK] for row in deep] == [row[WEAK] for row in deeper] != [0.0, 0.0]
    for row, other in zip(short, deep, strict=True):
        assert row[WEAK] == pytest.approx(other[WEAK] * (18 - 2) / (8 * 4), abs=2e-6)
        assert deeper[0][AHEAD] == pytest.approx(deep[0][AHEAD] * 178 / 98, abs=2e-5)


def test_exchanged_cards_exchange_the_luck() -> None:
    """Whoever holds a hand, in the same hand of poker, has its luck."""
    dealt, board = deal_of(["AhKh", "9c9d"], "Th9s4d2s8c")
    first, second = controls_of(play_in_turn(Hand([200, 200], (1, 2), dealt, board)))
    exchanged = controls_of(play_in_turn(Hand([200, 200], (1, 2), dealt[::-1], board)))
    np.testing.assert_allclose(exchanged, [second, first], atol=2e-6)


def test_the_order_of_hands_does_not_matter() -> None:
    """What is kept of one deal is not used for another."""
    dice = random.Random(4)
    hands = [random_hand(dice, 3) for _ in range(12)]
    luck = [controls_of(hand) for hand in hands]
    assert [controls_of(hand) for hand in reversed(hands)] == luck[::-1]
