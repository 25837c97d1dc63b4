"""Every opponent takes offered actions only, reproducibly, from its own cards alone."""

import json
from collections.abc import Iterator
from contextlib import suppress
from itertools import combinations
from random import Random
from typing import Any

import pytest
from casino_evaluator.domain.levels import DEALER, OPPONENTS
from casino_evaluator.opponents import CATALOGUE
from casino_games import Game, InvalidSnapshot, offers, restore_game
from casino_games.specification import state_of
from games.playing import dealt, some_answer, with_other_card

Json = dict[str, Any]

PAIRS = [
    (name, game_type)
    for name, games in OPPONENTS.items()
    if name != DEALER
    for game_type in sorted(games)
]
STACKS = {
    "kuhn_poker": [(30, 30), (1, 30), (30, 1)],
    "leduc_poker": [(100, 100), (4, 100), (100, 9)],
    "texas-holdem": [(20_000, 20_000), (150, 9_000), (9_000, 350), (60, 60)],
    "simple_card": [(60, 60)],
}


def positions(game_type: str, hands: int) -> Iterator[Game]:
    """Yield every decision of random hands, with deep and with short stacks."""
    for number in range(hands):
        generator = Random(number)
        stacks = STACKS[game_type][number % len(STACKS[game_type])]
        game = dealt(game_type, 2, f"hand {number}", stacks=list(stacks))
        while not game.is_over():
            yield game
            game.step(some_answer(game.get_available_actions(), generator))


def other_deals(game: Game) -> Iterator[Game]:
    """Yield games with two cards exchanged, as far as the same actions are possible with them."""
    snapshot = game.serialize()
    if "deck" in snapshot:
        for place in range(4):
            yield restore_game(game.game_type, with_other_card(snapshot, place))
        return
    for first, second in combinations(range(min(len(snapshot["order"]), 8)), 2):
        order = [*snapshot["order"]]
        order[first], order[second] = order[second], order[first]
        with suppress(InvalidSnapshot):
            yield restore_game(game.game_type, {**snapshot, "order": order})


def question(game: Game) -> tuple[Json, tuple[Json, ...]]:
    """Return what the player to act is asked."""
    return state_of(game, game.get_current_player()), tuple(game.get_available_actions())


@pytest.mark.parametrize(("name", "game_type"), PAIRS)
def test_actions_are_offered_and_reproducible(name: str, game_type: str) -> None:
    """The question is not changed, and its copy gets the same answer with the same dice."""
    decisions = 0
    for number, game in enumerate(positions(game_type, 60)):
        state, available = question(game)
        text = json.dumps([state, available])
        action = CATALOGUE[name](state, available, Random(number))
        assert json.dumps([state, available]) == text
        assert offers.match(action, available) == action
        copied, offered = json.loads(text)
        assert CATALOGUE[name](copied, tuple(offered), Random(number)) == action
        decisions += 1
    assert decisions > 90


@pytest.mark.parametrize(("name", "game_type"), PAIRS)
def test_hidden_cards_change_nothing(name: str, game_type: str) -> None:
    """The same action where the other player holds another card, or another one is dealt next."""
    swapped = 0
    for number, game in enumerate(positions(game_type, 24)):
        player = game.get_current_player()
        for other in other_deals(game):
            if state_of(other, player) == state_of(game, player):
                swapped += 1
                state, available = question(game)
                action = CATALOGUE[name](state, available, Random(number))
                assert CATALOGUE[name](*question(other), Random(number)) == action
    assert swapped > 20


def test_the_random_opponent_takes_every_kind_of_action() -> None:
    kinds: dict[str, set[str]] = {}
    for game_type in STACKS:
        for number, game in enumerate(positions(game_type, 60)):
            state, available = question(game)
            action = CATALOGUE["random"](state, available, Random(number))
            kinds.setdefault(game_type, set()).add(action["action_type"])
    assert kinds == {
        "kuhn_poker": {"CHECK", "BET", "CALL", "FOLD"},
        "leduc_poker": {"CHECK", "BET", "CALL", "RAISE", "FOLD"},
        "texas-holdem": {"check", "bet", "call", "raise", "fold", "all-in"},
        "simple_card": {"PLAY_CARD"},
    }


def test_the_caller_never_raises_and_never_folds() -> None:
    for game_type in sorted(OPPONENTS["caller"]):
        for game in positions(game_type, 60):
            action = CATALOGUE["caller"](*question(game), Random(1))
            assert action["action_type"].lower() in {"check", "call"}
