"""Shared parts of the commands: options, access to the lobby, exit codes."""

import asyncio
import os
import signal
import ssl
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypeVar

import httpx
import typer
from casino_agentkit import InvalidSecret
from casino_agentkit.errors import InvalidTls
from casino_agentkit.tls import client_context
from casino_agentkit.violations import violations_of
from casino_contracts.base import Url
from casino_lobby_client.errors import CallFailed
from pydantic import TypeAdapter, ValidationError

from casino.lobby_api import LobbyApi
from casino.operator_key import CONSOLE_KEY, OperatorKey
from casino.output import Output

ResultT = TypeVar("ResultT")

LOBBY_URL = "http://127.0.0.1:4000"
AUTHORITIES = "CASINO_TLS_CA"
"""Variable with the path of a PEM file of authorities to trust for the lobby's certificate."""
_URL: TypeAdapter[str] = TypeAdapter(Url)
_UNTYPED = " run"
"""The command that `casino match BOT BOT` stands for, which nobody has to type."""
_CTRL_C, _TERMINATED = 128 + signal.SIGINT, 128 + signal.SIGTERM


@dataclass(frozen=True)
class CliContext:
    """Dependencies of the commands, which tests replace: transport, output, environment."""

    transport: httpx.AsyncBaseTransport | None = None
    output: Callable[[], Output] = Output
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)


def url(text: str) -> str:
    """Check a URL; raises BadParameter."""
    try:
        return _URL.validate_python(text)
    except ValidationError as error:
        raise typer.BadParameter(f"{text}: {message_of(error)}") from error


def url_or_none(text: str | None) -> str | None:
    return None if text is None else url(text)


LobbyUrl = Annotated[
    str,
    typer.Option(
        "--lobby", envvar="CASINO_CONSOLE_LOBBY_URL", callback=url, help="The lobby's URL."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Write one JSON document, on one line.")]
AsJsonLines = Annotated[bool, typer.Option("--json", help="Write one JSON object per line.")]
RoomId = Annotated[str, typer.Argument(metavar="ROOM", help="The room's id.")]


def context_of(context: typer.Context) -> CliContext:
    return context.find_object(CliContext) or CliContext()


def operator_key(context: typer.Context, setting: str = CONSOLE_KEY) -> OperatorKey:
    """Return the operator's key of a setting; raises BadParameter."""
    try:
        return OperatorKey.from_environment(context_of(context).environment, setting)
    except InvalidSecret as error:
        raise typer.BadParameter(str(error)) from error


@contextmanager
def one_line_for(context: typer.Context, *errors: type[Exception], code: int = 1) -> Iterator[None]:
    """Write one of these errors as one line on standard error, and end with the exit code."""
    try:
        yield
    except errors as error:
        typer.echo(f"{context.command_path.removesuffix(_UNTYPED)}: {error}", err=True)
        raise typer.Exit(code) from error


def at_lobby(
    context: typer.Context, lobby: str, work: Callable[[LobbyApi], Awaitable[ResultT]]
) -> ResultT:
    """Run `work` with a client of the lobby and return its result; ends as `run_command`."""
    key = operator_key(context)
    trust = trusted(context)

    async def run() -> ResultT:
        api = LobbyApi(lobby, context_of(context).transport, key, trust)
        try:
            return await work(api)
        finally:
            await api.close()

    return run_command(context, run)


def run_command(
    context: typer.Context, work: Callable[[], Coroutine[Any, Any, ResultT]]
) -> ResultT:
    """Run `work` until it ends or the process is asked to, and return its result.

    A CallFailed becomes one line on standard error and exit code 1.
    """

    async def run() -> ResultT:
        task = asyncio.ensure_future(work())
        if threading.current_thread() is threading.main_thread():
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        return await task

    try:
        with one_line_for(context, CallFailed):
            return asyncio.run(run())
    except KeyboardInterrupt as stop:
        raise typer.Exit(_CTRL_C) from stop
    except asyncio.CancelledError as stop:
        raise typer.Exit(_TERMINATED) from stop


def trusted(context: typer.Context) -> ssl.SSLContext | None:
    """Return a TLS context with additional authorities, or None if none are configured."""
    path = context_of(context).environment.get(AUTHORITIES)
    try:
        return client_context(Path(path)) if path else None
    except InvalidTls as error:
        raise typer.BadParameter(f"{AUTHORITIES}: {error}") from error


def wrong_option(error: ValidationError, options: dict[str, str]) -> typer.BadParameter:
    """Return the first validation error as a BadParameter; `options` maps fields to options."""
    field, _, _ = violations_of(error)[0].field.partition(".")
    name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in field)
    return typer.BadParameter(message_of(error), param_hint=options.get(name, field))


def message_of(error: ValidationError) -> str:
    return violations_of(error)[0].message
