"""What every game promises, whichever it is: held by all that are registered.

One more is registered here by its dotted paths only, as somebody else's game would be.
"""

import json
import os
import random
import subprocess
import sys
from typing import Any

import pytest
from casino_games import (
    HOUSE,
    IllegalAction,
    InvalidConfig,
    InvalidSnapshot,
    NotDealt,
    UnknownPlayer,
    game_class,
    offers,
    restore_game,
)
from games.playing import (
    SEEDS,
    copy_of,
    dealt,
    games_under_way,
    new_game,
    playthrough,
    positions,
    sizes,
    some_answer,
    spoil,
    wrong_answers,
)


class TestADeal:
    """``reset``."""

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
        """Reset's goes first; a number is its digits; none at all is refused."""
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
        """There is nothing to tell before."""
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
        """A seat with ``chips_needed`` is dealt in, one with a chip less is not."""
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
        """A table asks before it deals; hold'em deals in any stack and looks at no setting."""
        if game_type != "texas-holdem":
            with pytest.raises(InvalidConfig, match="no_such_setting"):
                game_class(game_type).chips_needed({"no_such_setting": 1})

    def test_is_the_same_in_another_process(self, game_type: str) -> None:
        """Nothing depends on hashes, addresses or what was played before."""
        least = sizes(game_type)[0]
        code = (
            "import sys; from games import playing; playing.register_example();"
            f"sys.stdout.write(playing.playthrough({game_type!r}, {least}, 'a seed'))"
        )
        told = [
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
        assert told == [playthrough(game_type, least, "a seed")] * 2


class TestAPosition:
    """What may be asked at any time."""

    def test_has_a_player_to_decide_until_it_is_over(self, game_type: str) -> None:
        """Then the current player is nobody and there is nothing to do."""
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
        """The document's ``get_state``."""
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
        """What comes back from JSON is what went in: no tuples, no keys that are no text."""
        for game in games_under_way(game_type):
            told = [
                game.get_state(),
                game.serialize(),
                game.get_available_actions(),
                game.opening_events(),
            ]
            assert json.loads(json.dumps(told)) == told

    def test_belongs_to_whoever_asked(self, game_type: str) -> None:
        """Changing what was returned never changes the game."""
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

    def test_keeps_strangers_out(self, game_type: str) -> None:
        """Only who sits in the game has a private state."""
        game = dealt(game_type, sizes(game_type)[0])
        for stranger in ("", "nobody", HOUSE):
            with pytest.raises(UnknownPlayer):
                game.get_private_state(stranger)
            with pytest.raises(IllegalAction):
                game.default_action(stranger)
            assert game.get_actions_of(stranger) == []


class TestAStep:
    """``step``."""

    def test_refuses_what_is_not_offered_and_changes_nothing(self, game_type: str) -> None:
        """``ValueError``, as the document says, and the same position as before."""
        for game in games_under_way(game_type):
            before = game.serialize()
            for wrong in wrong_answers(game.get_available_actions()):
                with pytest.raises(ValueError, match=r".") as caught:
                    game.step(wrong)
                assert isinstance(caught.value, IllegalAction)
            assert game.serialize() == before

    def test_takes_what_is_offered(self, game_type: str) -> None:
        """Each offer, at both ends of its range, with keys that the game does not know."""
        for game in games_under_way(game_type):
            for offer in game.get_available_actions():
                for end in ("min", "max"):
                    answer = offers.least_of(offer) | {"thought": "hm"}
                    if offers.has_range(offer):
                        answer["amount"] = offer[end]
                    result, over = copy_of(game).step(answer)
                    assert isinstance(over, bool)
                    assert all(event["event"] for event in result["events"])

    def test_by_default_is_always_legal(self, game_type: str) -> None:
        """Whoever never answers reaches the end of the game, within its turns."""
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
                generator = random.Random(seed)
                while not game.is_over():
                    restored = copy_of(game)
                    assert restored.get_state() == game.get_state()
                    assert restored.opening_events() == game.opening_events()
                    assert restored.get_available_actions() == game.get_available_actions()
                    answer = some_answer(game.get_available_actions(), generator)
                    assert restored.step(answer) == game.step(answer)
                    assert restored.serialize() == game.serialize()
                assert copy_of(game).get_state() == game.get_state()

    def test_is_never_restored_from_something_else(self, game_type: str) -> None:
        """A snapshot with a piece missing, of another game, or none at all."""
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


class TestTheChips:
    """``get_scores``."""

    def test_add_up_to_nothing_with_the_house(self, game_type: str) -> None:
        """And nobody loses more than the stack it came with."""
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
                assert sum(scores.values()) == 0
                assert set(scores) - {HOUSE} == set(game.get_players())
                assert all(type(score) is int for score in scores.values())

    def test_make_the_winner(self, game_type: str) -> None:
        """Somebody who won most, or nobody."""
        for game in games_under_way(game_type):
            winner = game.get_winner()
            if winner is not None:
                scores = game.get_scores()
                assert game.is_over()
                assert scores[winner] == max(scores[player_id] for player_id in game.get_players())
