"""`reset` in every game, including one that is registered by its dotted paths."""

import json
import os
import random
import subprocess
import sys
from typing import Any

import pytest
from casino_games import InvalidConfig, NotDealt, game_class
from games.playing import SEEDS, dealt, new_game, playthrough, positions, sizes


class TestADeal:
    def test_follows_from_its_seed(self, game_type: str) -> None:
        """The same seed gives the same game, a used one included; others give others."""
        for players in sizes(game_type):
            game = dealt(game_type, players, "one")
            first = game.serialize()
            *_, end = positions(game, random.Random(1))
            assert end.is_over()
            game.reset("one")
            assert game.serialize() == first
            assert dealt(game_type, players, "one").serialize() == first
            deals = {json.dumps(dealt(game_type, players, seed).serialize()) for seed in SEEDS}
            assert len(deals) > 1

    def test_takes_its_seed_from_reset_or_from_the_configuration(self, game_type: str) -> None:
        """`reset`'s is first; a number is its digits; without a seed it raises."""
        least = sizes(game_type)[0]
        game = new_game(game_type, least, seed=17)
        game.reset()
        assert game.serialize() == dealt(game_type, least, "17").serialize()
        game.reset("other")
        assert game.serialize() == dealt(game_type, least, "other").serialize()
        with pytest.raises(ValueError, match="seed"):
            new_game(game_type, least).reset()
        for wrong in (True, 1.5, b"17"):
            with pytest.raises(ValueError, match="seed"):
                game.reset(wrong)  # type: ignore[arg-type] # that is the point

    def test_is_needed_before_any_question(self, game_type: str) -> None:
        """Methods raise an error before `reset`."""
        game = new_game(game_type, sizes(game_type)[0])
        for ask in (
            game.get_current_player,
            game.get_pending_players,
            game.get_available_actions,
            game.get_public_state,
            game.get_state,
            game.get_scores,
            game.is_over,
            game.serialize,
            lambda: game.get_private_state("p0"),
            lambda: game.step({"action_type": "CALL"}),
        ):
            with pytest.raises(NotDealt):
                ask()

    def test_refuses_players_it_has_no_room_for(self, game_type: str) -> None:
        """One more than the most, and one fewer than the least where that is anybody."""
        limits = game_class(game_type)
        for players in {limits.min_players - 1, limits.max_players + 1}:
            with pytest.raises(InvalidConfig, match="players: "):
                new_game(game_type, players)

    @pytest.mark.parametrize("stacks", [[0], [-1], [1.5], [True], ["10"], [], [10**9] * 11])
    def test_refuses_stacks_that_do_not_fit(self, game_type: str, stacks: list[Any]) -> None:
        """One whole positive number for each player, and the fault has its path."""
        players = game_class(game_type).max_players
        wrong = stacks * players if len(stacks) == 1 else stacks
        if not wrong:
            wrong = [10**6] * (players - 1) if players > 1 else [10**6] * 2
        with pytest.raises(InvalidConfig, match="stacks"):
            new_game(game_type, players, stacks=wrong)

    def test_needs_no_more_chips_than_it_says(self, game_type: str) -> None:
        """A seat with `chips_needed` is dealt in, one with a chip less is not."""
        needed = game_class(game_type).chips_needed({})
        assert needed >= 1
        for players in sizes(game_type):
            *_, end = positions(
                dealt(game_type, players, stacks=[needed] * players), random.Random(3)
            )
            assert end.is_over()
        if needed > 1:
            with pytest.raises(InvalidConfig, match="^stacks"):
                new_game(game_type, players, stacks=[needed - 1] + [needed] * (players - 1))

    def test_refuses_faulty_settings_when_asked_for_the_chips_it_needs(
        self, game_type: str
    ) -> None:
        """A table calls `chips_needed` before it deals."""
        with pytest.raises(InvalidConfig, match="no_such_setting"):
            game_class(game_type).chips_needed({"no_such_setting": 1})

    @pytest.mark.full
    def test_is_the_same_in_another_process(self, game_type: str) -> None:
        """Nothing depends on hashes, addresses or what was played before."""
        least = sizes(game_type)[0]
        code = (
            "import sys; from games import playing; playing.register_example();"
            f"sys.stdout.write(playing.playthrough({game_type!r}, {least}, 'a seed'))"
        )
        outputs = [
            subprocess.run(
                [sys.executable, "-c", code],
                capture_output=True,
                check=True,
                text=True,
                env=os.environ
                | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            ).stdout
            for hash_seed in ("1", "2")
        ]
        assert outputs == [playthrough(game_type, least, "a seed")] * 2
