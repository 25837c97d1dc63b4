"""The library of matches, which is an extra: it is imported when a command needs it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from casino.commands.context import context_of

if TYPE_CHECKING:
    from casino.match.session import MatchSession

_EXTRA = frozenset({"casino_match", "numpy", "treys"})
"""What the extra `match` installs."""


@contextmanager
def with_matches(context: typer.Context) -> Iterator[None]:
    """Write what a match cannot do as one line on standard error, with exit code 1.

    So is a missing extra.
    """
    try:
        from casino_match.errors import MatchError  # noqa: PLC0415  an extra
    except ModuleNotFoundError as error:
        raise _missing(context, error) from error
    try:
        yield
    except MatchError as error:
        typer.echo(f"{context.command_path}: {error}", err=True)
        raise typer.Exit(1) from error
    except ModuleNotFoundError as error:
        raise _missing(context, error) from error


@contextmanager
def playing(context: typer.Context, *, as_json: bool) -> Iterator["MatchSession"]:
    """Provide what plays matches, for a command."""
    with with_matches(context):
        from rich.console import Console  # noqa: PLC0415  as the session

        from casino.match.session import MatchSession  # noqa: PLC0415  needs the extra

        yield MatchSession(context_of(context).output(), Console(stderr=True), as_json)


def _missing(context: typer.Context, error: ModuleNotFoundError) -> Exception:
    """Return how the command ends without a module: only that of the extra is explained."""
    if error.name is None or error.name.partition(".")[0] not in _EXTRA:
        return error
    typer.echo(
        f"{context.command_path}: {error.name} is not installed: pip install 'a2a-casino[match]'",
        err=True,
    )
    return typer.Exit(1)
