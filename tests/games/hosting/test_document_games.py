"""Games of folders, in the five files of the document, with its own import names."""

import random
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from casino_games import (
    GAME_REGISTRY,
    ActionParseError,
    BrokenRegistration,
    action_parser,
    config_class,
    game_types,
    import_games,
    state_adapter,
)
from casino_games.hosting.rehearsal import first_rehearsal
from games.hosting.loaded_games import PAGE_GAMES, loaded, restored, template_at

PLAYED = ["my_game", "pig", "word_teams"]


# The document's example of a configuration, which pydantic 2 warns of.
@pytest.mark.filterwarnings("ignore:Support for class-based `config`")
@pytest.mark.parametrize("game_type", PLAYED)
def test_the_five_files_play_unmodified(game_type: str, tmp_path: Path) -> None:
    """Found in their folders, and rehearsed as a table does it; a model's side is there, too."""
    template_at(tmp_path)
    with loaded(f"{tmp_path}/", PAGE_GAMES):
        assert set(PLAYED) <= set(game_types())
        seen = first_rehearsal(game_type, {}, range(2, 11))
        assert seen.turns
        config_class(game_type)()
        turn = seen.turns[0]
        public, private = turn["state"]["public"], turn["state"]["private"]
        offered = turn["availableActions"]
        adapter = state_adapter(game_type)
        prompt = adapter.state_to_prompt(
            public_state=public, private_state=private, valid_actions=offered, turn_history=None
        )
        assert offered[0]["action_type"] in prompt
        assert adapter.format_system_prompt(role="player", public_state=public, private_state={})
        parser = action_parser(game_type, fallback_to_random=False)
        chosen = random.Random(game_type).choice(offered)
        said = f"I take this one.\n```json\n{str(chosen).replace(chr(39), chr(34))}\n```"
        assert parser.parse(said, offered) == chosen
        with pytest.raises(ActionParseError):
            parser.parse("I do not know", offered)


def test_the_names_of_the_document_are_nobody_else_s(tmp_path: Path) -> None:
    """They are importable where games are loaded, lazily, and nowhere else."""
    assert find_spec("core") is None
    template_at(tmp_path)
    with loaded(tmp_path):
        assert not {"core", "arena", "games.my_game"} & sys.modules.keys()
        code = (
            "import core\nfrom core import ActionParseError, ActionParser, Game, StateAdapter\n"
            "from core.game import Game as G\nfrom core.state_adapter import StateAdapter as S\n"
            "from core.action_parser import ActionParser as P, ActionParseError as E\n"
            "from arena import registry\nfrom arena.registry import GAME_REGISTRY\n"
        )
        names: dict[str, object] = {}
        exec(code, names)
        assert names["G"] is names["Game"]
        assert names["GAME_REGISTRY"] is GAME_REGISTRY
        with pytest.raises(ModuleNotFoundError):
            exec("import core.agents", {})
    assert find_spec("core") is None
    assert "my_game" not in game_types()


def test_a_module_registers_by_the_document_s_own_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    template_at(tmp_path)
    keys = {
        "game_module": "",
        "game_class": ".game.MyGame",
        "game_factory": ".create_game",
        "state_adapter_class": ".state_adapter.MyStateAdapter",
        "action_parser_class": ".action_parser.MyActionParser",
        "config_class": ".config.MyGameConfig",
    }
    entry = {key: f"games.my_game{path}" for key, path in keys.items()}
    (tmp_path / "my_registration.py").write_text(
        f'from arena.registry import GAME_REGISTRY\n\nGAME_REGISTRY["my_game"] = {entry}\n'
    )
    with loaded("my_registration", tmp_path):
        assert GAME_REGISTRY["my_game"]["config_class"] == "games.my_game.config.MyGameConfig"
        assert first_rehearsal("my_game", {}, range(2, 11)).result
    del sys.modules["my_registration"]


def test_a_framework_of_the_game_s_own_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has the original beside the game plays with it, or is told what is in the way."""
    template_at(tmp_path, "framed_game")
    (tmp_path / "core.py").write_text("class Game: pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    with loaded(tmp_path):
        with pytest.raises(BrokenRegistration, match=r"StateAdapter' from 'core' .*core\.py"):
            state_adapter("framed_game")
        del sys.modules["core"]


@pytest.mark.parametrize("place", ["", "games", "games/my_game"])
def test_a_folder_may_be_any_level_of_them(place: str, tmp_path: Path) -> None:
    template_at(tmp_path)
    (tmp_path / "games" / "notes.md").write_text("of the author")
    (tmp_path / "games" / "__init__.py").write_text("")
    with loaded(f"{tmp_path}/{place}"), loaded(f"{tmp_path}/{place}"):
        assert "my_game" in game_types()


def test_what_cannot_be_loaded_is_refused_with_its_file(tmp_path: Path) -> None:
    place = template_at(tmp_path / "a")

    def refusal(*folders: Path) -> str:
        with pytest.raises(BrokenRegistration) as refused, loaded(*folders):
            pass
        return str(refused.value)

    assert refusal(tmp_path).endswith(
        "has no game, a folder with __init__.py, game.py, state_adapter.py, action_parser.py,"
        " config.py"
    )
    template_at(tmp_path / "b")
    assert "another folder has games.my_game; rename one" in refusal(tmp_path / "a", tmp_path / "b")
    template_at(tmp_path / "c", "texas_holdem").rename(tmp_path / "c/games/texas-holdem")
    assert refusal(tmp_path / "c").endswith(
        "another game is registered as 'texas-holdem'; rename this folder"
    )
    (place / "config.py").unlink()
    assert refusal(tmp_path / "a").endswith("a game of the document also has config.py")
    (place / "config.py").write_text("from pydantic import BaseModel\nclass A(BaseModel): x: =\n")
    assert "config.py" in refusal(tmp_path / "a")
    (place / "config.py").write_text("class A: ...\nclass B: ...\n")
    assert "config.py: needs one class that implements BaseModel, and has none" in refusal(
        tmp_path / "a"
    )
    two = "from pydantic import BaseModel\nclass A(BaseModel): ...\nclass B(BaseModel): ...\n"
    (place / "config.py").write_text(two)
    assert "implements BaseModel, and has A, B;" in refusal(tmp_path / "a")
    with restored():  # a registration names the class
        GAME_REGISTRY["my_game"] = {**GAME_REGISTRY["roulette"], "game_module": "games.my_game"}
        import_games(f"{tmp_path}/a")
        assert GAME_REGISTRY["my_game"]["config_class"].endswith("RouletteConfig")


def test_a_folder_s_game_takes_the_place_of_a_built_in_one(tmp_path: Path) -> None:
    """As the document's own example `simple_card` does, which whoever loads it is told."""
    template_at(tmp_path, "simple_card")
    with restored():
        assert import_games(f"{tmp_path}/") == ["simple_card"]
        assert import_games(f"{tmp_path}/") == []
        assert GAME_REGISTRY["simple_card"]["game_class"] == "games.simple_card.game.MyGame"


def test_a_module_that_is_a_folder_says_how_folders_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    template_at(tmp_path / "my_games")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    refused = pytest.raises(BrokenRegistration, match=r"no module; a folder is written \./my_games")
    with refused, loaded("my_games"):
        pass
    del sys.modules["my_games"]
    with loaded("./my_games"):
        assert "my_game" in game_types()
