"""Without the extra a command of matches says how to install it."""

import pytest
import typer
from casino.__main__ import app
from casino.commands.match.library import with_matches
from casino_match.errors import StoreFailed
from typer.main import get_command

CONTEXT = typer.Context(get_command(app), info_name="casino match")


@pytest.mark.parametrize("module", ["numpy", "treys", "casino_match.run"])
def test_a_missing_extra_is_named(module: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as raised, with_matches(CONTEXT):
        raise ModuleNotFoundError("No module", name=module)
    assert raised.value.exit_code == 1
    line = f"casino match: {module} is not installed: pip install 'a2a-casino[match]'\n"
    assert capsys.readouterr().err == line


def test_another_missing_module_is_an_error_of_ours() -> None:
    with pytest.raises(ModuleNotFoundError), with_matches(CONTEXT):
        raise ModuleNotFoundError("No module", name="casino.nothing")


def test_an_error_of_a_match_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit), with_matches(CONTEXT):
        raise StoreFailed("the disk is full")
    assert capsys.readouterr().err == "casino match: the disk is full\n"
