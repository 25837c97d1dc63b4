"""Games are found by their type."""

import subprocess
import sys

import pytest
from casino_games import (
    GAME_REGISTRY,
    ArenaConfig,
    ArenaPlayer,
    Game,
    InvalidConfig,
    UnknownGame,
    config_class,
    create_game,
    game_class,
    minimum_players,
    restore_game,
)

CONFIG = ArenaConfig((ArenaPlayer("ann"), ArenaPlayer("bob")), "a seed")


@pytest.mark.parametrize("game_type", sorted(GAME_REGISTRY))
class TestEveryGame:
    """What a table may rely on, whichever game it runs."""

    def test_is_created_under_its_own_name(self, game_type: str) -> None:
        """The entry and the game agree on what it is called."""
        game = create_game(game_type, CONFIG)
        assert isinstance(game, Game)
        assert game.game_type == game_type
        assert type(game) is game_class(game_type)

    def test_tells_how_many_can_play(self, game_type: str) -> None:
        """A table has to know before it creates one."""
        limits = game_class(game_type)
        assert 1 <= minimum_players(game_type) == limits.min_players <= limits.max_players

    def test_has_settings_that_refuse_what_they_do_not_know(self, game_type: str) -> None:
        """A typing error in a setting is told, not ignored."""
        assert config_class(game_type).model_config["extra"] == "forbid"
        with pytest.raises(InvalidConfig, match="no_such_setting"):
            create_game(game_type, ArenaConfig(CONFIG.players, game_config={"no_such_setting": 1}))

    def test_is_restored_from_its_snapshot(self, game_type: str) -> None:
        """The registry alone is enough to bring a game back."""
        game = create_game(game_type, CONFIG)
        game.reset()
        restored = restore_game(game_type, game.serialize())
        assert restored.get_public_state() == game.get_public_state()


@pytest.mark.parametrize("ask", [game_class, config_class, minimum_players])
def test_an_unknown_game_is_told_which_are_known(ask: object) -> None:
    """The error helps who mistyped."""
    assert callable(ask)
    with pytest.raises(UnknownGame, match=r"texas-hodlem.*known ones are: .*texas-holdem"):
        ask("texas-hodlem")


def test_creating_and_restoring_refuse_an_unknown_game() -> None:
    """Both ways into a game check its type."""
    with pytest.raises(UnknownGame):
        create_game("chess", CONFIG)
    with pytest.raises(UnknownGame):
        restore_game("chess", {})


def test_a_game_is_imported_when_it_is_played_and_not_before() -> None:
    """Whoever imports the registry does not pay for all games."""
    code = "import sys, casino_games; sys.exit('casino_games.holdem' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
