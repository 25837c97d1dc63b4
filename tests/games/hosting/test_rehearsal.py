"""A rehearsal finds what cannot be played, and names the method."""

import re
from typing import Any

import pytest
from casino_games import GameFault, InvalidConfig
from casino_games.hosting.game_properties import GameTraits, traits_of
from casino_games.hosting.rehearsal import first_rehearsal, rehearse
from games.hosting.faulty_games import FAULTS
from games.hosting.pile_game import CREATED, PileGame, registered


@pytest.mark.parametrize(("rules", "message"), FAULTS)
def test_a_fault_is_found_and_named(rules: type[PileGame], message: str) -> None:
    with registered(rules) as game_type, pytest.raises(GameFault) as caught:
        rehearse(game_type, {}, 2)
    assert re.match(message, str(caught.value))


def test_a_sound_game_is_played_to_its_end() -> None:
    """Without any base class of ours: the result names points."""
    with registered() as game_type:
        rehearsal = rehearse(game_type, {"counters": 12}, 3)
    assert rehearsal.result is not None
    assert sum(rehearsal.result["scores"].values()) in range(9, 13)
    assert rehearsal.result["winners"] == [rehearsal.result["winner"]]
    assert rehearsal.turns[0]["availableActions"][0] == {"action_type": "TAKE", "counters": [1]}


def test_a_factory_gets_the_whole() -> None:
    """Players, seed, type and every setting; a seed that all generators take."""
    with registered() as game_type:
        rehearse(game_type, {}, 2)
        config = CREATED[-1]
    assert config.game_type == game_type
    assert isinstance(config.seed, int)
    assert config.game_config == {"counters": 20}
    player = config.players[0]
    assert (player.id, player.team, player.role, player.type) == (
        "player-1",
        None,
        "player",
        "agent",
    )


def test_settings_that_the_game_refuses_are_no_fault_of_the_game() -> None:
    with registered() as game_type, pytest.raises(InvalidConfig, match=r"counters: .*4"):
        rehearse(game_type, {"counters": 1}, 2)


def test_the_traits_of_a_game_that_says_none() -> None:
    with registered() as game_type:
        assert traits_of(game_type) == GameTraits(2, 10, False, False, "turn_based", "")


class ManyPlayers(PileGame):
    """Its own limits."""

    min_players, max_players = 3, 4


class WrongLimits(PileGame):
    """No number."""

    min_players = "two"


class FourPlayers(PileGame):
    """The document has no place for a number of players; the factory refuses others."""

    def __init__(self, players: list[str], seed: Any, counters: int) -> None:
        if len(players) != 4:
            raise ValueError(f"four players, not {len(players)}")
        super().__init__(players, seed, counters)


def test_the_smallest_number_of_players_is_found_out() -> None:
    with registered(FourPlayers) as game_type:
        assert len(first_rehearsal(game_type, {}, range(2, 7)).players) == 4
        with pytest.raises(GameFault, match="create_game: raises ValueError: four players, not 3"):
            first_rehearsal(game_type, {}, range(2, 4))


def test_limits_are_read_from_any_class() -> None:
    with registered(ManyPlayers) as game_type:
        traits = traits_of(game_type)
        assert (traits.min_players, traits.max_players) == (3, 4)
    with registered(WrongLimits) as game_type, pytest.raises(GameFault, match="min_players: must"):
        traits_of(game_type)


class Misplaced(PileGame):
    """A class whose registration has wrong paths."""


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"config_class": "games.hosting.pile_game.Kind"}, "config_class: its path must lead to a"),
        ({"game_class": "games.hosting.pile_game.registered"}, "game_class: its path must lead"),
    ],
)
def test_paths_to_something_else_are_named(changes: dict[str, str], message: str) -> None:
    with registered(Misplaced, **changes) as game_type, pytest.raises(GameFault, match=message):
        traits_of(game_type)
