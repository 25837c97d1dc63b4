"""Equity against random hands, and the points of starting hands."""

import numpy as np
import pytest
from casino_games.cards import cards_from_text
from casino_games.holdem.odds import equity, exact_odds
from casino_games.holdem.ranking import chen_points


def test_equity_against_one_random_hand() -> None:
    """Aces win 85 of 100, seven-deuce 35."""
    generator = np.random.default_rng(7)
    assert abs(equity(cards_from_text("AsAh"), [], 1, generator, 20_000) - 0.852) < 0.01
    assert abs(equity(cards_from_text("7c2d"), [], 1, generator, 20_000) - 0.346) < 0.01


def test_equity_on_the_river_is_the_share_of_the_other_hands_that_lose() -> None:
    """Counted exactly over all 990 of them."""
    own, board = cards_from_text("AcTc"), cards_from_text("2h7dJcQsTd")
    rest = [card for card in range(52) if card not in {*own, *board}]
    others = [(a, b) for a in rest for b in rest if a < b]
    odds = [exact_odds([(own[0], own[1]), other], board)[0] for other in others]
    exact = sum(each.win + each.tie / 2 for each in odds) / len(others)
    sampled = equity(own, board, 1, np.random.default_rng(7), 20_000)
    assert sampled == pytest.approx(exact, abs=0.012)


@pytest.mark.parametrize(
    ("hole", "points"),
    [("AsAh", 20), ("KsKh", 16), ("2s2h", 5), ("AsKs", 12), ("7h2c", -1.5), ("JsTs", 9)],
)
def test_chen_points(hole: str, points: float) -> None:
    """As the formula gives them, without rounding."""
    assert chen_points(cards_from_text(hole)) == points
