"""What the scores of every game sum to, and who wins."""

import random

from casino_games import HOUSE, game_class
from games.playing import SEEDS, dealt, games_under_way, positions, sizes


class TestTheChips:
    def test_add_up_to_nothing_with_the_bank(self, game_type: str) -> None:
        needed = game_class(game_type).chips_needed({})
        generator = random.Random("stacks")
        for players in sizes(game_type):
            for seed in SEEDS * 5:
                stacks = [needed + generator.choice([0, 1, 7, 60, 1000]) for _ in range(players)]
                game = dealt(game_type, players, seed, stacks=stacks)
                for position in positions(game, generator):
                    scores = position.get_scores()
                    lost = [-scores[player_id] for player_id in position.get_players()]
                    assert all(map(int.__le__, lost, stacks))
                if HOUSE in scores:  # the bank pays into the stacks that are shown
                    for seat, player in enumerate(game.get_public_state()["players"]):
                        assert player["stack"] == stacks[seat] + scores[player["player_id"]] >= 0
                assert sum(scores.values()) == 0
                assert set(scores) - {HOUSE} == set(game.get_players())
                assert all(type(score) is int for score in scores.values())

    def test_make_the_winner(self, game_type: str) -> None:
        for game in games_under_way(game_type):
            winner = game.get_winner()
            if winner is not None:
                scores = game.get_scores()
                assert game.is_over()
                assert scores[winner] == max(scores[player_id] for player_id in game.get_players())
