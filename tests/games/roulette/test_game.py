"""A spin: all players decide in one window, then the pocket is drawn."""

from typing import Any

from casino_games import ArenaConfig, ArenaPlayer
from casino_games.roulette import RouletteGame

RED = {"action_type": "PLACE_BET", "bet": "red", "amount": 5}
PASS = {"action_type": "PASS"}


def new_game(players: int = 3, seed: str = "a seed", **settings: Any) -> RouletteGame:
    """Return a spin between `p0`, `p1`, … whose window is open."""
    seats = tuple(ArenaPlayer(f"p{number}") for number in range(players))
    game = RouletteGame(ArenaConfig(seats, seed, settings))
    game.reset()
    return game


def test_everybody_is_asked_at_once() -> None:
    """All undecided players are pending, in seat order, each with offers of its own."""
    game = new_game(stacks=[100, 3, 100], max_bet=50)
    assert game.get_pending_players() == ["p0", "p1", "p2"]
    assert game.get_current_player() == "p0"
    for player_id, most in (("p0", 50), ("p1", 3), ("p2", 50)):
        offered = game.get_actions_of(player_id)
        assert offered[0] == PASS
        assert len(offered) == 50
        assert all((bet["min"], bet["max"]) == (2, most) for bet in offered[1:])
    game.step(RED)
    assert game.get_pending_players() == ["p1", "p2"]
    assert game.get_actions_of("p0") == []


def test_a_decision_tells_nothing_but_that_it_was_made() -> None:
    result, over = new_game().step(RED)
    assert not over
    assert result == {"events": [{"event": "decided", "player_id": "p0"}]}


def test_the_last_decision_spins_the_wheel() -> None:
    """The events have the pocket and the result of every bet."""
    game = new_game()
    game.step(RED)
    game.step(PASS)
    result, over = game.step({"action_type": "PLACE_BET", "bet": "straight-0", "amount": 2})
    assert over
    pocket = game.get_public_state()["pocket"]
    kinds = [event["event"] for event in result["events"]]
    assert kinds == ["decided", "ball_fell", "bet_settled", "bet_settled", "hand_over"]
    assert result["events"][1]["pocket"] == pocket
    scores = game.get_scores()
    assert scores["p1"] == 0
    assert sum(scores.values()) == 0
    assert game.get_pending_players() == []
