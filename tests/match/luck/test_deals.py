"""The boards that stand for all, and what they are worth to two seats on each street."""

import random
from collections import Counter
from collections.abc import Sequence
from statistics import mean

import numpy as np
import pytest
from casino_games.cards import DECK, cards_from_text
from casino_games.holdem import Hand
from casino_games.holdem.batch_ranking import KEYS
from casino_games.holdem.ranking import rank_cards
from casino_match.luck.luck_controls import situations_of
from casino_match.luck.pairwise_equity import Duels
from casino_match.luck.possible_boards import (
    Columns,
    PossibleBoards,
    design_of,
    levels_of,
    thresholds_on,
)

from .conftest import deal_of, random_hand


@pytest.mark.parametrize("seats", range(2, 11))
def test_a_round_of_the_sample_uses_each_card_once_in_a_flop(seats: int) -> None:
    """And at most once in the run-outs of a flop; a board has five different cards."""
    unseen = 52 - 2 * seats
    design = design_of(unseen)
    sample = design.boards[:, design.runouts :] - unseen
    boards = [tuple(board) for board in sample.T.tolist()]
    assert all(len(set(board)) == 5 and set(board) <= set(range(unseen)) for board in boards)
    flops = Counter(board[:3] for board in boards)
    assert set(flops.values()) == {(unseen - 3) // 2}
    uses = Counter(card for flop in flops for card in flop)
    assert max(uses.values()) == 2
    for flop in flops:
        rest = [card for board in boards if board[:3] == flop for card in board[3:]]
        assert len(set(rest)) == len(rest)


def test_the_sample_does_not_depend_on_the_flop() -> None:
    """Otherwise the mean would not be that of all flops."""
    holes, flop = deal_of(["AhKh", "9c9d"], "Th9s4d")
    _, other = deal_of([], "2c3d8s")
    first, second = PossibleBoards(holes, flop), PossibleBoards(holes, other)
    assert (first.ranks[:, first.sample] == second.ranks[:, second.sample]).all()
    assert (first.ranks[:, first.runouts] != second.ranks[:, second.runouts]).any()


def test_the_sample_has_the_equity_of_all_boards() -> None:
    """Over the 36 deals of aces against kings, which have 81.95 % (80.2 to 83.1, by suits)."""
    shares = []
    for kings in ("KcKd", "KcKh", "KcKs", "KdKh", "KdKs", "KhKs"):
        for aces in ("AcAd", "AcAh", "AcAs", "AdAh", "AdAs", "AhAs"):
            deal = PossibleBoards(deal_of([aces, kings], "")[0], deal_of([], "2c3d8s")[1])
            ranks = deal.ranks[:, deal.sample].astype(int)
            shares.append((np.sign(ranks[1] - ranks[0]).mean() + 1) / 2)
    assert np.mean(shares) == pytest.approx(0.8195, abs=0.012)


def test_columns_hold_the_ranks_of_their_boards() -> None:
    """Of the run-outs, the rivers after the turn, and the whole board."""
    holes, board = deal_of(["AhKh", "9c9d", "7s2d"], "Th9s4d2s8c")
    deal = PossibleBoards(holes, board[:3])
    for seat, hole in enumerate(holes):
        (rank,) = deal.ranks[seat, deal.boards_after(board)]
        assert rank == rank_cards([*hole, *board])
        seen = {card for pair in holes for card in pair} | set(board[:4])
        rivers = sorted(rank_cards([*hole, *board[:4], card]) for card in DECK if card not in seen)
        assert sorted(deal.ranks[seat, deal.boards_after(board[:4])].tolist()) == rivers
    assert deal.ranks[:, deal.boards_after(board[:3])].shape == (3, 43 * 42 // 2)


@pytest.mark.parametrize("board", ["Th9s4d2s8c", "AhAdAcKsKd", "5c6d7h8sJc", "2h2d9s9cQd"])
def test_a_level_says_how_few_hands_are_better(board: str) -> None:
    """At most half of them from level 1 on, a twentieth less for each further level."""
    cards = cards_from_text(board)
    ranks = [
        rank_cards([*cards, first, second])
        for first in DECK
        for second in range(first)
        if first not in cards and second not in cards
    ]
    thresholds = thresholds_on(KEYS.take(np.array(cards)[:, None]).sum(axis=0))
    for rank in set(ranks):
        better = sum(other < rank for other in ranks)
        expected = sum(better <= round((20 - share) / 20 * 1081) for share in range(10, 20))
        assert levels_of(np.array([[rank]], np.uint16), thresholds).item() == expected


def test_situations_are_those_of_the_streets_as_they_were_played() -> None:
    """Live seats, chips behind and pots, also with antes and seats that are all-in."""
    dice = random.Random(7)
    compared = 0
    for _ in range(300):
        hand = random_hand(dice, 4)
        again = _replayed(hand)
        situations = situations_of(hand)
        assert len(situations) == (hand.betting_ended_on if hand.board else 0)
        for situation, (live, behind, chips) in zip(situations, again, strict=True):
            assert situation.live == live
            assert [situation.behind[seat] for seat in live] == behind
            assert sum(pot.amount for pot in situation.pots) == chips
            compared += 1
    assert compared > 100


def _replayed(hand: Hand) -> list[tuple[tuple[int, ...], list[int], int]]:
    """Return live seats, their stacks and the pot at the start of each street, from the actions."""
    live = list(range(len(hand.stacks)))
    stacks = {
        seat: stack + paid for seat, _, _, _, paid, stack, _ in reversed(hand.actions)
    }  # of the first action of each seat; who never acted is all-in
    streets = []
    street = pot = 0
    for seat, street_of_action, kind, _, _, stack, pot_then in hand.actions:
        if street_of_action > street:
            street = street_of_action
            streets.append((tuple(live), [stacks.get(each, 0) for each in live], pot))
        if kind == "fold":
            live.remove(seat)
        stacks[seat], pot = stack, pot_then
    return streets


Board = tuple[int, int, int]
"""The levels of the seat and of the other, and who is ahead, on a board."""


def ramp(level: float, low: int, high: int) -> float:
    """Return how far a level is from the low to the high one, 0..1."""
    return min(max((level - low) / (high - low), 0.0), 1.0)


def boards_of(deal: PossibleBoards, own: int, other: int, columns: Columns) -> list[Board]:
    """Return what two seats have on each board."""
    ranks = deal.ranks[:, columns].astype(int)
    ahead = np.sign(ranks[other] - ranks[own])
    levels = deal.levels[:, columns]
    return list(zip(levels[own].tolist(), levels[other].tolist(), ahead.tolist(), strict=True))


def values_of(boards: Sequence[Board]) -> list[float]:
    values = [
        (
            ahead,
            (ahead > 0) * ramp(min(own, other), 4, 6),
            (ahead > 0) * ramp(min(own, other), 6, 8),
            ramp(own, 0, 4) * ramp(other, 4, 10),
        )
        for own, other, ahead in boards
    ]
    return [mean(column) for column in zip(*values, strict=True)]


def clashes_of(boards: Sequence[Board]) -> list[float]:
    own, other, ahead = (mean(column) for column in zip(*boards, strict=True))
    return [
        ahead * ramp(own, 4, 8) * ramp(other, 1, 4),
        ahead * ramp(own, 2, 4) * ramp(other, 3, 6),
    ]


@pytest.mark.parametrize("number", range(4))
def test_gains_are_the_values_after_the_cards_minus_their_mean(number: int) -> None:
    """On flop, turn and river, for both seats of a pair among three."""
    cards = random.Random(number).sample(DECK, 11)
    deal = PossibleBoards(
        [(cards[0], cards[1]), (cards[2], cards[3]), (cards[4], cards[5])], cards[6:9]
    )
    board = tuple(cards[6:])
    duels = Duels(deal, (0, 1, 2))
    for pair, (first, second) in enumerate(((0, 1), (0, 2), (1, 2))):
        flop, turn, river = (duels.gains(board[:size])[pair] for size in (3, 4, 5))
        for place, (own, other) in enumerate([(first, second), (second, first)]):

            def boards(columns: Columns, own: int = own, other: int = other) -> list[Board]:
                return boards_of(deal, own, other, columns)

            sizes = (0, 3, 4, 5)
            after = [np.array(values_of(boards(deal.boards_after(board[:k])))) for k in sizes]
            here, *flops = (np.array(clashes_of(boards(row))) for row in deal.flops)
            turns = [clashes_of(boards(row))[0] for row in deal.turns]
            clash = clashes_of(boards(deal.boards_after(board[:4])))[0] - mean(turns)
            expected_flop = [*(after[1] - after[0]), *(here - np.mean(flops, axis=0))]
            np.testing.assert_allclose(flop[place], expected_flop, atol=1e-12)
            np.testing.assert_allclose(turn[place], [*(after[2] - after[1]), clash], atol=1e-12)
            np.testing.assert_allclose(river[place], after[3] - after[2], atol=1e-12)


def test_a_set_against_an_overpair_is_a_clash() -> None:
    """Both hands are strong, and the set is far ahead; the other seat loses as much or less."""
    holes, flop = deal_of(["9c9d", "AhAs"], "Th9s4d")
    ahead, _, _, _, strong, _ = Duels(PossibleBoards(holes, flop), (0, 1)).gains(flop)[0][0]
    behind = Duels(PossibleBoards(holes, flop), (0, 1)).gains(flop)[0][1]
    assert ahead == -behind[0] > 1  # from an underdog to a favourite
    assert strong > 0.5
    assert behind[4] < -0.5


def test_hands_that_miss_do_not_clash() -> None:
    """Neither is worth chips on a board that helps none."""
    holes, board = deal_of(["6c5d", "3h2s"], "KhQsJd")
    deal = PossibleBoards(holes, board)
    _, fair, strong, against, *_ = Duels(deal, (0, 1)).gains(board)[0][0]
    assert fair <= 0
    assert strong <= 0
    assert against <= 0
