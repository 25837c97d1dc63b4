"""A second opinion on the stored strategies: OpenSpiel's rules and its best response."""

from typing import Any

import pytest
from casino_evaluator.opponents.equilibrium import strategy_of
from evaluator.opponents.test_equilibrium import LIMITS, TREES, exploitability

pytestmark = pytest.mark.full


def openspiel_policy(state: Any, game_type: str, policy: dict[str, Any], played: list[str]) -> None:
    """Fill OpenSpiel's policy from ours, at every information state below a state.

    `played` holds the actions of each betting round, in letters.
    """
    if state.is_terminal():
        return
    if state.is_chance_node():
        for outcome, _ in state.chance_outcomes():
            openspiel_policy(state.child(outcome), game_type, policy, played)
        return
    is_leduc = game_type == "leduc_poker"
    shows = "JQK"
    cards = [action for action in state.history() if action is not None]
    suits = 2 if is_leduc else 1
    own = shows[cards[state.current_player()] // suits]
    text = state.information_state_string()
    public = (
        shows[int(text.split("Public: ")[1].split("]")[0]) // suits] if "[Public: " in text else ""
    )
    probabilities = strategy_of(game_type)[".".join((own + public, *played))]
    facing = played[-1][-1:] in {"b", "r"}
    rows = []
    for action in state.legal_actions():
        name = state.action_to_string(action)
        kind = KINDS[name, facing]
        rows.append((action, probabilities.get(kind[0], 0.0)))
        ends = kind[0] == "CALL" or (kind[0] == "CHECK" and played[-1] == "k")
        after = [*played[:-1], played[-1] + kind[1]]
        child = [*after, ""] if ends and is_leduc and len(played) == 1 else after
        openspiel_policy(state.child(action), game_type, policy, child)
    policy[text] = rows


KINDS = {
    ("Pass", False): ("CHECK", "k"),
    ("Pass", True): ("FOLD", "f"),
    ("Bet", False): ("BET", "b"),
    ("Bet", True): ("CALL", "c"),
    ("Call", False): ("CHECK", "k"),
    ("Call", True): ("CALL", "c"),
    ("Raise", False): ("BET", "b"),
    ("Raise", True): ("RAISE", "r"),
    ("Fold", True): ("FOLD", "f"),
}
"""Our action and its letter, by OpenSpiel's name and whether there is a bet to call."""


@pytest.mark.parametrize("game_type", LIMITS)
def test_openspiel_finds_the_same_exploitability(game_type: str) -> None:
    """On its own rules and with all suits."""
    pyspiel = pytest.importorskip("pyspiel")
    game = pyspiel.load_game(game_type)
    policy: dict[str, Any] = {}
    openspiel_policy(game.new_initial_state(), game_type, policy, [""])
    assert len(policy) == {"kuhn_poker": 12, "leduc_poker": 936}[game_type]
    lost = pyspiel.exploitability(game, policy)
    assert lost == pytest.approx(exploitability(TREES(game_type), strategy_of(game_type)), abs=1e-6)
    assert lost < LIMITS[game_type] / 10
