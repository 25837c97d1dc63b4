"""The reference of the command, its top level, and what it imports."""

import re
import shlex
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import httpx
import pytest
from casino.__main__ import COMMANDS, MATCH_COMMANDS, ROOM_COMMANDS, app
from support.casino.members import ENVIRONMENT
from support.console_side import casino
from typer.main import get_command
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


PAGE = (Path(__file__).parents[2] / "docs/cli.md").read_text()
EXAMPLES = [
    line.split("#")[0].strip()
    for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    for line in block.splitlines()
]
STARTS_PROCESSES = ("casino up", "casino deal", "casino attack", "casino mcp")
ASKS_NOBODY = (
    *STARTS_PROCESSES,
    "casino check",
    "casino join",
    "casino key",
    "casino play",
    "casino backup",
    "casino restore",
    "casino new-bot",
    "casino new-game",
    "casino match",
    "casino league",
    "casino export matches/",
    "casino replay",
    "casino ask http://127.0.0.1:9000/ --question",
)


@pytest.mark.parametrize("line", [line for line in EXAMPLES if not line.startswith(ASKS_NOBODY)])
async def test_an_example_asks_the_lobby(line: str) -> None:
    """The options are valid: the lobby's refusal is what ends the command."""
    problem = {"title": "Closing", "detail": "later"}
    lobby = httpx.MockTransport(lambda _: httpx.Response(503, json=problem))
    ended = await casino(*shlex.split(line)[1:], to=lobby)
    assert (ended.exit_code, ended.stderr.partition(": ")[2]) == (1, "later\n")


def test_every_command_has_an_example() -> None:
    root = get_command(app)
    names = set()
    for name, command in root.commands.items():  # type: ignore[attr-defined]
        names |= {f"casino {name} {one}" for one in getattr(command, "commands", {})} or {
            f"casino {name}"
        }
    assert len(names) == 37
    for name in names:
        assert any(f"{line} ".startswith(f"{name} ") for line in EXAMPLES), name
    for line in EXAMPLES:
        if line.startswith(ASKS_NOBODY):
            _, name, *arguments = shlex.split(line)
            command = root.commands[name]  # type: ignore[attr-defined]
            if commands := getattr(command, "commands", {}):
                name, *arguments = arguments if arguments[0] in commands else ("run", *arguments)
                command = commands[name]
            command.make_context(name, arguments)


@pytest.mark.parametrize("number", ["inf", "-inf", "nan", "1e999"])
@pytest.mark.parametrize(
    "command",
    [
        ("up", "--stack"),
        ("room", "create", "r", "--ante"),
        ("room", "start", "r", "--small-blind"),
        ("play", "r", "--buy-in"),
        ("join", "bot.py", "--budget-usd"),
        ("match", "run", "tight", "caller", "--alpha"),
    ],
)
async def test_a_number_that_is_not_finite_is_refused(
    command: tuple[str, ...], number: str
) -> None:
    """By its option, before the command does anything; so at every command."""
    ended = await casino(*command, number)
    assert ended.exit_code == 2
    assert f"'{command[-1]}': {float(number)}: write a finite number" in ended.stderr
