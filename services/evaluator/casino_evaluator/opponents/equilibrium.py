"""Opponent `equilibrium`: a Nash equilibrium of Kuhn or Leduc poker, read from a file.

`tools/equilibria.py` computes `equilibria.json` on the rules of `casino_games` with the default
sizes of the bets and writes it; the tests compute how much it can lose.
"""

import json
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any

Json = dict[str, Any]
Strategy = dict[str, dict[str, float]]
"""For each situation the probability of each action, without those that are never taken."""

_FILE = "equilibria.json"
_LETTERS = {"CHECK": "k", "BET": "b", "CALL": "c", "RAISE": "r", "FOLD": "f"}


def decide(state: Json, offers: tuple[Json, ...], dice: Random) -> Json:
    """Draw one of the offers with the probabilities of the equilibrium.

    A player who cannot pay a bet is not offered it; the others are drawn in their proportion then,
    and without a proportion the last one, which is the check or the call.
    """
    probabilities = strategy_of(state["public"]["game_type"])[situation(state)]
    weights = [probabilities.get(offer["action_type"], 0.0) for offer in offers]
    if not any(weights):
        return offers[-1]
    return dice.choices(offers, weights)[0]


def situation(state: Json) -> str:
    """Return all that counts of what the player may know, such as `KQ.kbc.b`.

    It is the rank of the own card, that of the public card if there is one, and the actions of
    each betting round.
    """
    public, own = state["public"], state["private"]["card"]
    rounds = [""] * public["betting_round"]
    for past in public["history"]:
        rounds[past["betting_round"] - 1] += _LETTERS[past["action"]]
    shared = public["public_card"] or ""
    return ".".join((own[0] + shared[:1], *rounds))


@cache
def strategy_of(game_type: str) -> Strategy:
    """Return the strategy for one game; raises KeyError for games without one."""
    text = files("casino_evaluator.opponents").joinpath(_FILE).read_text(encoding="utf-8")
    strategy: Strategy = json.loads(text)[game_type]["strategy"]
    return strategy
