"""`--lobby` stands before the command or behind it, and the shell completes the rest."""

import subprocess
import sys

import httpx
import pytest
from casino.__main__ import app
from support.casino.live import ENVIRONMENT
from support.console_side import casino
from typer.testing import CliRunner

FIRST, SECOND = "http://first:4000", "http://second:4000"


@pytest.mark.parametrize(
    ("arguments", "host"),
    [
        (["--lobby", FIRST, "rooms"], "first"),
        (["--lobby", FIRST, "room", "list"], "first"),
        (["--lobby", FIRST, "rooms", "--lobby", SECOND], "second"),
        (["rooms"], "lobby"),
    ],
)
async def test_the_nearest_option_names_the_lobby(arguments: list[str], host: str) -> None:
    """Before the environment's."""
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.host)
        return httpx.Response(200, json={"rooms": []})

    ended = await casino(*arguments, to=httpx.MockTransport(answer), url="http://lobby:4000")
    assert (ended.exit_code, ended.stdout, asked) == (0, "no rooms\n", [host])


@pytest.mark.parametrize("command", ["key", "up"])
def test_a_command_without_a_lobby_takes_none(command: str) -> None:
    """It would do nothing."""
    result = CliRunner().invoke(app, ["--lobby", FIRST, command], prog_name="casino")
    assert result.exit_code == 2
    assert f"casino {command} asks no lobby" in result.stderr


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("casino ro", {"rooms", "room"}),
        ("casino room ha", {"hands", "hand"}),
        ("casino rooms --st", {"--status"}),
        ("casino rooms --status pl", {"playing"}),
    ],
)
@pytest.mark.full
def test_the_shell_completes_commands_options_and_their_values(
    words: str, completed: set[str]
) -> None:
    """Also of commands whose module is imported only when they run."""
    shell = {
        "_CASINO_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(words.count(" ")),
    }
    ended = subprocess.run(
        [sys.executable, "-c", "from casino.__main__ import main; main()"],
        env={**ENVIRONMENT, **shell},
        capture_output=True,
        text=True,
        check=False,
    )
    assert set(ended.stdout.split()) == completed, ended.stderr


@pytest.mark.full
def test_the_script_for_a_shell_is_shown() -> None:
    """`--install-completion` writes it."""
    asked = {"_CASINO_COMPLETE": "source_bash"}  # what it asks for; it finds the shell itself
    result = CliRunner().invoke(app, [], prog_name="casino", env=asked)
    assert result.exit_code == 0
    assert "complete -o default -F _casino_completion casino" in result.stdout
