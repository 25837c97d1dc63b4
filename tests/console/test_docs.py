"""The reference of the command: complete, and every example can be typed."""

import re
import shlex
from pathlib import Path

import httpx
import pytest
from casino.__main__ import app
from support.console_side import casino
from typer.main import get_command

PAGE = (Path(__file__).parents[2] / "docs/console.md").read_text()
EXAMPLES = [
    line.split("#")[0].strip()
    for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    for line in block.splitlines()
]
STARTS_PROCESSES = ("casino up", "casino deal", "casino attack")
ASKS_NOBODY = (
    *STARTS_PROCESSES,
    "casino check",
    "casino join",
    "casino key",
    "casino play",
    "casino backup",
    "casino restore",
    "casino new-bot",
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
    """Commands that start processes have examples with existing options."""
    root = get_command(app)
    names = set()
    for name, command in root.commands.items():  # type: ignore[attr-defined]
        names |= {f"casino {name} {one}" for one in getattr(command, "commands", {})} or {
            f"casino {name}"
        }
    assert len(names) == 34
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
