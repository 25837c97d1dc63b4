"""Games are found by their type."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from casino_games import (
    GAME_REGISTRY,
    ActionParser,
    ArenaConfig,
    ArenaPlayer,
    BrokenRegistration,
    Game,
    GameError,
    InvalidConfig,
    StateAdapter,
    UnknownGame,
    action_parser,
    config_class,
    create_game,
    game_class,
    game_types,
    import_games,
    minimum_players,
    register_game,
    restore_game,
    state_adapter,
)
from casino_games.registry import Registry

CONFIG = ArenaConfig((ArenaPlayer("ann"), ArenaPlayer("bob")), "a seed")


@pytest.mark.parametrize("game_type", sorted(GAME_REGISTRY))
class TestEveryGame:
    """What a table may rely on, whichever game it runs."""

    def test_is_created_under_its_own_name(self, game_type: str) -> None:
        """The registry's key is the game's `game_type`."""
        game = create_game(game_type, CONFIG)
        assert isinstance(game, Game)
        assert game.game_type == game_type
        assert type(game) is game_class(game_type)

    def test_tells_how_many_can_play(self, game_type: str) -> None:
        """A table has to know before it creates one."""
        limits = game_class(game_type)
        assert 1 <= minimum_players(game_type) == limits.min_players <= limits.max_players

    def test_has_settings_that_refuse_what_they_do_not_know(self, game_type: str) -> None:
        """A typing error in a setting is reported, not ignored."""
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
def test_the_refusal_of_an_unknown_game_names_the_known_ones(ask: object) -> None:
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


@pytest.mark.full
def test_a_game_is_imported_when_it_is_played_and_not_before() -> None:
    """Whoever imports the registry does not pay for all games."""
    code = """
import sys
from casino_games import GAME_REGISTRY, game_class, game_types
modules = [entry["game_module"] for entry in GAME_REGISTRY.values()]
assert len(game_types()) >= len(modules) > 1
assert not [module for module in modules if module in sys.modules]
game_class("simple_card")
assert [module for module in modules if module in sys.modules] == ["casino_games.simple_card"]
"""
    subprocess.run([sys.executable, "-c", code], check=True)


class TestOtherPeoplesGames:
    """A game comes by dotted paths, or with an installed distribution."""

    def test_a_game_is_registered_by_its_paths(self, example: str) -> None:
        """All its parts are found by their dotted paths."""
        assert example in game_types()
        game = create_game(example, CONFIG)
        assert game.game_type == example
        assert type(game) is game_class(example)
        assert isinstance(state_adapter(example), StateAdapter)
        assert isinstance(action_parser(example), ActionParser)

    def test_a_module_registers_games_when_it_is_imported(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """As the game-interface document shows it; modules are separated by commas."""
        monkeypatch.delitem(sys.modules, "games.hosting.registering_module", raising=False)
        import_games(" games.hosting.registering_module , ")
        try:
            assert "imported_pile" in game_types()
            assert game_class("imported_pile").__name__ == "PileGame"
        finally:
            del GAME_REGISTRY["imported_pile"]
        with pytest.raises(BrokenRegistration, match=r"'games\.hosting\.broken_module' cannot"):
            import_games("games.hosting.broken_module")

    def test_registering_again_is_nothing_and_another_game_is_refused(self, example: str) -> None:
        """A second registration of the same game has no effect."""
        entry = GAME_REGISTRY[example]
        register_game(example, **entry)
        assert GAME_REGISTRY[example] == entry
        with pytest.raises(GameError, match="another game is registered as 'sealed_bid'"):
            register_game(example, **entry | {"game_module": "somewhere.else"})
        with pytest.raises(GameError, match="not empty"):
            register_game("", **entry)
        assert GAME_REGISTRY[example] == entry

    def test_a_game_without_a_specification_says_so(self, example: str) -> None:
        """It can be played; only its document is missing."""
        registry = Registry({"mine": {**GAME_REGISTRY[example], "specification": ""}}, dict)
        assert registry.part("mine", "game_class") is game_class(example)
        with pytest.raises(BrokenRegistration, match="'mine' is registered without a specifi"):
            registry.part("mine", "specification")

    @pytest.mark.parametrize(
        "path", ["no_such_package.game.Game", "casino_games.no_such_name", "nodots", "..", "os."]
    )
    def test_a_path_to_nothing_is_reported(self, path: str) -> None:
        """With the game, the part and the path: not a stack trace of an import."""
        registry = Registry({"mine": {**GAME_REGISTRY["texas-holdem"], "game_class": path}}, dict)
        with pytest.raises(BrokenRegistration, match="the game_class of the game 'mine'") as caught:
            registry.part("mine", "game_class")
        assert repr(path) in str(caught.value)

    def test_an_installed_distribution_offers_games(self) -> None:
        """Its entry point names a module that has a REGISTRATION; nothing else is imported."""
        registry = Registry({}, lambda: {"bid": "games.installed_game"})
        assert registry.game_types() == ["bid"]
        assert registry.part("bid", "config_class").__name__ == "SealedBidConfig"
        broken = Registry({}, lambda: {"bid": "no_such_package"})
        assert broken.game_types() == ["bid"]
        with pytest.raises(BrokenRegistration, match=r"no_such_package\.REGISTRATION"):
            broken.part("bid", "config_class")

    def test_a_game_of_ours_is_never_replaced_by_an_installed_one(self) -> None:
        """Whoever installs something finds the hold'em that it knows."""
        registry = Registry(dict(GAME_REGISTRY), lambda: {"texas-holdem": "games.installed_game"})
        assert registry.game_types() == sorted(GAME_REGISTRY)
        assert registry.part("texas-holdem", "game_class") is game_class("texas-holdem")

    @pytest.mark.full
    def test_what_is_installed_is_really_looked_up(self, tmp_path: Path) -> None:
        """A distribution with the entry point, on the path of another process."""
        info = tmp_path / "somebodys_game-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: somebodys-game\nVersion: 1.0\n"
        )
        (info / "entry_points.txt").write_text("[casino.games]\nbid = games.installed_game\n")
        code = (
            "import sys; from casino_games import game_types, minimum_players;"
            "assert 'bid' in game_types(); assert 'games' not in sys.modules;"
            "assert minimum_players('bid') == 2"
        )
        paths = os.pathsep.join([str(tmp_path), *sys.path])
        environment = os.environ | {"PYTHONPATH": paths}
        subprocess.run([sys.executable, "-c", code], check=True, env=environment)
