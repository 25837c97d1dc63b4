"""Command `casino key`: generate a key and print it or write it to a file."""

from pathlib import Path
from typing import Annotated

import typer
from casino_agentkit import new_key
from casino_agentkit.process.secret_keys import service_key
from casino_contracts.lobby_messages import Service

from casino.commands.context import context_of, operator_key
from casino.operator_key import write_key


def key(
    context: typer.Context,
    file: Annotated[
        Path | None,
        typer.Option(
            help="Write the key to this new file, readable only by you, instead of printing it."
        ),
    ] = None,
    service: Annotated[
        Service | None,
        typer.Option(
            "--for",
            help="Derive the key of this service from the operator's, CASINO_OPERATOR_TOKEN.",
        ),
    ] = None,
) -> None:
    """Generate a key of 256 random bits, for a lobby's operator or for its tables.

    As the operator's key: set CASINO_LOBBY_OPERATOR_TOKEN of the lobby to it, and
    CASINO_OPERATOR_TOKEN where you run this program.
    Gateway, evaluator, dealer and match service get keys that are derived from it, by --for, in
    CASINO_GATEWAY_OPERATOR_TOKEN and so on: each opens what that service needs, and no more.

    As the key that a lobby and its tables share: set CASINO_LOBBY_FLEET_KEY
    and CASINO_TABLE_FLEET_KEY to it.

    Each of these settings with _FILE appended names a file that holds the key.
    """
    made = new_key()
    if service is not None:
        operators = operator_key(context)
        if operators.value is None:
            raise typer.BadParameter(f"set {operators.setting} to the operator's key")
        made = service_key(operators.value, service)
    if file is None:
        context_of(context).output().line(made)
        return
    try:
        write_key(file, made)
    except OSError as error:
        reason = "already exists" if isinstance(error, FileExistsError) else error.strerror
        typer.echo(f"{context.command_path}: {file}: {reason}", err=True)
        raise typer.Exit(1) from error
