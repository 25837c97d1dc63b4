"""WinOdds count wins and ties separately, and exclude dead cards."""

import random
from itertools import combinations

import numpy as np
import pytest
from casino_games.cards import DECK, cards_from_text, cards_to_text
from casino_games.holdem.hand import Hole
from casino_games.holdem.odds import WinOdds, exact_odds, sampled_odds
from treys import Card as TreysCard
from treys import Evaluator

EVALUATOR = Evaluator()


def treys_cards(cards: list[int]) -> list[int]:
    text = cards_to_text(cards)
    return [TreysCard.new(text[start : start + 2]) for start in range(0, len(text), 2)]


def pairs(*texts: str) -> list[Hole]:
    dealt = [cards_from_text(text) for text in texts]
    return [(first, second) for first, second in dealt]


def plain_count(holes: list[Hole], board: list[int], dead: list[int]) -> list[WinOdds]:
    """Return the odds by playing out every board one by one, judged by treys."""
    dealt = {*board, *dead, *(card for hole in holes for card in hole)}
    unseen = [card for card in DECK if card not in dealt]
    runouts = list(combinations(unseen, 5 - len(board)))
    wins, ties = [0] * len(holes), [0] * len(holes)
    for runout in runouts:
        full = treys_cards([*board, *runout])
        ranks = [EVALUATOR.evaluate(treys_cards([*hole]), full) for hole in holes]
        best = min(ranks)
        counted = wins if ranks.count(best) == 1 else ties
        for place, rank in enumerate(ranks):
            counted[place] += rank == best
    return [
        WinOdds(win / len(runouts), tie / len(runouts)) for win, tie in zip(wins, ties, strict=True)
    ]


Spot = tuple[list[Hole], list[int], list[int]]


def spot(seed: int, players: int, board_size: int, folded: int) -> Spot:
    """Return hands, a board and dead cards that one deck deals."""
    cards = random.Random(seed).sample(DECK, 2 * (players + folded) + board_size)
    board = [cards.pop() for _ in range(board_size)]
    dead = [cards.pop() for _ in range(2 * folded)]
    return list(zip(cards[::2], cards[1::2], strict=True)), board, dead


@pytest.mark.parametrize(("board_size", "spots"), [(3, 2), (4, 10), (5, 60)])
@pytest.mark.parametrize(("players", "folded"), [(2, 0), (3, 2), (6, 0), (2, 7)])
def test_exact_odds_are_a_plain_count(
    players: int, folded: int, board_size: int, spots: int
) -> None:
    """On random spots, against every runout one by one; treys says who wins."""
    for seed in range(spots):
        holes, board, dead = spot(seed, players, board_size, folded)
        assert exact_odds(holes, board, dead) == plain_count(holes, board, dead)


def test_sampled_odds_come_close_and_repeat() -> None:
    """Within five standard errors; the same generator, the same numbers."""
    holes, board, dead = spot(3, 4, 3, 2)
    exact = exact_odds(holes, board, dead)
    runs = [sampled_odds(holes, board, 50_000, np.random.default_rng(5), dead) for _ in range(2)]
    assert runs[0] == runs[1]
    for found, wanted in zip(runs[0], exact, strict=True):
        assert found == pytest.approx(wanted, abs=5 * 0.5 / 50_000**0.5)


def test_a_complete_board_leaves_nothing_to_sample() -> None:
    board = cards_from_text("2c3d7h8c9d")
    sampled = sampled_odds(pairs("AsAh", "KdKc"), board, 10, np.random.default_rng(1))
    assert sampled == [WinOdds(1, 0), WinOdds(0, 0)]


@pytest.mark.parametrize(
    ("holes", "board", "dead", "message"),
    [
        (["AsAh", "AsKd"], "2c3d7h", "", "distinct"),
        (["AsAh", "KdKc"], "2c3dAs", "", "distinct"),
        (["AsAh", "KdKc"], "2c3d7h", "As", "distinct"),
        (["AsAh", "KdKc"], "2c3d", "", "board of 0, 3, 4 or 5"),
        (["AsAh"], "2c3d7h", "", "two hands or more"),
        (["AsAh", "KdKc"], "", "", "too many boards"),
    ],
)
def test_what_no_deck_deals_is_refused(
    holes: list[str], board: str, dead: str, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        exact_odds(pairs(*holes), cards_from_text(board), cards_from_text(dead))
