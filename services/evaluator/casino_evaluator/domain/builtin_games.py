"""The built-in games and levels, from easy to hard.

Targets are measured, not chosen by taste: `tools/level_report.py` plays every level in process with
a reference player and with a random one. The reference player completes each level in at least 60
of 100 seeds, the random one in at most 35. `baseline_actions` is the reference player's mean number
of decisions there.
"""

from casino_evaluator.domain.levels import ExaminedGame, Level
from casino_evaluator.domain.opponent_names import (
    BLACKJACK,
    DEALER,
    HOLDEM,
    KUHN,
    LEDUC,
    SIMPLE_CARD,
)

BUILTIN_GAMES = (
    ExaminedGame(
        prefix="kuhn",
        game_type=KUHN,
        title="KUHN",
        starting_stack=30,
        small_blind=1,
        big_blind=2,
        levels=(
            Level("random", hands=30, target=33, baseline_actions=35),
            Level("caller", hands=18, target=32, baseline_actions=18),
            Level("equilibrium", hands=30, target=29, baseline_actions=36),
        ),
        tags=("poker", "two-players"),
    ),
    ExaminedGame(
        prefix="ledu",
        game_type=LEDUC,
        title="LEDUC",
        starting_stack=100,
        small_blind=1,
        big_blind=2,
        levels=(
            Level("random", hands=30, target=116, baseline_actions=63),
            Level("caller", hands=18, target=106, baseline_actions=36),
            Level("equilibrium", hands=18, target=94, baseline_actions=36),
        ),
        tags=("poker", "two-players"),
    ),
    ExaminedGame(
        prefix="hold",
        game_type=HOLDEM,
        title="HOLDEM",
        starting_stack=200,
        small_blind=1,
        big_blind=2,
        levels=(
            Level("random", hands=18, target=270, baseline_actions=36),
            Level("caller", hands=14, target=240, baseline_actions=52),
            Level("tight", hands=26, target=217, baseline_actions=35),
            Level("equity", hands=14, target=195, baseline_actions=29),
        ),
        tags=("poker", "two-players"),
    ),
    ExaminedGame(
        prefix="simp",
        game_type=SIMPLE_CARD,
        title="SIMPLE",
        starting_stack=60,
        small_blind=1,
        big_blind=2,
        levels=(
            Level("highest", hands=14, target=64, baseline_actions=42),
            Level("random", hands=14, target=63, baseline_actions=42),
            Level("saver", hands=14, target=60, baseline_actions=42),
        ),
        tags=("cards", "two-players"),
    ),
    ExaminedGame(
        prefix="blkj",
        game_type=BLACKJACK,
        title="BLACKJACK",
        starting_stack=100,
        small_blind=1,
        big_blind=2,
        levels=(
            Level(DEALER, hands=10, target=110, baseline_actions=12),
            Level(DEALER, hands=14, target=125, baseline_actions=14),
            Level(DEALER, hands=20, target=150, baseline_actions=17),
        ),
        tags=("cards", "bank"),
    ),
)
