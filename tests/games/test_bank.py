"""Properties of every game against the bank."""

import json
import random
from typing import Any

import pytest
from casino_games import (
    ArenaConfig,
    ArenaPlayer,
    Game,
    InvalidConfig,
    create_game,
    game_class,
    restore_game,
)
from casino_games.game import MOST_CHIPS
from casino_games.replayed import MOST_BET
from casino_games.roulette.game import Spin
from games.playing import some_answer
from games.specification.specifying import decisions

BANKS = ["blackjack", "roulette"]


@pytest.fixture(params=BANKS)
def game_type(request: pytest.FixtureRequest) -> str:
    """Return a game that is played against the bank."""
    return str(request.param)


def config(players: int = 2, **settings: Any) -> ArenaConfig:
    """Return a configuration with players `p0`, `p1`, …"""
    return ArenaConfig(tuple(ArenaPlayer(f"p{n}") for n in range(players)), "a seed", settings)


class TestSettings:
    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"min_bet": 0}, "^min_bet: "),
            ({"max_bet": MOST_BET + 1}, "^max_bet: "),
            ({"min_bet": 2.0}, "^min_bet: "),
            ({"min_bet": 20, "max_bet": 10}, "min_bet is larger"),
            ({"stacks": [100]}, "^stacks: 1 for 2 players"),
            ({"stacks": [100, 0]}, "^stacks.1: "),
            ({"stacks": [100, 1]}, "^stacks.1: 1 chips, and a seat needs 2"),
            ({"stacks": [MOST_CHIPS, 2]}, "more than"),
            ({"ante": 1}, "^ante: "),
        ],
    )
    def test_a_fault_is_reported_with_its_path(
        self, game_type: str, settings: dict[str, Any], message: str
    ) -> None:
        with pytest.raises(InvalidConfig, match=message):
            create_game(game_type, config(**settings))

    def test_a_seat_needs_the_smallest_bet(self, game_type: str) -> None:
        """With less there would be nothing to decide."""
        rules = game_class(game_type)
        assert rules.chips_needed({}) == 2
        assert rules.chips_needed({"min_bet": 25}) == 25
        with pytest.raises(InvalidConfig):
            rules.chips_needed({"min_bet": -1})

    def test_without_stacks_there_are_enough_chips(self, game_type: str) -> None:
        game = create_game(game_type, config(max_bet=70))
        game.reset()
        assert [player["stack"] for player in game.get_public_state()["players"]] == [700, 700]

    @pytest.mark.parametrize(("decks", "players"), [(1, 4), (1, 7)])
    def test_a_shoe_that_could_run_out_is_refused(self, decks: int, players: int) -> None:
        """However the cards fall and whatever is split, there is always one more."""
        with pytest.raises(InvalidConfig, match="^decks: "):
            create_game("blackjack", config(players, decks=decks))
        create_game("blackjack", config(3, decks=1))
        create_game("blackjack", config(7, decks=2))


class TestPlay:
    def test_the_winner_alone_won_most_from_the_bank(self, game_type: str) -> None:
        rng = random.Random(3)
        winners = set()
        for hand in range(200):
            game = create_game(game_type, config(2))
            game.reset(hand)
            assert game.get_winner() is None
            finish(game, rng)
            first, second = (game.get_scores()[player_id] for player_id in ("p0", "p1"))
            expected = None
            if first != second and max(first, second) > 0:
                expected = "p0" if first > second else "p1"
            assert game.get_winner() == expected
            winners.add(expected)
        assert winners == {None, "p0", "p1"}


class TestSecrets:
    def test_the_same_hand_looks_alike_whatever_comes(self, game_type: str) -> None:
        """Before a decision no output depends on cards that have not been shown."""
        outputs = set()
        for seed in range(50):
            game = create_game(game_type, config(2))
            game.reset(seed)
            outputs.add(json.dumps([game.get_public_state(), game.opening_events()]))
        assert len(outputs) == 1

    def test_the_hole_card_is_shown_to_nobody(self) -> None:
        """With another card under the dealer's, state, offers and events are the same."""
        rng = random.Random(11)
        for hand in range(100):
            game = create_game("blackjack", config(2))
            game.reset(hand)
            for _ in range(2):
                game.step({"action_type": "BET", "amount": 10})
            kept = game.serialize()
            order = kept["order"]
            hole = order[5] % 52  # two players, the dealer, two players, the hole card
            other = next(
                place
                for place in range(100, 312)
                if order[place] % 52 != hole and order[place] % 52 // 4 == hole // 4
            )
            order[5], order[other] = order[other], order[5]
            twin = restore_game("blackjack", kept)
            while not game.is_over():
                action = some_answer(game.get_available_actions(), rng)
                assert twin.get_state() == game.get_state()
                results = game.step(action), twin.step(action)
                if not game.is_over():
                    assert results[0] == results[1]

    def test_no_repr_shows_them(self, game_type: str) -> None:
        """A repr may be logged."""
        game = create_game(game_type, config(2))
        game.reset()
        pocket = game.serialize()["order"][0]
        assert str(game.serialize()["order"]) not in repr(game)
        assert f"pocket={pocket}" not in repr(Spin(pocket))


def finish(game: Game, rng: random.Random) -> None:
    for _ in decisions(game, rng):
        pass
