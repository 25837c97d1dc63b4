"""Games are found by their type."""

import subprocess
import sys

import pytest
from casino_games import (
    GAME_REGISTRY,
    ActionParser,
    ArenaConfig,
    ArenaPlayer,
    BrokenRegistration,
    GameError,
    StateAdapter,
    UnknownGame,
    action_parser,
    config_class,
    create_game,
    game_class,
    game_types,
    minimum_players,
    register_game,
    state_adapter,
)
from casino_games.registry import Registry
from games.hosting.loaded_games import loaded

CONFIG = ArenaConfig((ArenaPlayer("ann"), ArenaPlayer("bob")), "a seed")


@pytest.mark.parametrize("ask", [game_class, config_class, minimum_players])
def test_the_refusal_of_an_unknown_game_names_the_known_ones(ask: object) -> None:
    assert callable(ask)
    with pytest.raises(UnknownGame, match=r"texas-hodlem.*known ones are: .*texas-holdem"):
        ask("texas-hodlem")


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
    def test_a_game_is_registered_by_its_paths(self, example: str) -> None:
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
        with loaded(" games.hosting.registering_module ", ""):
            assert "imported_pile" in game_types()
            assert game_class("imported_pile").__name__ == "PileGame"
        refused = pytest.raises(BrokenRegistration, match=r"'games\.hosting\.broken_module' cannot")
        with refused, loaded("games.hosting.broken_module"):
            pass

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
        registry = Registry(dict(GAME_REGISTRY), lambda: {"texas-holdem": "games.installed_game"})
        assert registry.game_types() == sorted(GAME_REGISTRY)
        assert registry.part("texas-holdem", "game_class") is game_class("texas-holdem")
