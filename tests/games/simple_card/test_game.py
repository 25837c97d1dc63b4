"""Simple card: tricks, points and what they are worth."""

from typing import Any

import pytest
from casino_games import Game, InvalidConfig
from games.playing import dealt, new_game


def three_hands(*hands: list[int], stake: int = 1) -> Game:
    """Return a game between three in which these cards were dealt."""
    cards = len(hands[0])
    game = dealt("simple_card", 3, cards_per_player=cards, stake=stake)
    copies = {value: iter(range((value - 1) * 3, value * 3)) for value in range(1, 11)}
    order = [next(copies[hands[seat][place]]) for place in range(cards) for seat in range(3)]
    rest = [card for card in range(30) if card not in order]
    return type(game).deserialize(game.serialize() | {"order": order + rest})


def play(game: Game, *cards: int) -> list[dict[str, Any]]:
    return [
        event
        for card in cards
        for event in game.step({"action_type": "PLAY_CARD", "card": card})[0]["events"]
    ]


def test_the_highest_card_takes_a_point_and_leads() -> None:
    game = three_hands([1, 5], [9, 2], [4, 6])
    assert [event["event"] for event in play(game, 1, 9, 4)] == [
        *("card_played", "card_played", "card_played", "trick_over")
    ]
    assert game.get_current_player() == "p1"
    assert [player["points"] for player in game.get_public_state()["players"]] == [0, 1, 0]
    play(game, 2)
    assert game.get_public_state()["on_table"] == [{"player_id": "p1", "card": 2}]
    play(game, 6)
    assert play(game, 5)[-1] == {"event": "game_over", "scores": {"p0": -2, "p1": 1, "p2": 1}}
    assert game.get_winner() is None


def test_equal_highest_cards_take_nothing() -> None:
    game = three_hands([7, 1], [7, 2], [3, 3])
    events = play(game, 7, 7, 3)
    assert events[-1]["event"] == "trick_over"
    assert events[-1]["winner"] is None
    assert game.get_current_player() == "p0"


def test_a_point_is_worth_the_stake_from_each_of_the_others() -> None:
    """Three points of 10 between three players: 60 won, 30 lost each."""
    game = three_hands([10, 9, 8], [1, 2, 3], [4, 5, 6], stake=10)
    play(game, 10, 1, 4, 9, 2, 5, 8, 3, 6)
    assert game.get_scores() == {"p0": 60, "p1": -30, "p2": -30}
    assert game.get_winner() == "p0"
    assert game.chips_needed({"stake": 10}) == 30


def test_a_hand_is_sorted_and_each_value_is_offered_once() -> None:
    game = three_hands([7, 7], [1, 2], [3, 4])
    assert game.get_private_state("p0") == {"hand": [7, 7]}
    assert game.get_available_actions() == [{"action_type": "PLAY_CARD", "card": 7}]
    play(game, 7)
    assert game.get_private_state("p0") == {"hand": [7]}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"cards_per_player": 11}, "larger than max_card_value"),
        ({"cards_per_player": 0}, "^cards_per_player: "),
        ({"max_card_value": 101}, "^max_card_value: "),
        ({"stake": 0}, "^stake: "),
        ({"stacks": [2, 3]}, r"^stacks\.0: 2 chips, and a seat needs 3"),
    ],
)
def test_settings_are_checked_with_their_path(settings: dict[str, Any], message: str) -> None:
    """A deck has to hold what is dealt, a stack what can be lost."""
    with pytest.raises(InvalidConfig, match=message):
        new_game("simple_card", 2, **settings)
