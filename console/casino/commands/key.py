"""`casino key`: a new key, printed or kept in a file."""

import os
from pathlib import Path
from typing import Annotated

import typer
from casino_agentkit import new_key

from casino.commands.context import desk_of

_ONLY_MINE = 0o600


def key(
    context: typer.Context,
    file: Annotated[
        Path | None,
        typer.Option(
            help="Write it to this new file, which only you can read, instead of printing it."
        ),
    ] = None,
) -> None:
    """Make a new key of 256 random bits, for a lobby's operator or for its tables.

    The operator's key: set CASINO_LOBBY_OPERATOR_TOKEN of the lobby to it.

    Who commands with this program sets CASINO_OPERATOR_TOKEN to it, too;
    `casino deal` reads it from CASINO_DEALER_OPERATOR_TOKEN.

    The key that a lobby and its tables share: set CASINO_LOBBY_FLEET_KEY
    and CASINO_TABLE_FLEET_KEY to it.

    Each of these settings with _FILE at its end names a file that holds it.
    """
    if file is None:
        desk_of(context).paper().line(new_key())
        return
    try:
        # The mode is the file's from its first moment on; one that is there is somebody's key.
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _ONLY_MINE)
    except OSError as error:
        why = "is there already" if isinstance(error, FileExistsError) else error.strerror
        typer.echo(f"{context.command_path}: {file}: {why}", err=True)
        raise typer.Exit(1) from error
    with os.fdopen(descriptor, "w", encoding="ascii") as written:
        os.fchmod(descriptor, _ONLY_MINE)
        written.write(new_key() + "\n")
