"""Scores: the formula of the public API, its caps, and what a run can reach."""

import pytest
from casino_evaluator.domain.scorecard import MOST_OF_A_LEVEL, level_score, mean, run_score
from hypothesis import given
from hypothesis import strategies as st

ACTIONS = st.integers(1, 10_000)


def test_the_example_of_the_public_api() -> None:
    """Three levels with 3, 1 and 1 actions where the reference player takes one."""
    levels = [level_score(1, actions, completed=True) for actions in (3, 1, 1)]
    assert levels == pytest.approx([11.111, 100, 100], abs=1e-3)
    assert run_score(levels) == pytest.approx(85.185, abs=1e-3)


@pytest.mark.parametrize(
    ("levels", "score"),
    [
        ([], 0),
        ([0.0, 0.0, 0.0], 0),
        ([100.0, 0.0, 0.0], 100 / 6),
        # Fewer actions than the reference player: no more than the completed levels' share.
        ([115.0, 0.0, 0.0], 100 / 6),
        ([115.0, 115.0, 115.0], 100),
        # They make up for another level.
        ([50.0, 115.0, 100.0], (50 + 230 + 300) / 6),
    ],
)
def test_later_levels_weigh_more(levels: list[float], score: float) -> None:
    """Level k has weight k; the share of the completed ones is the most."""
    assert run_score(levels) == pytest.approx(score)


@given(baseline=ACTIONS, actions=ACTIONS)
def test_a_level_needs_to_be_completed(baseline: int, actions: int) -> None:
    """More actions never give more; a level that is not completed gives nothing."""
    score = level_score(baseline, actions, completed=True)
    assert 0 < score <= MOST_OF_A_LEVEL
    assert score >= level_score(baseline, actions + 1, completed=True)
    assert level_score(baseline, actions, completed=False) == 0
    assert level_score(baseline, 0, completed=True) >= score


def test_the_mean_of_nothing_is_nothing() -> None:
    assert mean([]) == 0
    assert mean([100, 50]) == 75
