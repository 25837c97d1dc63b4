"""Measures the built-in levels: `python tools/level_report.py [SEEDS]` prints a row for each.

A row says how often the reference player and a random one complete the level, and how many
decisions the reference player makes, from which `baseline_actions` is rounded.
"""

import sys
from dataclasses import dataclass
from statistics import mean, stdev

from casino_evaluator.domain.levels import BUILTIN_GAMES, ExaminedGame, Level
from casino_evaluator.opponents import CATALOGUE
from casino_games.shuffle import derive_seed
from level_games import played, reference

SEEDS = 200


@dataclass(frozen=True, slots=True)
class Measured:
    """How a level is played, over some seeds."""

    completed: float
    """Share of the seeds in which the reference player completes it."""
    completed_at_random: float
    actions: float
    """The reference player's mean number of decisions."""
    actions_error: float
    """Standard error of that mean."""


def measured(game: ExaminedGame, number: int, seeds: int = SEEDS) -> Measured:
    """Play a level, counted from 1, with both players."""
    level = game.levels[number - 1]
    texts = [derive_seed("levels", game.prefix, number, seed) for seed in range(seeds)]
    by_reference = [played(game, level, seed, reference(game.game_type, level)) for seed in texts]
    at_random = [played(game, level, seed, CATALOGUE["random"]) for seed in texts]
    actions = [each.actions for each in by_reference]
    return Measured(
        mean(each.completes(level) for each in by_reference),
        mean(each.completes(level) for each in at_random),
        mean(actions),
        stdev(actions) / seeds**0.5,
    )


def _row(game: ExaminedGame, number: int, level: Level, result: Measured) -> str:
    return (
        f"| `{game.prefix}` {number} | {level.opponent} | {level.hands} | {game.starting_stack} → "
        f"{level.target} | {result.completed:.0%} | {result.completed_at_random:.0%} | "
        f"{result.actions:.1f} | {level.baseline_actions} |\n"
    )


if __name__ == "__main__":
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else SEEDS
    sys.stdout.write(
        "| level | opponent | hands | chips | reference | random | decisions | baseline |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- |\n"
    )
    for game in BUILTIN_GAMES:
        for number, level in enumerate(game.levels, start=1):
            sys.stdout.write(_row(game, number, level, measured(game, number, seeds)))
            sys.stdout.flush()
