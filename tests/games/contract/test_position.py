"""The query methods of every game, at any position."""

import json

import pytest
from casino_games import HOUSE, IllegalAction, UnknownPlayer
from games.playing import copy_of, dealt, games_under_way, sizes, spoil


class TestAPosition:
    def test_has_a_player_to_decide_until_it_is_over(self, game_type: str) -> None:
        for game in games_under_way(game_type):
            players = game.get_players()
            current, pending = game.get_current_player(), game.get_pending_players()
            if game.is_over():
                assert (current, game.get_current_role(), pending) == ("", "", [])
                assert game.get_available_actions() == []
                assert [game.get_actions_of(player_id) for player_id in players] == [[]] * len(
                    players
                )
            else:
                assert current == pending[0]
                assert game.get_current_role()
                assert game.get_winner() is None
                assert pending == [player_id for player_id in players if player_id in pending] or (
                    len(pending) == 1
                )
                assert game.get_available_actions() == game.get_actions_of(current) != []
                for player_id in players:
                    assert bool(game.get_actions_of(player_id)) == (player_id in pending)
            if game.game_model == "turn_based":
                assert len(pending) <= 1

    def test_tells_everything_at_once(self, game_type: str) -> None:
        """`get_state` has the keys of the document."""
        for game in games_under_way(game_type):
            assert game.get_state() == {
                "public": game.get_public_state(),
                "private_states": {
                    player_id: game.get_private_state(player_id) for player_id in game.get_players()
                },
                "metadata": {
                    "game_type": game_type,
                    "is_over": game.is_over(),
                    "current_player": game.get_current_player(),
                    "scores": game.get_scores(),
                },
            }

    def test_is_json(self, game_type: str) -> None:
        """Values are equal after encoding and decoding: no tuples, no keys but text."""
        for game in games_under_way(game_type):
            parts = [
                game.get_state(),
                game.serialize(),
                game.get_available_actions(),
                game.opening_events(),
            ]
            assert json.loads(json.dumps(parts)) == parts

    def test_belongs_to_whoever_asked(self, game_type: str) -> None:
        for game in games_under_way(game_type):
            before = json.dumps([game.get_state(), game.serialize(), game.get_available_actions()])
            spoil(game.get_state())
            spoil(game.serialize())
            spoil(game.get_available_actions())
            spoil(game.opening_events())
            spoil(game.get_players())
            if not game.is_over():
                spoil(copy_of(game).step(game.default_action(game.get_current_player())))
            after = json.dumps([game.get_state(), game.serialize(), game.get_available_actions()])
            assert after == before

    def test_refuses_other_ids(self, game_type: str) -> None:
        game = dealt(game_type, sizes(game_type)[0])
        for outsider_id in ("", "nobody", HOUSE):
            with pytest.raises(UnknownPlayer):
                game.get_private_state(outsider_id)
            with pytest.raises(IllegalAction):
                game.default_action(outsider_id)
            assert game.get_actions_of(outsider_id) == []
