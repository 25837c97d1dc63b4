"""The boards that stand for all, the levels of hands on them, and situations of streets."""

import random
from collections import Counter

import numpy as np
import pytest
from casino_games.cards import DECK, cards_from_text
from casino_games.holdem import Hand
from casino_games.holdem.batch_ranking import KEYS
from casino_games.holdem.ranking import rank_cards
from casino_match.luck.deals import Deal, design_of
from casino_match.luck.situations import situations_of
from casino_match.luck.strength import levels_of, thresholds_on

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
    first, second = Deal(holes, flop), Deal(holes, other)
    assert (first.ranks[:, first.sample] == second.ranks[:, second.sample]).all()
    assert (first.ranks[:, first.runouts] != second.ranks[:, second.runouts]).any()


def test_the_sample_has_the_equity_of_all_boards() -> None:
    """Over the 36 deals of aces against kings, which have 81.95 % (80.2 to 83.1, by suits)."""
    shares = []
    for kings in ("KcKd", "KcKh", "KcKs", "KdKh", "KdKs", "KhKs"):
        for aces in ("AcAd", "AcAh", "AcAs", "AdAh", "AdAs", "AhAs"):
            deal = Deal(deal_of([aces, kings], "")[0], deal_of([], "2c3d8s")[1])
            ranks = deal.ranks[:, deal.sample].astype(int)
            shares.append((np.sign(ranks[1] - ranks[0]).mean() + 1) / 2)
    assert np.mean(shares) == pytest.approx(0.8195, abs=0.012)


def test_columns_hold_the_ranks_of_their_boards() -> None:
    """Of the run-outs, the rivers after the turn, and the whole board."""
    holes, board = deal_of(["AhKh", "9c9d", "7s2d"], "Th9s4d2s8c")
    deal = Deal(holes, board[:3])
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
