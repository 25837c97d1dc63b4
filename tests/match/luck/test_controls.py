"""The controls of hands: what they are, that chips add up, and that they are 0 in the mean."""

import random
from collections.abc import Callable, Sequence
from itertools import combinations, permutations

import numpy as np
import pytest
from casino_games.cards import DECK
from casino_games.holdem import Hand
from casino_games.holdem.hand import award, build_pots
from casino_games.holdem.ranking import rank_cards
from casino_match.luck.luck_controls import CONTROLS, board_luck, controls_of, pot_luck

from .conftest import deal_of, play, play_in_turn, random_hand

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
        hand = random_hand(dice, seats)
        controls = np.array(controls_of(hand))
        total = np.sum(controls, axis=0)
        np.testing.assert_allclose(total[[ALL_IN, POT, RIVER, AHEAD]], 0, atol=2e-5)
        assert pot_luck(hand) == pytest.approx(controls[:, [ALL_IN, POT, RIVER]].sum(axis=1))


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
    total = np.zeros(2)
    for first in DECK:
        for second in range(first):
            others = [card for card in range(8) if card not in (first, second)][:2]
            board = [card for card in DECK if card not in (first, second, *others)][:5]
            hand = Hand([200, 200], (1, 2), [(first, second), (others[0], others[1])], tuple(board))
            total += controls_of(play_in_turn(hand, "fold"))[0][-2:]
    np.testing.assert_allclose(total / 1326, 0, atol=5e-7)
