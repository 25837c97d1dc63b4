"""Scores in percent: of a level, of a run, and of a whole scorecard. Pure.

Source: the scorecards of the public ARC-AGI-3 API (`arc-agi` 0.9.9, `scorecard.py`).
"""

from collections.abc import Sequence

MOST_OF_A_LEVEL = 115.0
"""A level that takes fewer actions than the reference player may make up for another one."""
_FULL = 100.0


def level_score(baseline: int, actions: int, *, completed: bool) -> float:
    """Return the score of a level from the reference player's actions and the candidate's own.

    >>> level_score(10, 20, completed=True), level_score(10, 20, completed=False)
    (25.0, 0.0)
    """
    if not completed:
        return 0.0
    # A level that ends without a decision has been completed in the best possible way.
    return float(min((baseline / max(actions, 1)) ** 2 * _FULL, MOST_OF_A_LEVEL))


def run_score(levels: Sequence[float]) -> float:
    """Return the score of a run from the scores of all its levels, of which later ones weigh more.

    Level k has weight k; a run has at most the share of the weights of its completed levels.

    >>> round(run_score([100 / 9, 100.0, 100.0]), 3)
    85.185
    """
    weights = range(1, len(levels) + 1)
    total = sum(weights)
    if total == 0:
        return 0.0
    score = sum(level * weight for level, weight in zip(levels, weights, strict=True)) / total
    completed = sum(weight for level, weight in zip(levels, weights, strict=True) if level > 0)
    return min(score, completed / total * _FULL)


def mean(scores: Sequence[float]) -> float:
    """Return the mean, 0 of nothing."""
    return sum(scores) / len(scores) if scores else 0.0
