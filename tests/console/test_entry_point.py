"""The top level of the `casino` command: its version, its help, and what it imports."""

import subprocess
import sys
from importlib import import_module
from importlib.metadata import version

import pytest
from casino.__main__ import COMMANDS, MATCH_COMMANDS, ROOM_COMMANDS, app
from support.casino.live import ENVIRONMENT
from typer.testing import CliRunner

HEAVY = {"a2a", "aiohttp", "casino_agentkit", "httpx", "sqlalchemy"}
SHOW_HELP = """
import sys
from casino.__main__ import app
app(sys.argv[1:], standalone_mode=False)
print("imported:", *sorted({name.partition(".")[0] for name in sys.modules}))
"""


@pytest.mark.full
@pytest.mark.parametrize(
    "arguments", [["--help"], ["room", "-h"], ["match", "--help"], ["--version"]]
)
def test_help_and_version_import_no_service(arguments: list[str]) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", SHOW_HELP, *arguments],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    *_, imported = ended.stdout.splitlines()
    assert imported.startswith("imported: ")
    assert not HEAVY & set(imported.split())


def test_the_version_is_that_of_the_distribution() -> None:
    result = CliRunner().invoke(app, ["--version"], prog_name="casino")
    assert (result.exit_code, result.stdout) == (0, f"casino {version('a2a-casino')}\n")


@pytest.mark.parametrize(
    ("parents", "name", "target", "summary"),
    [
        (parents, name, *entry)
        for parents, table in (
            ([], COMMANDS),
            (["room"], ROOM_COMMANDS),
            (["match"], MATCH_COMMANDS),
        )
        for name, entry in table.items()
    ],
)
def test_a_listed_command_is_what_it_says(
    parents: list[str], name: str, target: str, summary: str
) -> None:
    """The list has the first line of the function's own help, which is shown by `-h` too."""
    module, _, function = target.partition(":")
    command = getattr(import_module(f"casino.commands.{module}"), function)
    assert (command.__doc__ or "").split("\n\n")[0].replace("\n", " ").strip() == summary
    result = CliRunner().invoke(app, [*parents, name, "-h"], prog_name="casino")
    assert result.exit_code == 0
    assert result.stdout.split()[:2] == ["Usage:", "casino"]
    assert " ".join(result.stdout.split()).find(summary[:30]) > 0


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("casino ro", {"rooms", "room"}),
        ("casino room ha", {"hands", "hand"}),
        ("casino rooms --st", {"--status"}),
        ("casino rooms --status pl", {"playing"}),
    ],
)
def test_the_shell_completes_commands_options_and_their_values(
    words: str, completed: set[str]
) -> None:
    """Also of commands whose module is imported only when they run."""
    shell = {
        "_CASINO_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(words.count(" ")),
    }
    ended = CliRunner().invoke(app, [], prog_name="casino", env=shell)
    assert set(ended.stdout.split()) == completed, ended.stderr
