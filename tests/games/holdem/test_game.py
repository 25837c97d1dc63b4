"""Hold'em's implementation of the game interface."""

import pickle
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from casino_games import (
    ArenaConfig,
    ArenaPlayer,
)
from casino_games.holdem import HoldemGame
from games.holdem.dealing import new_game, rigged_game, step_all

BOARD = "2c3d7h8c9d"


def config(players: int = 3, seed: str | int | None = "a seed", **settings: Any) -> ArenaConfig:
    """Return the configuration of a game with blinds 50/100."""
    return ArenaConfig(tuple(ArenaPlayer(f"p{n}") for n in range(players)), seed, settings)


class TestPlayers:
    def test_the_button_decides_who_posts_and_who_opens(self) -> None:
        """With four players and the button on p1: p2 and p3 post, p0 opens."""
        game = new_game([1000, 2000, 3000, 4000], button=1)
        opening = [(event["player_id"], event["kind"]) for event in game.opening_events()]
        assert opening == [("p2", "small_blind"), ("p3", "big_blind")]
        assert game.get_current_player() == "p0"
        state = game.get_public_state()
        assert state["button"] == "p1"
        assert [(p["player_id"], p["stack"], p["bet"]) for p in state["players"]] == [
            ("p0", 1000, 0),
            ("p1", 2000, 0),
            ("p2", 2950, 50),
            ("p3", 3900, 100),
        ]

    def test_nobody_posts_a_dead_small_blind(self) -> None:
        """The first player left of the button posts the big blind, the second one opens."""
        game = new_game([1000] * 4, button=1, small_blind=0)
        opening = [(event["player_id"], event["kind"]) for event in game.opening_events()]
        assert opening == [("p2", "big_blind")]
        assert game.get_current_player() == "p3"
        assert game.get_public_state()["small_blind"] == 0
        assert pickle.loads(pickle.dumps(game)).get_public_state() == game.get_public_state()
        step_all(game, "fold", "call", "call", "check")
        assert game.get_current_player() == "p2"

    def test_heads_up_the_button_posts_the_small_blind_and_opens(self) -> None:
        game = new_game([1000, 1000], button=0)
        opening = [(event["player_id"], event["kind"]) for event in game.opening_events()]
        assert opening == [("p0", "small_blind"), ("p1", "big_blind")]
        assert game.get_current_player() == "p0"
        step_all(game, "call", "check")
        assert game.get_current_player() == "p1"

    def test_players_are_listed_as_they_were_given(self) -> None:
        """Also when the button is in the middle; and nobody is in a team."""
        game = new_game([1000] * 4, button=2)
        assert game.get_players() == ["p0", "p1", "p2", "p3"]
        assert list(game.get_scores()) == ["p0", "p1", "p2", "p3"]
        assert game.get_teams() is None


class TestScores:
    def test_chips_in_the_pot_count_as_lost_while_it_is_open(self) -> None:
        game = new_game([1000] * 3, button=2)
        assert game.get_scores() == {"p0": -50, "p1": -100, "p2": 0}
        assert game.get_winner() is None

    def test_at_the_end_they_sum_to_zero(self) -> None:
        game = new_game([1000] * 3, button=2)
        step_all(game, ("raise", 300), "fold", "fold")
        assert game.get_scores() == {"p0": -50, "p1": -100, "p2": 150}
        assert game.get_winner() == "p2"

    def test_the_winner_is_who_won_most(self) -> None:
        """Main pot 300 to p0, side pot 400 to p1."""
        game = rigged_game([100, 300, 300], ["AsAh", "KsKh", "QsQh"], BOARD)
        step_all(game, "all-in", "call", "call")
        assert game.get_scores() == {"p0": 200, "p1": 100, "p2": -300}
        assert game.get_winner() == "p0"

    def test_a_shared_win_has_no_winner(self) -> None:
        game = rigged_game([1000] * 2, ["AsKh", "AhKs"], BOARD)
        step_all(game, "all-in", "call")
        assert game.get_scores() == {"p0": 0, "p1": 0}
        assert game.get_winner() is None


class TestCopies:
    @pytest.mark.parametrize("copied", [deepcopy, lambda game: pickle.loads(pickle.dumps(game))])
    def test_a_copy_goes_on_by_itself(self, copied: Callable[[HoldemGame], HoldemGame]) -> None:
        """It has the position, the cards and the seed, and leaves the original alone."""
        game = new_game([1000, 500, 2000], seed="arena", ante=5, button=1)
        step_all(game, ("raise", 300), "call")
        before = game.get_state(), game.serialize()
        other = copied(game)
        assert (other.get_state(), other.serialize()) == before
        step_all(other, "fold")
        assert (game.get_state(), game.serialize()) == before
        game.reset()
        other.reset()
        assert game.get_state() == other.get_state()
