"""Computes equilibria of Kuhn and Leduc poker: `python tools/equilibria.py FILE [ITERATIONS]`.

The method is CFR+ (O. Tammelin, "Solving Large Imperfect Information Games Using CFR+", 2014), for
all deals at once in arrays: regrets are floored at 0, the players are updated in turn, and the
average strategy weighs iteration t by t squared. Deterministic.
"""

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from betting_tree import BettingTree, Decision, End, Node, Values, tree_of

GAMES = ("kuhn_poker", "leduc_poker")
ITERATIONS = 10_000
_DIGITS = 5

Strategy = Mapping[str, Mapping[str, float]]
Choose = Callable[[Decision], Values]
"""The probabilities (action, deal) of a decision."""


class Solver:
    """CFR+ on one tree."""

    def __init__(self, tree: BettingTree) -> None:
        self._tree = tree
        self._regrets: dict[int, Values] = {}
        self._sums: dict[int, Values] = {}
        self._decisions: list[Decision] = []
        self._collect(tree.root)

    def run(self, iterations: int) -> None:
        """Play iterations; may be called again."""
        everybody = np.ones(self._tree.deals)
        for iteration in range(1, iterations + 1):
            for player in (0, 1):
                self._update(self._tree.root, player, everybody, everybody, iteration**2)

    def strategy(self) -> dict[str, dict[str, float]]:
        """Return the average strategy, rounded, without actions of probability 0."""
        strategy = {}
        for decision in self._decisions:
            sums = self._sums[id(decision)]
            for place, situation in enumerate(decision.situations):
                total = sums[:, place].sum()
                shares = sums[:, place] / total if total else np.full(len(sums), 1 / len(sums))
                rounded = {
                    action: round(float(share), _DIGITS)
                    for action, share in zip(decision.actions, shares, strict=True)
                }
                strategy[situation] = {name: share for name, share in rounded.items() if share}
        return dict(sorted(strategy.items()))

    def _collect(self, node: Node) -> None:
        if isinstance(node, Decision):
            shape = (len(node.actions), len(node.situations))
            self._regrets[id(node)], self._sums[id(node)] = np.zeros(shape), np.zeros(shape)
            self._decisions.append(node)
            for after in node.next:
                self._collect(after)

    def _update(self, node: Node, player: int, own: Values, other: Values, weight: float) -> Values:
        """Update the regrets of a player; returns what it wins on average, by deal."""
        if isinstance(node, End):
            return node.scores if player == 0 else -node.scores
        regrets, places = self._regrets[id(node)], node.places
        total = regrets.sum(axis=0)
        current = np.where(total > 0, regrets / np.where(total > 0, total, 1), 1 / len(regrets))
        chances = current[:, places]
        values = np.stack(
            [
                self._update(after, player, own * chance, other, weight)
                if node.player == player
                else self._update(after, player, own, other * chance, weight)
                for chance, after in zip(chances, node.next, strict=True)
            ]
        )
        mean: Values = (chances * values).sum(axis=0)
        if node.player != player:
            return mean
        for action, value in enumerate(values):
            regrets[action] += _by_place(node, other * (value - mean))
        np.maximum(regrets, 0, out=regrets)
        reach = np.zeros(len(node.situations))
        reach[places] = own  # the same in all deals that look equal to the player
        self._sums[id(node)] += weight * reach * current
        return mean


def exploitability(tree: BettingTree, strategy: Strategy) -> float:
    """Return what best responses win on average over both positions, in chips a hand.

    It is 0 for an equilibrium, and otherwise the most that can be lost to anybody.
    """
    everybody = np.ones(tree.deals)
    values = [_best_response(tree.root, player, everybody, strategy) for player in (0, 1)]
    return float(sum(value.mean() for value in values)) / 2


def expected(tree: BettingTree, strategy: Strategy) -> float:
    """Return what the first player wins on average if both play a strategy."""
    return float(_expected(tree.root, strategy).mean())


def _expected(node: Node, strategy: Strategy) -> Values:
    if isinstance(node, End):
        return node.scores
    total = np.zeros(len(node.places))
    for chance, after in zip(_chances(node, strategy), node.next, strict=True):
        total += chance * _expected(after, strategy)
    return total


def _best_response(node: Node, player: int, other: Values, strategy: Strategy) -> Values:
    """Return what a player wins that knows the other one's strategy, by deal."""
    if isinstance(node, End):
        return node.scores if player == 0 else -node.scores
    if node.player != player:
        total = np.zeros(len(node.places))
        for chance, after in zip(_chances(node, strategy), node.next, strict=True):
            total += chance * _best_response(after, player, other * chance, strategy)
        return total
    values = np.stack([_best_response(after, player, other, strategy) for after in node.next])
    best = np.stack([_by_place(node, other * value) for value in values]).argmax(axis=0)
    chosen: Values = values[best[node.places], np.arange(len(node.places))]
    return chosen


def _chances(node: Decision, strategy: Strategy) -> Values:
    rows = [
        [strategy[situation].get(action, 0.0) for situation in node.situations]
        for action in node.actions
    ]
    table = np.array(rows)
    chances: Values = (table / table.sum(axis=0))[:, node.places]
    return chances


def _by_place(node: Decision, values: Values) -> Values:
    """Return the sums over the deals that look equal to the player."""
    return np.bincount(node.places, values, len(node.situations)).astype(np.float64)


def solved(game_type: str, iterations: int = ITERATIONS) -> dict[str, Any]:
    """Return the strategy of a game, with its exploitability in chips a hand."""
    tree = tree_of(game_type)
    solver = Solver(tree)
    solver.run(iterations)
    strategy = solver.strategy()
    return {
        "exploitability": round(exploitability(tree, strategy), 7),
        "first_player_wins": round(expected(tree, strategy), 7),
        "strategy": strategy,
    }


if __name__ == "__main__":
    iterations = int(sys.argv[2]) if len(sys.argv) > 2 else ITERATIONS  # noqa: PLR2004
    games = {game_type: solved(game_type, iterations) for game_type in GAMES}
    Path(sys.argv[1]).write_text(json.dumps(games, indent=1) + "\n", encoding="utf-8")
    for game_type, game in games.items():
        sys.stdout.write(f"{game_type}: exploitability {game['exploitability']:.7f}\n")
