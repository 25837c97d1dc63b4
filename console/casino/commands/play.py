"""Command `casino play`: sit down at a table, over the Boardgame Protocol.

With `--a2g` a sample player sits down instead, at an A2G server.
"""

import getpass
from typing import Annotated

import typer

from casino.commands.context import context_of, run_command, trusted, url
from casino.gateway_api import GatewayApi
from casino.typed_choices import typed_lines
from casino.typed_session import Style, play_as_agent
from casino.typed_session import play as play_at

GATEWAY_URL = "http://127.0.0.1:4050"


def _own_name() -> str:
    try:
        return getpass.getuser()
    except OSError:  # a user without an entry
        return "Guest"


def play(
    context: typer.Context,
    room: Annotated[
        str | None, typer.Argument(metavar="ROOM", help="The room's id. Default: one with players.")
    ] = None,
    gateway: Annotated[
        str,
        typer.Option(
            "--gateway",
            envvar="CASINO_CONSOLE_GATEWAY_URL",
            callback=url,
            help="The gateway's URL.",
        ),
    ] = GATEWAY_URL,
    name: Annotated[
        str | None, typer.Option("--name", help="Your name at the table. Default: the user's.")
    ] = None,
    buy_in: Annotated[
        float | None, typer.Option("--buy-in", help="Your chips. Default: the room's.")
    ] = None,
    a2g: Annotated[
        str | None,
        typer.Option("--a2g", metavar="URL", help="Let a sample player play at this A2G server."),
    ] = None,
    style: Annotated[
        Style, typer.Option("--style", help="With --a2g: the player, generic or llm.")
    ] = "generic",
    a2g_token: Annotated[
        str | None,
        typer.Option(
            "--a2g-token",
            envvar="CASINO_CONSOLE_A2G_TOKEN",
            help="With --a2g: the token of the login there. Default: a guest.",
        ),
    ] = None,
) -> None:
    """Sit down in a room and play by typing, until its session ends, `quit` or Ctrl-C."""
    if a2g is not None:
        _play_as_agent(context, url(a2g), style, a2g_token, room, name)
        return
    output = context_of(context).output()

    async def work() -> None:
        api = GatewayApi(gateway, context_of(context).transport, trusted(context))
        try:
            await play_at(api, output, typed_lines(), room, name=name or _own_name(), buy_in=buy_in)
        finally:
            await api.close()

    run_command(context, work)


def _play_as_agent(
    context: typer.Context,
    server: str,
    style: Style,
    token: str | None,
    room: str | None,
    name: str | None,
) -> None:
    """Let a sample player play at an A2G server; exits with its code if it fails."""
    environment = context_of(context).environment
    code = run_command(
        context,
        lambda: play_as_agent(server, environment, style=style, token=token, room=room, name=name),
    )
    if code:
        raise typer.Exit(code)
