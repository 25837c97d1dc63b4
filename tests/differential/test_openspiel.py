"""Kuhn poker and Leduc hold'em against OpenSpiel, on every node of the trees.

Our games get the cards of OpenSpiel's chance nodes by a snapshot that has them.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyspiel
import pytest
from casino_games import Game, restore_game

pytestmark = pytest.mark.full  # needs pyspiel

PLAYERS = ["first", "second"]


@dataclass(frozen=True)
class Rules:
    """A game of ours, OpenSpiel's name for it, and the names of its actions there."""

    game_type: str
    cards: int
    actions: dict[str, str]
    nodes: dict[str, int]


KUHN = Rules(
    "kuhn_poker",
    3,
    {"CHECK": "Pass", "FOLD": "Pass", "BET": "Bet", "CALL": "Bet"},
    {"chance": 4, "decision": 24, "terminal": 30},
)
LEDUC = Rules(
    "leduc_poker",
    6,
    {"CHECK": "Call", "CALL": "Call", "BET": "Raise", "RAISE": "Raise", "FOLD": "Fold"},
    {"chance": 157, "decision": 3780, "terminal": 5520},
)


@dataclass(frozen=True)
class Node:
    """One node of the tree, and our game in the same place; None before the deal."""

    theirs: Any
    ours: Game | None

    @property
    def kind(self) -> str:
        if self.theirs.is_terminal():
            return "terminal"
        return "chance" if self.theirs.is_chance_node() else "decision"


def deal(rules: Rules, known: list[int], actions: list[dict[str, Any]]) -> Game:
    """Return our game with these cards first, and any others where no card is known yet."""
    rest = [card for card in range(rules.cards) if card not in known]
    snapshot = {"game_type": rules.game_type, "players": PLAYERS, "config": {}}
    return restore_game(rules.game_type, snapshot | {"order": known + rest, "actions": actions})


def offered(rules: Rules, node: Node) -> dict[str, str]:
    """Return OpenSpiel's names of our offered actions, and the action of each."""
    assert node.ours
    ours = [offer["action_type"] for offer in node.ours.get_available_actions()]
    names = {rules.actions[action_type]: action_type for action_type in ours}
    assert len(names) == len(ours), "two of our actions are one there"
    return names


def walk(
    rules: Rules, theirs: Any, known: list[int], actions: list[dict[str, Any]]
) -> Iterator[Node]:
    """Yield every node below ``theirs``, which our game reaches with these cards and actions."""
    is_dealt = len(known) >= len(PLAYERS)
    node = Node(theirs, deal(rules, known, actions) if is_dealt else None)
    yield node
    if node.kind == "chance":
        for card, _ in theirs.chance_outcomes():
            yield from walk(rules, theirs.child(card), [*known, card], actions)
    elif node.kind == "decision":
        names = offered(rules, node)
        for action in theirs.legal_actions():
            ours = {"action_type": names[theirs.action_to_string(action)]}
            yield from walk(rules, theirs.child(action), known, [*actions, ours])


@pytest.fixture(scope="module", params=[KUHN, LEDUC], ids=lambda rules: rules.game_type)
def rules(request: pytest.FixtureRequest) -> Rules:
    assert isinstance(request.param, Rules)
    return request.param


@pytest.fixture(scope="module")
def tree(rules: Rules) -> list[Node]:
    root = pyspiel.load_game(rules.game_type).new_initial_state()
    return list(walk(rules, root, [], []))


def test_the_trees_have_all_nodes(rules: Rules, tree: list[Node]) -> None:
    """58 and 9,457, as OpenSpiel counts them."""
    assert Counter(node.kind for node in tree) == rules.nodes


def test_the_same_player_decides_between_the_same_actions(rules: Rules, tree: list[Node]) -> None:
    for node in tree:
        if node.kind == "decision":
            theirs = node.theirs
            assert node.ours
            assert node.ours.get_current_player() == PLAYERS[theirs.current_player()]
            legal = {theirs.action_to_string(action) for action in theirs.legal_actions()}
            assert legal == set(offered(rules, node))


def test_a_hand_ends_at_the_same_nodes_and_pays_the_same(tree: list[Node]) -> None:
    """Returns are the chips won or lost, at every terminal node."""
    for node in tree:
        if node.ours:
            assert node.ours.is_over() == (node.kind == "terminal")
        if node.kind == "terminal":
            assert node.ours
            assert list(node.ours.get_scores().values()) == node.theirs.returns()


@pytest.mark.parametrize("player", [0, 1])
def test_information_states_are_the_same(tree: list[Node], player: int) -> None:
    """Two nodes look equal to a player exactly where OpenSpiel's information states are equal.

    One more distinction would be a leak, one less would hide what a player may know.
    """
    pairs = set()
    for node in tree:
        if node.kind == "decision":
            assert node.ours
            seen = [node.ours.get_public_state(), node.ours.get_private_state(PLAYERS[player])]
            pairs.add((json.dumps(seen), node.theirs.information_state_string(player)))
    assert len(pairs) == len({ours for ours, _ in pairs}) == len({theirs for _, theirs in pairs})
