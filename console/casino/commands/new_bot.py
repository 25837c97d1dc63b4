"""Commands `casino new-bot` and `new-game`: write the starter project of a bot, or a game."""

import shlex
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Literal

import typer
from casino_agentkit.installation import installation_hint

from casino.commands.context import AsJson, context_of, one_line_for
from casino.errors import StarterNotWritten
from casino.starters.starter import LANGUAGES, write_game, write_starter

_PYTHON = shlex.quote(sys.executable)
_CARD = "http://127.0.0.1:9000/.well-known/agent-card.json"


LanguageName = Literal["python", "javascript", "go"]


def new_bot(
    context: typer.Context,
    language: Annotated[
        LanguageName, typer.Argument(metavar="python|javascript|go", help="The bot's language.")
    ] = "python",
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="A new or empty directory; names the bot.")
    ] = Path("mybot"),
    as_json: AsJson = False,
) -> None:
    """Write a bot that plays at once, with tests, a Dockerfile and a README.

    It needs no package beyond the language's own. Its decisions are in one short file.
    """
    chosen = LANGUAGES[language]
    with one_line_for(context, StarterNotWritten):
        written = write_starter(chosen, directory)
    output = context_of(context).output()
    if as_json:
        output.json({"directory": str(directory), "language": chosen.name, "files": written})
        return
    output.line(f"{directory}: a bot in {chosen.title}, {len(written)} files")
    place = shlex.quote(str(directory))
    at_a_table = []
    if chosen.table:
        at_a_table.append(("", f"cd {place} && {_PYTHON} -m pytest"))
        if find_spec("pytest") is None:
            at_a_table.insert(0, ("at a table", installation_hint("pytest")))
    steps = (
        ("start it", f"cd {place} && {chosen.start}"),
        ("test it", f"cd {place} && {chosen.test}"),
        *at_a_table,
        ("check it", "casino check http://127.0.0.1:9000"),
        ("seat it", f"casino up --hands 200 --seat {_CARD}"),
        ("change it", f"{directory / next(iter(chosen.files))}, function act; more in README.md"),
    )
    output.lines(f"  {step:<10} {line}" for step, line in steps)


def new_game(
    context: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The game type: a-z, 0-9 and _.")
    ] = "my_game",
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="Where `games/NAME` is written.")
    ] = Path(),
    as_json: AsJson = False,
) -> None:
    """Write a game in the five files of the game-interface document, which plays at once.

    A table loads it from the folder; nothing of the casino is changed.
    """
    with one_line_for(context, StarterNotWritten):
        written = write_game(name, directory)
    output = context_of(context).output()
    if as_json:
        output.json({"directory": str(directory), "gameType": name, "files": written})
        return
    place = directory / "games" / name
    output.line(f"{place}: a game, {len(written)} files")
    games = f"CASINO_TABLE_GAMES={shlex.quote(str(directory.absolute()))}"
    steps = (
        ("check it", f"{games} {_PYTHON} -m casino_table --specification {name}"),
        ("play it", f"{games} casino up --game {name} --hands 10"),
        ("change it", f"{place / 'game.py'}, the rules"),
    )
    output.lines(f"  {step:<10} {line}" for step, line in steps)
