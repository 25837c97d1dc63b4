"""Who beats whom: each opponent that is meant to be stronger wins chips from a weaker one.

The hands are duplicates: each deck is played from both positions, with full stacks.
"""

from random import Random
from statistics import mean, stdev

import pytest
from casino_evaluator.opponents import CATALOGUE
from casino_games.specification import state_of
from games.playing import dealt

STACKS = {"texas-holdem": 200, "kuhn_poker": 30, "leduc_poker": 100, "simple_card": 60}


def won(game_type: str, names: tuple[str, str], deck: int, first: int) -> int:
    """Return the chips that the first of two opponents wins in one hand, in position `first`."""
    settings = {"small_blind": 1, "big_blind": 2} if game_type == "texas-holdem" else {}
    stacks = [STACKS[game_type]] * 2
    game = dealt(game_type, 2, f"deck {deck}", stacks=stacks, **settings)
    seats = dict(zip(("p0", "p1"), names if first == 0 else names[::-1], strict=True))
    dice = Random(f"{deck} {first}")
    while player := game.get_current_player():
        decide = CATALOGUE[seats[player]]
        game.step(decide(state_of(game, player), tuple(game.get_available_actions()), dice))
    return game.get_scores()[f"p{first}"]


@pytest.mark.parametrize(
    ("game_type", "strong", "weak", "decks"),
    [
        ("kuhn_poker", "equilibrium", "random", 500),
        ("kuhn_poker", "equilibrium", "caller", 500),
        ("leduc_poker", "equilibrium", "random", 300),
        ("leduc_poker", "equilibrium", "caller", 300),
        ("simple_card", "saver", "random", 200),
        ("simple_card", "saver", "highest", 200),
        ("texas-holdem", "tight", "caller", 120),
        ("texas-holdem", "equity", "caller", 60),
        pytest.param("texas-holdem", "equity", "random", 500, marks=pytest.mark.long),
        pytest.param("texas-holdem", "equity", "tight", 1200, marks=pytest.mark.long),
    ],
)
def test_the_stronger_wins_chips(game_type: str, strong: str, weak: str, decks: int) -> None:
    """More than two standard errors above 0; `equity` and `tight` are closer to each other."""
    results = [
        mean(won(game_type, (strong, weak), deck, first) for first in (0, 1))
        for deck in range(decks)
    ]
    error = stdev(results) / decks**0.5
    least = 0 if weak == "tight" else 2 * error
    assert mean(results) > least, f"{mean(results):.2f} +- {error:.2f}"
