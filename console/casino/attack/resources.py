"""Attacks that use a casino up, in bounded short forms."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import orjson

from casino.attack.attack import attack
from casino.attack.bindings import HEADERS
from casino.attack.outcome import Outcome, not_applicable, refused, succeeded
from casino.attack.target import Target
from casino.attack.traffic import NoAnswer

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]

_IDLE = 300
_STREAMS = 60
_HEADER_BYTES = 1024 * 1024
_HEADER_S = 14.0
_LINE = b"X-Mallory: " + b"m" * 2000 + b"\r\n"
_DEEP = 100_000
_NO_SOCKETS = "there is no network here"


@asynccontextmanager
async def _connections(target: Target, wanted: int) -> AsyncIterator[list[Connection]]:
    """Open connections to the lobby, as many as it takes."""
    opened: list[Connection] = []
    try:
        for _ in range(wanted):
            try:
                opened.append(await target.traffic.connect(target.lobby.origin))
            except NoAnswer:
                break
        yield opened
    finally:
        for _, writer in opened:
            writer.transport.abort()


async def _are_open(target: Target, connections: list[Connection], seconds: float) -> int:
    """Return how many connections the other side has neither closed nor answered."""
    said = await asyncio.gather(
        *(target.traffic.read(reader, seconds) for reader, _ in connections)
    )
    return sum(data is None for data in said)


@attack("resources", "H6")
async def hold_idle_connections(target: Target) -> Outcome:
    """Open many connections from one address that say nothing."""
    if not target.traffic.has_sockets:
        return not_applicable(_NO_SOCKETS)
    async with _connections(target, _IDLE) as opened:
        still_open = await _are_open(target, opened, 1.0)
        answers = await target.is_alive()
    if not answers:
        return succeeded(f"with {still_open} idle connections the lobby answers nobody")
    if still_open == _IDLE:
        return succeeded(f"all of {_IDLE} idle connections of one address were let stand")
    return refused(f"{still_open} of {_IDLE} idle connections were let stand, and it answers")


@attack("resources", "H6", is_slow=True)
async def send_slow_header(target: Target) -> Outcome:
    """Send a request's header byte by byte and never end it."""
    if not target.traffic.has_sockets:
        return not_applicable(_NO_SOCKETS)
    reader, writer = await target.traffic.connect(target.lobby.origin)
    began = time.monotonic()
    try:
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        while time.monotonic() - began < _HEADER_S:
            writer.write(b"m")
            said = await target.traffic.read(reader, 0.5)
            if said is not None:
                return refused(f"it was cut off after {time.monotonic() - began:.0f} s")
    finally:
        writer.transport.abort()
    return succeeded(f"after {_HEADER_S:.0f} s it was still listened to")


@attack("resources", "H7")
async def send_endless_header(target: Target) -> Outcome:
    """Send one request with a megabyte of headers."""
    if not target.traffic.has_sockets:
        return not_applicable(_NO_SOCKETS)
    reader, writer = await target.traffic.connect(target.lobby.origin)
    sent = 0
    try:
        host = urlsplit(target.lobby.origin).netloc.encode()
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: " + host + b"\r\n")
        while sent < _HEADER_BYTES:
            writer.write(_LINE * 16)
            sent += 16 * len(_LINE)
            await writer.drain()
            said = await target.traffic.read(reader, 0.01)
            if said is not None:
                return refused(f"it was cut off after {sent // 1024} KiB")
        said = await target.traffic.read(reader, 1.0)
    except OSError:
        return refused(f"it was cut off after {sent // 1024} KiB")
    finally:
        writer.transport.abort()
    if said is not None:
        return refused(f"it was cut off after {sent // 1024} KiB")
    return succeeded(f"{sent // 1024} KiB of headers were read, and more was waited for")


@attack("resources", "H8")
async def hold_many_streams(target: Target) -> Outcome:
    """Follow the lobby by many streams at a time from one address."""
    if not target.traffic.has_sockets:
        return not_applicable(_NO_SOCKETS)
    host = urlsplit(target.lobby.origin).netloc.encode()
    async with _connections(target, _STREAMS) as opened:
        for _, writer in opened:
            writer.write(b"GET /v1/stream HTTP/1.1\r\nHost: " + host + b"\r\n\r\n")
        heads = await asyncio.gather(*(target.traffic.read(reader, 3.0) for reader, _ in opened))
    streams = sum((head or b"").startswith(b"HTTP/1.1 200") for head in heads)
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
    send_slow_header,
    send_endless_header,
    hold_many_streams,
    send_deep_body,
)
