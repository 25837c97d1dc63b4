"""Hold'em's implementation of the game interface."""

import pickle
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from casino_games import (
    ArenaConfig,
    ArenaPlayer,
    GameError,
    IllegalAction,
    InvalidConfig,
    NotDealt,
)
from casino_games.holdem import HoldemGame, create_game
from games.holdem.dealing import new_game, rigged_game, step_all

BOARD = "2c3d7h8c9d"


def config(players: int = 3, seed: str | int | None = "a seed", **settings: Any) -> ArenaConfig:
    """Return the configuration of a game with blinds 50/100."""
    return ArenaConfig(tuple(ArenaPlayer(f"p{n}") for n in range(players)), seed, settings)


class TestReset:
    """The deal."""

    def test_the_same_seed_deals_the_same_hand(self) -> None:
        """Earlier hands of the object have no effect."""
        game = create_game(config())
        game.reset("one")
        first = game.serialize(), game.get_public_state()
        step_all(game, "fold", "call")
        game.reset("one")
        assert (game.serialize(), game.get_public_state()) == first

    def test_another_seed_deals_another_hand(self) -> None:
        """The deck follows from the seed."""
        game = create_game(config())
        game.reset("one")
        first = game.serialize()["deck"]
        game.reset("two")
        assert game.serialize()["deck"] != first

    def test_without_a_seed_it_is_that_of_the_arena(self) -> None:
        """None means the configuration's."""
        game, other = create_game(config(seed="arena")), create_game(config(seed=None))
        game.reset()
        other.reset("arena")
        assert game.serialize() == other.serialize()

    def test_an_integer_stands_for_its_digits(self) -> None:
        """So a seed survives JSON in either form; 0 is a seed too."""
        game, other = create_game(config(seed=0)), create_game(config())
        game.reset()
        other.reset("0")
        assert game.serialize() == other.serialize()

    def test_a_seed_that_is_given_comes_first(self) -> None:
        """Also 0 and the empty text, which are seeds like any other."""
        decks = set()
        for seed in (0, "", "arena"):
            game = create_game(config(seed="arena"))
            game.reset(seed)
            decks.add(game.serialize()["deck"])
        assert len(decks) == 3

    def test_with_no_seed_at_all_nothing_is_dealt(self) -> None:
        """`reset` raises without a seed."""
        with pytest.raises(GameError, match="needs a seed"):
            create_game(config(seed=None)).reset()

    @pytest.mark.parametrize("seed", [True, 1.5, b"seed"])
    def test_a_seed_is_a_text_or_an_integer(self, seed: Any) -> None:
        """Other types are refused."""
        with pytest.raises(GameError, match="a text or an integer"):
            create_game(config()).reset(seed)

    def test_before_the_deal_there_is_nothing_to_ask(self) -> None:
        """Every query raises an error."""
        game = create_game(config())
        questions = [
            game.opening_events,
            game.get_current_player,
            game.get_current_role,
            game.get_public_state,
            lambda: game.get_private_state("p0"),
            game.get_available_actions,
            lambda: game.step({"action_type": "fold"}),
            game.is_over,
            game.get_winner,
            game.get_scores,
            game.serialize,
        ]
        for question in questions:
            with pytest.raises(NotDealt, match="reset"):
                question()


class TestPlayers:
    """Seats and positions."""

    @pytest.mark.parametrize("players", [0, 1, 11])
    def test_two_to_ten_can_play(self, players: int) -> None:
        """The limits are attributes of the class."""
        assert (HoldemGame.min_players, HoldemGame.max_players) == (2, 10)
        with pytest.raises(InvalidConfig, match="2 to 10"):
            create_game(config(players))

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

    def test_heads_up_the_button_posts_the_small_blind_and_opens(self) -> None:
        """It acts last on the flop."""
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

    def test_the_role_is_player_until_the_end(self) -> None:
        """There is only one role."""
        game = new_game([1000] * 2)
        assert game.get_current_role() == "player"
        step_all(game, "fold")
        assert game.get_current_role() == ""


class TestStep:
    """What an action does."""

    def test_it_tells_whether_the_hand_is_over(self) -> None:
        """The second value is the game's own answer."""
        game = new_game([1000] * 3)
        assert game.step({"action_type": "fold"})[1] is False
        assert game.step({"action_type": "fold"})[1] is True
        assert game.is_over()

    def test_an_illegal_action_changes_nothing(self) -> None:
        """The same question stands as before."""
        game = new_game([1000] * 3)
        before = game.serialize(), game.get_public_state(), game.get_available_actions()
        for action in ({"action_type": "check"}, {"action_type": "raise", "amount": 150}, {}):
            with pytest.raises(ValueError, match=r"\w"):
                game.step(action)
        assert before == (game.serialize(), game.get_public_state(), game.get_available_actions())

    def test_after_the_end_no_action_is_legal(self) -> None:
        """There is no current player."""
        game = new_game([1000] * 2)
        step_all(game, "fold")
        assert game.get_current_player() == ""
        assert game.get_available_actions() == []
        with pytest.raises(IllegalAction, match="the hand is over"):
            game.step({"action_type": "call"})


class TestScores:
    """Chips won and lost."""

    def test_chips_in_the_pot_count_as_lost_while_it_is_open(self) -> None:
        """The current stack less the one at the start."""
        game = new_game([1000] * 3, button=2)
        assert game.get_scores() == {"p0": -50, "p1": -100, "p2": 0}
        assert game.get_winner() is None

    def test_at_the_end_they_sum_to_zero(self) -> None:
        """What one wins the others lost."""
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
        """Both get their chips back."""
        game = rigged_game([1000] * 2, ["AsKh", "AhKs"], BOARD)
        step_all(game, "all-in", "call")
        assert game.get_scores() == {"p0": 0, "p1": 0}
        assert game.get_winner() is None


class TestCopies:
    """Copies and pickles, which learners and processes make."""

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

    def test_a_game_is_copied_before_its_deal(self) -> None:
        """The copy can be dealt."""
        game = deepcopy(create_game(config(seed="arena")))
        with pytest.raises(NotDealt):
            game.is_over()
        game.reset()
        assert game.get_state() == new_game([10_000] * 3, seed="arena").get_state()
