"""Where every command is handled: the options they share, how they reach a lobby, how they end."""

import asyncio
import os
import signal
import ssl
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, TypeVar

import httpx
import typer
from casino_agentkit import InvalidSecret
from casino_agentkit.tls.context import InvalidTls, client_context
from casino_contracts.base import Url
from pydantic import TypeAdapter, ValidationError

from casino.lobby_api import LobbyApi, LobbyError
from casino.operator_key import OperatorKey
from casino.output import Output

ResultT = TypeVar("ResultT")

LOBBY_URL = "http://127.0.0.1:4000"
AUTHORITIES = "CASINO_TLS_CA"
"""Names a PEM file with authorities that a lobby's certificate may be from."""
_URL: TypeAdapter[str] = TypeAdapter(Url)
_CTRL_C, _TERMINATED = 128 + signal.SIGINT, 128 + signal.SIGTERM


@dataclass(frozen=True)
class CliContext:
    """What commands work with; tests give another way to the lobby, and another environment."""

    transport: httpx.AsyncBaseTransport | None = None
    paper: Callable[[], Output] = Output
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)


def url(text: str) -> str:
    """Check a URL; raises BadParameter."""
    try:
        return _URL.validate_python(text)
    except ValidationError as error:
        raise typer.BadParameter(f"{text}: {_told(error)}") from error


LobbyUrl = Annotated[
    str,
    typer.Option(
        "--lobby", envvar="CASINO_CONSOLE_LOBBY_URL", callback=url, help="The lobby's URL."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON document, on one line.")]
AsJsonLines = Annotated[bool, typer.Option("--json", help="One JSON object per line.")]
RoomId = Annotated[str, typer.Argument(metavar="ROOM", help="The room's id.")]


def desk_of(context: typer.Context) -> CliContext:
    """Return what the command works with."""
    return context.find_object(CliContext) or CliContext()


def at_lobby(
    context: typer.Context, lobby: str, work: Callable[[LobbyApi], Awaitable[ResultT]]
) -> ResultT:
    """Do something with a lobby; whatever goes wrong is told in a line, and ends the command."""
    try:
        key = OperatorKey.found(desk_of(context).environment)
    except InvalidSecret as error:
        raise typer.BadParameter(str(error)) from error

    trusted = _trusted(desk_of(context).environment)

    async def run() -> ResultT:
        api = LobbyApi(lobby, desk_of(context).transport, key, trusted)
        task = asyncio.ensure_future(work(api))
        if threading.current_thread() is threading.main_thread():
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        try:
            return await task
        finally:
            await api.close()

    try:
        return asyncio.run(run())
    except LobbyError as error:
        typer.echo(f"{context.command_path}: {error}", err=True)
        raise typer.Exit(1) from error
    except KeyboardInterrupt as stop:
        raise typer.Exit(_CTRL_C) from stop
    except asyncio.CancelledError as stop:
        raise typer.Exit(_TERMINATED) from stop


def _trusted(environment: Mapping[str, str]) -> ssl.SSLContext | None:
    """Return whom to trust beside the system's authorities, None where no setting says so."""
    path = environment.get(AUTHORITIES)
    try:
        return client_context(Path(path)) if path else None
    except InvalidTls as error:
        raise typer.BadParameter(f"{AUTHORITIES}: {error}") from error


def wrong_option(error: ValidationError, options: dict[str, str]) -> typer.BadParameter:
    """Return what is wrong with an option; `options` are those of the fields."""
    field = str((*error.errors(include_url=False, include_input=False)[0]["loc"], "")[0])
    name = "".join(f"_{one.lower()}" if one.isupper() else one for one in field)
    return typer.BadParameter(_told(error), param_hint=options.get(name, field))


def _told(error: ValidationError) -> str:
    return error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")
