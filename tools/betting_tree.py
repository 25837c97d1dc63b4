"""Betting trees of Kuhn and Leduc, built by playing every deal through the Game interface.

A deal is an order of the cards; two deals look equal to a player as long as its rank and the rank
of the public card are the same, since suits never count in these games.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

import numpy as np
from casino_evaluator.opponents import situation
from casino_games import restore_game
from casino_games.game import Game
from casino_games.specification import state_of
from numpy.typing import NDArray

PLAYERS = ("first", "second")
_DEALT = 3
"""Two private cards and the next one, which Leduc shows and Kuhn never uses."""
_CARDS = {"kuhn_poker": 3, "leduc_poker": 6}

Values = NDArray[np.float64]
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class End:
    """The end of a hand; `scores` are the chips that the first player wins, by deal."""

    scores: Values


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision after the same actions in every deal."""

    player: int
    actions: tuple[str, ...]
    situations: tuple[str, ...]
    """What the player may know, without duplicates."""
    places: Places
    """The index in `situations`, by deal."""
    next: tuple["Node", ...] = field(repr=False)
    """By action."""


Node = End | Decision


@dataclass(frozen=True, slots=True)
class BettingTree:
    """All deals of a game, each as likely as the others, and their decisions."""

    deals: int
    root: Node


def tree_of(game_type: str) -> BettingTree:
    """Return the tree of a game with its default sizes, in which both can pay everything."""
    cards = range(_CARDS[game_type])
    orders = [
        [*dealt, *(card for card in cards if card not in dealt)]
        for dealt in permutations(cards, _DEALT)
    ]
    return BettingTree(len(orders), _node(game_type, orders, []))


def _node(game_type: str, orders: Sequence[list[int]], actions: list[dict[str, Any]]) -> Node:
    games = [_played(game_type, order, actions) for order in orders]
    if games[0].is_over():
        return End(np.array([game.get_scores()[PLAYERS[0]] for game in games], np.float64))
    offered = games[0].get_available_actions()
    player = games[0].get_current_player()
    if any(game.get_available_actions() != offered for game in games):
        raise ValueError("the legal actions depend on the cards")
    seen = [situation(state_of(game, player)) for game in games]
    situations = sorted(set(seen))
    return Decision(
        PLAYERS.index(player),
        tuple(offer["action_type"] for offer in offered),
        tuple(situations),
        np.array([situations.index(text) for text in seen]),
        tuple(_node(game_type, orders, [*actions, offer]) for offer in offered),
    )


def _played(game_type: str, order: list[int], actions: list[dict[str, Any]]) -> Game:
    snapshot = {"game_type": game_type, "players": list(PLAYERS), "config": {}}
    return restore_game(game_type, snapshot | {"order": order, "actions": actions})
