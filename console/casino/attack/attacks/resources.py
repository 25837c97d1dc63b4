"""Attacks that use a casino up, in bounded short forms."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from urllib.parse import urlsplit

import orjson

from casino.attack.attack import attack
from casino.attack.attacks.traffic import NoAnswer
from casino.attack.bindings import HEADERS
from casino.attack.connection import Connection
from casino.attack.outcome import Outcome, not_applicable, refused, succeeded
from casino.attack.target import Target

_IDLE = 300
_SILENT = 8
_STREAMS = 60
_HEADER_BYTES = 1024 * 1024
_PATIENCE_S = 14.0
"""So long a connection that says nothing, or does not end its header, is watched."""
_LINE = b"X-Mallory: " + b"m" * 2000 + b"\r\n"
_DEEP = 100_000
_NO_SOCKETS = "there is no network here"
_OK, _FULL = b"HTTP/1.1 200", b"HTTP/1.1 503"


@asynccontextmanager
async def _connections(target: Target, wanted: int) -> AsyncIterator[list[Connection]]:
    """Open connections to the lobby, as many as it takes."""
    async with AsyncExitStack() as stack:
        opened: list[Connection] = []
        for _ in range(wanted):
            try:
                connected = target.traffic.connected(target.lobby.origin)
                opened.append(await stack.enter_async_context(connected))
            except NoAnswer:
                break
        yield opened


def _request(target: Target, path: str) -> bytes:
    """Return the beginning of a request to the lobby, without the end of its header."""
    host = urlsplit(target.lobby.origin).netloc.encode()
    return b"GET " + path.encode() + b" HTTP/1.1\r\nHost: " + host + b"\r\n"


async def _answer(target: Target) -> bytes:
    """Return how the lobby answers on a new connection, b"" where it does not."""
    try:
        async with target.traffic.connected(target.lobby.origin) as connection:
            await connection.send(_request(target, "/healthz") + b"\r\n")
            return await connection.hear(5.0) or b""
    except NoAnswer:
        return b""


async def _are_silent(connections: list[Connection], seconds: float) -> int:
    """Return how many connections the other side has neither closed nor answered after a time."""
    heard = await asyncio.gather(*(one.hear(seconds) for one in connections))
    return sum(data is None for data in heard)


@attack("resources", "H6")
async def hold_idle_connections(target: Target) -> Outcome:
    """Open many connections from one address that say nothing, and so lock everybody else out."""
    if not target.traffic.has_sockets:
        return not_applicable(_NO_SOCKETS)
    async with _connections(target, _IDLE) as opened:
        held = await _are_silent(opened, 1.0)
        answer = await _answer(target)
    if answer.startswith(_OK):
        return refused(f"with {held} of {_IDLE} idle connections the lobby still answers")
    if answer.startswith(_FULL):
        return refused(f"after {held} idle connections the lobby takes no more of this address")
    return succeeded(f"with {held} idle connections the lobby answers nobody")


@attack("resources", "H6", is_slow=True)
async def stay_silent(target: Target) -> Outcome:
    """Open connections, say nothing, and so hold their places for ever."""
    if not target.traffic.has_sockets:
        return not_applicable(_NO_SOCKETS)
    async with _connections(target, _SILENT) as opened:
        if not opened:
            return not_applicable("the lobby takes no connection")
        held = await _are_silent(opened, _PATIENCE_S)
    if held:
        return succeeded(f"{held} of {len(opened)} were still open after {_PATIENCE_S:.0f} s")
    return refused(f"all of {len(opened)} were closed within {_PATIENCE_S:.0f} s")


@attack("resources", "H6", is_slow=True)
async def send_slow_header(target: Target) -> Outcome:
    """Send a request's header byte by byte and never end it."""
    if not target.traffic.has_sockets:
        return not_applicable(_NO_SOCKETS)
    async with target.traffic.connected(target.lobby.origin) as connection:
        began = time.monotonic()
        is_taken = await connection.send(_request(target, "/healthz") + b"X-Slow: ")
        while is_taken and time.monotonic() - began < _PATIENCE_S:
            is_taken = await connection.send(b"m") and await connection.hear(0.5) is None
        if not is_taken:
            return refused(f"it was cut off after {time.monotonic() - began:.0f} s")
    return succeeded(f"after {_PATIENCE_S:.0f} s it was still listened to")


@attack("resources", "H7")
async def send_endless_header(target: Target) -> Outcome:
    """Send one request with a megabyte of headers."""
    if not target.traffic.has_sockets:
        return not_applicable(_NO_SOCKETS)
    sent = 0
    async with target.traffic.connected(target.lobby.origin) as connection:
        is_taken = await connection.send(_request(target, "/healthz"))
        while is_taken and sent < _HEADER_BYTES:
            is_taken = await connection.send(_LINE * 16) and await connection.hear(0.01) is None
            sent += 16 * len(_LINE)
        if not is_taken or await connection.hear(1.0) is not None:
            return refused(f"it was cut off after {sent // 1024} KiB")
    return succeeded(f"{sent // 1024} KiB of headers were read, and more was waited for")


@attack("resources", "H8")
async def hold_many_streams(target: Target) -> Outcome:
    """Follow the lobby by many streams at a time from one address."""
    if not target.traffic.has_sockets:
        return not_applicable(_NO_SOCKETS)
    async with _connections(target, _STREAMS) as opened:
        for one in opened:
            await one.send(_request(target, "/v1/stream") + b"\r\n")
        heads = await asyncio.gather(*(one.hear(3.0) for one in opened))
    streams = sum((head or b"").startswith(_OK) for head in heads)
    if streams == _STREAMS:
        return succeeded(f"all of {_STREAMS} streams of one address were given")
    return refused(f"{streams} of {_STREAMS} streams were given")


@attack("input", "M12")
async def send_deep_body(target: Target) -> Outcome:
    """Send bodies of JSON nested 100,000 deep, and see what the fault tells."""
    deep = b'{"a":' * _DEEP + b"1" + b"}" * _DEEP
    paths = ("/a2a/jsonrpc", "/a2a/rest/message:send")
    told: list[str] = []
    for agent in target.agents:
        for path in paths:
            try:
                answer = await target.traffic.send(
                    "POST", agent.url(path), headers=HEADERS, content=deep
                )
            except NoAnswer:
                told.append(f"{agent.name} gave no answer at {path}")
                continue
            told += _python_in(agent.name, answer.status, answer.body)
    if told:
        return succeeded(told[0])
    return refused(f"{len(target.agents) * len(paths)} bodies were refused in plain words")


def _python_in(name: str, status: int, body: bytes) -> list[str]:
    if status >= 500:  # noqa: PLR2004  the server's own faults begin there
        return [f"{name} answered with HTTP {status}"]
    words = body.lower()
    if b"recursion" in words or b"traceback" in words:
        return [f"{name} answered with Python's words"]
    try:
        error = orjson.loads(body).get("error", {})
    except (ValueError, AttributeError):
        return []
    is_internal = isinstance(error, dict) and error.get("code") == -32603  # noqa: PLR2004  JSON-RPC
    return [f"{name} answered with an internal error"] if is_internal else []


ATTACKS = (
    hold_idle_connections,
    stay_silent,
    send_slow_header,
    send_endless_header,
    hold_many_streams,
    send_deep_body,
)
