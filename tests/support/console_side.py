"""The console in this process, and event streams that follow a script."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass
from io import StringIO
from typing import Any

import httpx
from casino.__main__ import app
from casino.commands.context import CliContext
from casino.output import Output
from casino_contracts import TableEvent, WireModel
from rich.console import Console
from typer.testing import CliRunner

from support.casino.casino_side import LOBBY, CasinoHarness

NOW = "2026-11-20T19:43:00.000Z"


class ToLoop(httpx.AsyncBaseTransport):
    """The way from a command, which runs a loop of its own in a thread, to the test's lobby."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self._inner = inner
        self._loop = asyncio.get_running_loop()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Go there and back."""
        await request.aread()
        there = asyncio.run_coroutine_threadsafe(self._send(request), self._loop)
        return await asyncio.wrap_future(there)

    async def _send(self, request: httpx.Request) -> httpx.Response:
        reply = await self._inner.handle_async_request(request)
        content = await reply.aread()
        return httpx.Response(reply.status_code, headers=reply.headers, content=content)


@dataclass(frozen=True)
class Ended:
    """What a command left."""

    exit_code: int
    stdout: str
    stderr: str


def _refuse(request: httpx.Request) -> httpx.Response:
    raise AssertionError(f"a request was sent: {request.url}")


NOBODY = httpx.MockTransport(_refuse)
"""A lobby that must not be asked."""


async def casino(
    *arguments: str,
    to: httpx.AsyncBaseTransport = NOBODY,
    url: str | None = LOBBY,
    width: int | None = None,
    environment: Mapping[str, str] | None = None,
) -> Ended:
    """Run a command as from a shell, with a pipe for its output, or a terminal of some width.

    `environment` is where it looks for its key.

    What it writes goes to a paper of its own: the lobby in this process logs to standard output.
    """
    written = StringIO()

    def paper() -> Output:
        terminal = {"force_terminal": True, "width": width, "color_system": None}
        options: dict[str, Any] = terminal if width else {"force_terminal": False}
        return Output(Console(file=written, highlight=False, **options))

    result = await asyncio.to_thread(
        CliRunner().invoke,
        app,
        list(arguments),
        obj=CliContext(ToLoop(to), paper, environment or {}),
        env={"CASINO_CONSOLE_LOBBY_URL": url},
        prog_name="casino",
    )
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
    return Ended(result.exit_code, written.getvalue(), result.stderr)


async def at_lobby(network: CasinoHarness, *arguments: str, **environment: str) -> Ended:
    """Run a command at the lobby of a network."""
    lobby = httpx.ASGITransport(network.transport.apps[LOBBY], raise_app_exceptions=False)
    return await casino(*arguments, to=lobby, environment=environment)


def drawn(renderable: Any, width: int = 100, height: int = 40) -> str:
    """Return what a terminal of that size would show, without its colours."""
    console = Console(width=width, height=height, color_system=None, legacy_windows=False)
    with console.capture() as capture:
        console.print(renderable)
    return capture.get()


def sse(name: str, data: WireModel | str, last_id: int | None = None) -> bytes:
    """Return an event as a lobby writes it."""
    text = data if isinstance(data, str) else data.wire().decode()
    number = "" if last_id is None else f"id: {last_id}\r\n"
    return f"{number}event: {name}\r\ndata: {text}\r\n\r\n".encode()


Piece = bytes | Exception


class _Script(httpx.AsyncByteStream):
    def __init__(self, pieces: Iterable[Piece]) -> None:
        self._pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            if isinstance(piece, Exception):
                raise piece
            yield piece


class StreamStub(httpx.AsyncBaseTransport):
    """A lobby that only streams: one script per connection, each a list of pieces or a reply."""

    def __init__(self, *scripts: Iterable[Piece] | httpx.Response | Exception) -> None:
        self.asked: list[httpx.Request] = []
        self._scripts = list(scripts)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Play the next script."""
        self.asked.append(request)
        script = self._scripts.pop(0)
        if isinstance(script, Exception):
            raise script
        if isinstance(script, httpx.Response):
            return script
        headers = {"content-type": "text/event-stream; charset=utf-8"}
        return httpx.Response(200, headers=headers, stream=_Script(script))


def event(kind: str, message: str = "it happened", /, **payload: Any) -> TableEvent:
    """Return an event of table t1."""
    return TableEvent.model_validate(
        {
            "tableId": "t1",
            "eventType": kind,
            "message": message,
            "timestamp": NOW,
            "payload": payload,
            "epoch": 1,
        }
    )
