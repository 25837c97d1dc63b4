"""Commands `casino match show`, `verify` and `new`: what was played, and a plan to begin with."""

from pathlib import Path
from typing import Annotated

import typer

from casino.commands.context import AsJson, context_of
from casino.commands.match.library import with_matches

MatchDir = Annotated[Path, typer.Argument(metavar="DIR", help="The directory of the match.")]


def show(context: typer.Context, directory: MatchDir, as_json: AsJson = False) -> None:
    """Show the result of a match, or of what is played of it so far."""
    output = context_of(context).output()
    with with_matches(context):
        from casino_match.run.stored_match import StoredMatch  # noqa: PLC0415  an extra

        from casino.match.result_text import write_result  # noqa: PLC0415  as the extra

        result = StoredMatch(directory).result()
    if as_json:
        output.json(result)
    else:
        write_result(output, result)


def verify(
    context: typer.Context,
    directory: MatchDir,
    blocks: Annotated[
        int, typer.Option(min=0, help="Number of blocks to play again, of players without a wire.")
    ] = 2,
    as_json: AsJson = False,
) -> None:
    """Check a match: compute its result again, its hands, and play some of its blocks again."""
    output = context_of(context).output()
    with with_matches(context):
        from casino_match.run.verification import verify as verified  # noqa: PLC0415  an extra

        report = verified(directory, blocks)
    if as_json:
        output.json(report.as_json())
    else:
        output.lines(report.lines())
    if not report.is_right:
        raise typer.Exit(1)


def new(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The plan.")] = Path("match.toml"),
) -> None:
    """Write a plan with every field and what it means, to be changed."""
    from casino.match.template import TEMPLATE  # noqa: PLC0415  only this command needs it

    output = context_of(context).output()
    try:
        with file.open("x", encoding="utf-8") as stream:
            stream.write(TEMPLATE)
    except OSError as error:
        typer.echo(f"{context.command_path}: {file}: {error.strerror}", err=True)
        raise typer.Exit(1) from error
    output.line(f"{file}   play it: casino match {file}")
