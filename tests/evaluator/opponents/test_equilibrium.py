"""The stored strategies are equilibria: nobody can win from them, and they win what others find."""

import json
import sys
from functools import cache
from pathlib import Path
from random import Random

import pytest
from casino_evaluator.opponents import equilibrium, strategy_of
from casino_games.specification import state_of
from games.playing import dealt

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "tools"))

from betting_tree import tree_of  # noqa: E402  a script, found by its folder
from equilibria import expected, exploitability, solved  # noqa: E402  a script, found by its folder

FILE = ROOT / "services/evaluator/casino_evaluator/equilibria.json"
LIMITS = {"kuhn_poker": 0.001, "leduc_poker": 0.01}
TREES = cache(tree_of)
VALUES = {"kuhn_poker": -1 / 18, "leduc_poker": -0.085606}
"""What the first player wins a hand; Kuhn's from the paper of 1950, Leduc's as solvers find it."""


@pytest.mark.parametrize("game_type", LIMITS)
def test_a_best_response_wins_almost_nothing(game_type: str) -> None:
    """Computed on the rules of our games, in chips a hand; the file says the same."""
    tree = TREES(game_type)
    lost = exploitability(tree, strategy_of(game_type))
    assert 0 <= lost < LIMITS[game_type] / 10
    stored = json.loads(FILE.read_text(encoding="utf-8"))[game_type]
    assert stored["exploitability"] == pytest.approx(lost, abs=1e-6)
    assert stored["first_player_wins"] == pytest.approx(VALUES[game_type], abs=1e-4)
    assert expected(tree, strategy_of(game_type)) == pytest.approx(VALUES[game_type], abs=1e-4)


def test_a_best_response_beats_any_other_strategy() -> None:
    """So the measure above can fail: an even choice loses more than ten chips of a hundred."""
    even = {
        situation: dict.fromkeys(actions, 1.0)
        for situation, actions in solved("kuhn_poker", 1)["strategy"].items()
    }
    assert exploitability(TREES("kuhn_poker"), even) > 0.1


def test_kuhns_solution() -> None:
    """All equilibria have these shares in common, and one is free (H. W. Kuhn, 1950).

    The first player bets a jack at most every third time, and a king three times as often.
    """
    strategy = strategy_of("kuhn_poker")

    def share(situation: str, action: str) -> float:
        return strategy[situation].get(action, 0.0)

    bluffs = share("J.", "BET")
    assert bluffs <= 1 / 3 + 0.001
    assert share("K.", "BET") == pytest.approx(3 * bluffs, abs=0.01)
    assert share("Q.", "BET") == pytest.approx(0, abs=0.001)
    assert share("Q.kb", "CALL") == pytest.approx(bluffs + 1 / 3, abs=0.01)
    assert share("J.k", "BET") == pytest.approx(1 / 3, abs=0.01)
    assert share("Q.b", "CALL") == pytest.approx(1 / 3, abs=0.01)
    for situation, action in (("K.b", "CALL"), ("K.k", "BET"), ("J.b", "FOLD"), ("Q.k", "CHECK")):
        assert share(situation, action) == pytest.approx(1, abs=0.001)


def test_the_tool_computes_a_strategy_like_the_stored_one() -> None:
    """Fewer iterations come less close; the same number gives the same file."""
    few, more = solved("kuhn_poker", 100), solved("kuhn_poker", 1000)
    stored = json.loads(FILE.read_text(encoding="utf-8"))["kuhn_poker"]
    assert stored["exploitability"] < more["exploitability"] < few["exploitability"] < 0.01
    assert solved("kuhn_poker", 100) == few
    assert stored["strategy"].keys() == more["strategy"].keys()


def test_a_bet_that_cannot_be_paid_is_left_out() -> None:
    """With one chip left behind the ante a king checks, as nothing else is offered."""
    for seed in range(20):
        game = dealt("kuhn_poker", 2, f"short {seed}", stacks=[1, 30])
        available = tuple(game.get_available_actions())
        assert [offer["action_type"] for offer in available] == ["CHECK"]
        assert equilibrium(state_of(game, "p0"), available, Random(seed)) == {
            "action_type": "CHECK"
        }
