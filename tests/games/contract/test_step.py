"""What `step`, `default_action` and snapshots promise in every game."""

import random
from typing import Any

import pytest
from casino_games import IllegalAction, InvalidSnapshot, offers, restore_game
from games.playing import (
    SEEDS,
    copy_of,
    dealt,
    games_under_way,
    sizes,
    some_answer,
    some_of,
    wrong_answers,
)


class TestAStep:
    def test_refuses_what_is_not_offered_and_changes_nothing(self, game_type: str) -> None:
        """`ValueError`, as the document says, and the same position as before."""
        generator = random.Random(game_type)
        for game in games_under_way(game_type):
            before = game.serialize()
            for wrong in wrong_answers(some_of(game.get_available_actions(), generator)):
                with pytest.raises(ValueError, match=r".") as caught:
                    game.step(wrong)
                assert isinstance(caught.value, IllegalAction)
            assert game.serialize() == before

    def test_takes_what_is_offered(self, game_type: str) -> None:
        """Each offer, at both ends of its range, with keys that the game does not know."""
        generator = random.Random(game_type)
        for game in games_under_way(game_type):
            for offer in some_of(game.get_available_actions(), generator):
                for end in ("min", "max"):
                    answer = offers.least_of(offer) | {"thought": "hm"}
                    if offers.has_range(offer):
                        answer["amount"] = offer[end]
                    result, over = copy_of(game).step(answer)
                    assert isinstance(over, bool)
                    assert all(event["event"] for event in result["events"])

    def test_by_default_is_always_legal(self, game_type: str) -> None:
        """With default actions only, the game ends within its turn limit."""
        for players in sizes(game_type):
            game = dealt(game_type, players)
            turns = 0
            while not game.is_over():
                answers = {
                    player_id: game.default_action(player_id)
                    for player_id in game.get_pending_players()
                }
                for player_id, answer in answers.items():
                    assert game.get_current_player() == player_id
                    game.step(answer)
                    turns += 1
            assert turns <= 1000
            with pytest.raises(IllegalAction):
                game.default_action("p0")

    def test_goes_on_from_a_snapshot_as_if_nothing_had_happened(self, game_type: str) -> None:
        """At every position: the same state, the same offers, the same events after."""
        for players in sizes(game_type):
            for seed in SEEDS:
                game = dealt(game_type, players, seed)
                opening = game.opening_events()
                generator = random.Random(seed)
                while not game.is_over():
                    restored = copy_of(game)
                    assert restored.get_state() == game.get_state()
                    assert restored.opening_events() == game.opening_events() == opening
                    assert restored.get_available_actions() == game.get_available_actions()
                    answer = some_answer(game.get_available_actions(), generator)
                    assert restored.step(answer) == game.step(answer)
                    assert restored.serialize() == game.serialize()
                assert copy_of(game).get_state() == game.get_state()

    def test_is_never_restored_from_something_else(self, game_type: str) -> None:
        """Snapshots miss a part, are of another game, or are no snapshots."""
        game = dealt(game_type, sizes(game_type)[0])
        game.step(game.default_action(game.get_current_player()))
        snapshot = game.serialize()
        wrong: list[dict[str, Any]] = [{}, snapshot | {"game_type": "chess"}, snapshot | {"x": 1}]
        wrong += [
            {key: snapshot[key] for key in snapshot if key != left_out} for left_out in snapshot
        ]
        wrong.append(snapshot | {"actions": [{"action_type": "NO_SUCH"}]})
        for data in wrong:
            with pytest.raises(InvalidSnapshot):
                restore_game(game_type, data)
