"""The built-in levels are what the report measures: passed by good play, seldom by chance."""

import sys
from pathlib import Path

import pytest
from casino_evaluator.domain.levels import BUILTIN_GAMES, ExaminedGame

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "tools"))

from level_games import played, reference  # noqa: E402  a script, found by its folder
from level_report import measured  # noqa: E402  a script, found by its folder

SEEDS = 20
LEVELS = [
    pytest.param(
        game,
        number,
        id=f"{game.prefix}-{number}",
    )
    for game in BUILTIN_GAMES
    for number in range(1, game.win_score + 1)
]


@pytest.mark.full
@pytest.mark.parametrize(("game", "number"), LEVELS)
def test_the_reference_player_sets_the_baseline(game: ExaminedGame, number: int) -> None:
    """Here over few of the report's seeds, so with the error of so few."""
    level = game.levels[number - 1]
    result = measured(game, number, SEEDS)
    assert abs(result.actions - level.baseline_actions) <= 0.5 + 3 * result.actions_error
    assert 10 <= level.baseline_actions <= 65
    assert result.completed >= 0.5
    assert result.completed_at_random <= 0.45
    assert result.completed - result.completed_at_random >= 0.2


@pytest.mark.parametrize("game", BUILTIN_GAMES, ids=lambda game: game.prefix)
def test_a_level_is_played_the_same_again(game: ExaminedGame) -> None:
    """The seed decides cards and dice; another one gives another level."""
    level = game.levels[-1]
    player = reference(game.game_type, level)
    results = [played(game, level, seed, player) for seed in ("one", "one", "two", "three")]
    assert results[0] == results[1]
    assert len(set(results)) > 1 or level.opponent == "saver"
