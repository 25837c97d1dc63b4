"""Kuhn poker's chips and events, which the comparison with OpenSpiel leaves out."""

from typing import Any

import pytest
from casino_games import Game, InvalidConfig
from games.playing import dealt, new_game, rigged, step_all

JACK, QUEEN, KING = range(3)


def kuhn(first: int, second: int, **settings: object) -> Game:
    """Return a hand in which the two players have these cards."""
    return rigged("kuhn_poker", 2, [first, second], 3, **settings)


def test_a_called_bet_shows_both_cards_and_pays_the_higher() -> None:
    game = kuhn(QUEEN, KING, ante=10, bet=25)
    assert game.opening_events() == [
        {"event": "forced_bet", "player_id": "p0", "kind": "ante", "amount": 10},
        {"event": "forced_bet", "player_id": "p1", "kind": "ante", "amount": 10},
    ]
    done = {"player_id": "p0", "betting_round": 1, "action": "BET"}
    called = {"player_id": "p1", "betting_round": 1, "action": "CALL"}
    shown = [{"player_id": "p0", "card": "Q"}, {"player_id": "p1", "card": "K"}]
    winners = [{"player_id": "p1", "amount": 70}]
    assert step_all(game, "BET", "CALL") == [
        {"event": "action", **done, "paid": 25, "stack": 0, "pot": 45},
        {"event": "action", **called, "paid": 25, "stack": 0, "pot": 70},
        {"event": "hands_shown", "hands": shown},
        {"event": "pot_awarded", "amount": 70, "winners": winners},
        {"event": "hand_over", "scores": {"p0": -35, "p1": 35}},
    ]
    assert game.get_winner() == "p1"
    assert game.get_public_state()["shown"] == shown


@pytest.mark.parametrize("decisions", [("BET", "FOLD"), ("CHECK", "BET", "FOLD")])
def test_a_fold_shows_nothing(decisions: tuple[str, ...]) -> None:
    """Neither the winner's card nor the loser's, not even at the end."""
    game = kuhn(JACK, KING)
    events = step_all(game, *decisions)
    assert "hands_shown" not in {event["event"] for event in events}
    assert game.get_public_state()["shown"] == []
    assert sorted(game.get_scores().values()) == [-1, 1]
    statuses = [player["status"] for player in game.get_public_state()["players"]]
    assert sorted(statuses) == ["active", "folded"]


def test_a_bet_that_one_cannot_pay_is_not_offered() -> None:
    game = dealt("kuhn_poker", 2, stacks=[100, 2], ante=1, bet=2)
    assert game.get_available_actions() == [{"action_type": "CHECK"}]
    assert dealt("kuhn_poker", 2, stacks=[100, 3], ante=1, bet=2).get_available_actions() == [
        {"action_type": "CHECK"},
        {"action_type": "BET"},
    ]


@pytest.mark.parametrize(
    ("settings", "path"),
    [({"ante": 0}, "ante"), ({"bet": 1.5}, "bet"), ({"bet": True}, "bet"), ({"bets": 1}, "bets")],
)
def test_settings_are_checked_with_their_path(settings: dict[str, Any], path: str) -> None:
    with pytest.raises(InvalidConfig, match=f"^{path}: "):
        new_game("kuhn_poker", 2, **settings)
