"""Settings of a table process that name games."""

import sys
from pathlib import Path
from typing import Any

import pytest
from casino_agentkit import InvalidSettings
from casino_games import GAME_REGISTRY
from casino_table.app import build_app
from casino_table.settings import TableSettings
from games.hosting.loaded_games import restored, template_at
from support.table.table_side import InProcessNetwork


def _built(games: str) -> Any:
    environment = {"CASINO_TABLE_GAMES": games}
    return build_app(
        TableSettings.load(environment), "http://table", transport=InProcessNetwork().transport
    )


def test_a_module_of_games_is_imported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before the first card is served; what it prints is not read by the supervisor."""
    monkeypatch.delitem(sys.modules, "games.hosting.registering_module", raising=False)
    with restored():
        _built("games.hosting.registering_module")
        assert GAME_REGISTRY["imported_pile"]
    assert capsys.readouterr().out == ""


def test_a_module_that_cannot_be_imported_is_an_invalid_setting() -> None:
    refused = pytest.raises(InvalidSettings, match=r"CASINO_TABLE_GAMES: .*broken_module.*purpose")
    with refused, restored():
        _built("games.hosting.broken_module")


def test_a_folder_of_games_is_loaded(tmp_path: Path) -> None:
    template_at(tmp_path, "folder_game")
    with restored():
        _built(f"{tmp_path}/")
        assert GAME_REGISTRY["folder_game"]
