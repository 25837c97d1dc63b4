"""Deals that differ only in what the opponent hides give equal frames until it is shown."""

import json
import random
from collections import Counter

import pytest
from casino_evaluator.frames.controls import observation
from casino_evaluator.frames.render import render
from casino_games import Game, restore_game
from casino_games.cards import cards_from_text, cards_to_text
from casino_games.errors import InvalidSnapshot
from support.evaluator.dealt_moments import (
    CANDIDATE,
    EXAMINED,
    OPPONENT,
    dealt,
    moment_of,
    positions,
)

DEALS = 60
"""Of each of the five games."""
HOLE_CARD = 3
"""The place of the dealer's face-down card in the order of a blackjack shoe, for one player."""


def hidden_places(game: Game, order: list[int]) -> list[int]:
    """Return the places of the order whose cards the opponent still hides."""
    if game.game_type == "blackjack":
        return [HOLE_CARD] * game.get_public_state()["dealer"]["hidden"]
    seat = game.get_players().index(OPPONENT)
    if game.game_type == "texas-holdem":
        left_of_button = 1 - seat  # the button, the first of the players, is dealt last
        return [left_of_button, 2 + left_of_button]
    if game.game_type == "simple_card":
        held: Counter[int] = Counter(game.get_private_state(OPPONENT)["hand"])
        places = []
        for place in range(seat, 6, 2):
            card = order[place] // 2 + 1
            if held[card]:
                held[card] -= 1
                places.append(place)
        return places
    return [seat]


def unseen_places(game_type: str) -> range:
    """Return places of the order that no player of this hand comes to see."""
    return {
        "kuhn_poker": range(2, 3),
        "leduc_poker": range(3, 6),
        "simple_card": range(6, 20),
        "blackjack": range(60, 6 * 52),
    }[game_type]


def with_other_secrets(game: Game, dice: random.Random) -> Game | None:
    """Return the game after the same actions with other cards hidden, None if it cannot be."""
    snapshot = json.loads(json.dumps(game.serialize()))
    is_holdem = game.game_type == "texas-holdem"
    order = cards_from_text(snapshot["deck"]) if is_holdem else snapshot["order"]
    places = hidden_places(game, order)
    if is_holdem:
        spare = dice.sample(sorted({*range(52)} - {*order}), len(places))
        for place, card in zip(places, spare, strict=True):
            order[place] = card
        snapshot["deck"] = cards_to_text(order)
    else:
        unseen = unseen_places(game.game_type)
        for place, other in zip(places, dice.sample(unseen, len(places)), strict=True):
            order[place], order[other] = order[other], order[place]
    try:
        return restore_game(game.game_type, snapshot)
    except InvalidSnapshot:
        assert game.game_type == "blackjack", "only a dealer's natural ends a round early"
        return None


def shows(game: Game) -> bool:
    """Return whether the opponent's cards lie open."""
    public = game.get_public_state()
    shown = public.get("shown", public.get("results", {}).get("shown", ()))
    return bool(shown)


@pytest.mark.parametrize("game_type", EXAMINED)
def test_frames_do_not_depend_on_what_the_opponent_hides(game_type: str) -> None:
    """And they do depend on it after a showdown, so the comparison can fail."""
    equal = different = 0
    dice = random.Random(f"secrets of {game_type}")
    for number in range(DEALS):
        seed = f"hidden {number}"
        game = dealt(game_type, seed, first=number % 2 == 0)
        for position in positions(game, random.Random(seed)):
            other = with_other_secrets(position, dice)
            if other is None or other.is_over() != position.is_over():
                continue
            moment, twin = moment_of(position), moment_of(other)
            if shows(position):
                different += render(moment) != render(twin)
                continue
            equal += position.serialize() != other.serialize()
            assert render(moment) == render(twin), (game_type, seed)
            assert observation(moment) == observation(twin), (game_type, seed)
            assert position.get_private_state(CANDIDATE) == other.get_private_state(CANDIDATE)
    assert equal >= 50, "positions with other secrets"
    assert bool(different) is (game_type in {"kuhn_poker", "leduc_poker", "texas-holdem"})
