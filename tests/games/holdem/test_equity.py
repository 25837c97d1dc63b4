"""Equity is the average share of the pot."""

import random
from itertools import combinations

import numpy as np
import pytest
from casino_games.cards import DECK, cards_from_text
from casino_games.holdem.deal import Hole
from casino_games.holdem.equity import exact_equity, sampled_equity
from casino_games.holdem.ranking import rank_showdown


def holes_from_text(*texts: str) -> list[Hole]:
    """Return hole cards."""
    dealt = [cards_from_text(text) for text in texts]
    return [(first, second) for first, second in dealt]


def plain_count(holes: list[Hole], board: list[int]) -> list[float]:
    """Return the equities by playing out every board, one by one."""
    dealt = [*board, *(card for hole in holes for card in hole)]
    unseen = [card for card in DECK if card not in dealt]
    shares = [0.0] * len(holes)
    runouts = list(combinations(unseen, 5 - len(board)))
    for runout in runouts:
        ranks = list(rank_showdown([*board, *runout], holes))
        best = min(ranks)
        for place, rank in enumerate(ranks):
            shares[place] += (rank == best) / ranks.count(best) / len(runouts)
    return shares


@pytest.mark.parametrize("board_size", [3, 4, 5])
@pytest.mark.parametrize("players", [2, 3, 6])
def test_exact_equity_is_a_plain_count(players: int, board_size: int) -> None:
    """Every completion counts once, and a split pot is shared."""
    cards = random.Random(10 * players + board_size).sample(DECK, 2 * players + board_size)
    holes = list(zip(cards[:players], cards[players : 2 * players], strict=True))
    board = cards[2 * players :]
    equity = exact_equity(holes, board)
    assert equity == pytest.approx(plain_count(holes, board))
    assert sum(equity) == pytest.approx(1)


def test_sampled_equity_comes_close_to_the_exact_one() -> None:
    """Within five standard errors, from the flop on."""
    holes = holes_from_text("AsAh", "KdQd", "7c7s")
    board = cards_from_text("Jd7d2c")
    sampled = sampled_equity(holes, board, 100_000, np.random.default_rng(1))
    assert sampled == pytest.approx(exact_equity(holes, board), abs=5 * 0.5 / 100_000**0.5)


def test_sampled_equity_knows_a_famous_case_before_the_flop() -> None:
    """Aces against kings win about 82 % of the pot."""
    holes = holes_from_text("AsAh", "KdKc")
    sampled = sampled_equity(holes, [], 100_000, np.random.default_rng(1))
    assert sampled[0] == pytest.approx(0.82, abs=0.01)


def test_sampling_repeats_with_its_generator() -> None:
    """Nothing is random by itself."""
    holes = holes_from_text("AsAh", "KdKc")
    runs = [sampled_equity(holes, [], 1_000, np.random.default_rng(7)) for _ in range(2)]
    assert runs[0] == runs[1]


def test_a_complete_board_leaves_nothing_to_sample() -> None:
    """The winner has everything."""
    holes = holes_from_text("AsAh", "KdKc")
    board = cards_from_text("2c3d7h8c9d")
    assert sampled_equity(holes, board, 10, np.random.default_rng(1)) == [1, 0]


@pytest.mark.parametrize(
    ("holes", "board", "message"),
    [
        (["AsAh", "AsKd"], "2c3d7h", "distinct"),
        (["AsAh", "KdKc"], "2c3dAs", "distinct"),
        (["AsAh", "KdKc"], "2c3d", "board of 0, 3, 4 or 5"),
        (["AsAh"], "2c3d7h", "two hands or more"),
        (["AsAh", "KdKc"], "", "too many boards"),
    ],
)
def test_what_nobody_could_have_dealt_is_refused(
    holes: list[str], board: str, message: str
) -> None:
    """A wrong question gets no number."""
    with pytest.raises(ValueError, match=message):
        exact_equity(holes_from_text(*holes), cards_from_text(board))


def test_a_sample_needs_a_trial() -> None:
    """The average of nothing is no equity."""
    with pytest.raises(ValueError, match="one trial"):
        sampled_equity(holes_from_text("AsAh", "KdKc"), [], 0, np.random.default_rng(1))
