"""Hostile replies to a call, and to requests for an agent card."""

import asyncio
import gzip
import itertools
import json
import socket
import struct
import zlib
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any, Final

from support.envelopes import EXTENSION, Call, with_deep_data

Attack = Callable[[asyncio.StreamReader, asyncio.StreamWriter, Call], Awaitable[None]]
CardAttack = Callable[[asyncio.StreamWriter, str, str], Awaitable[None]]
"""Takes the base URL of the agent, and the path that is asked for."""
OK: Final = b"HTTP/1.1 200 OK\r\n"
CHUNKED: Final = OK + b"Transfer-Encoding: chunked\r\n\r\n"
FOLD: Final[dict[str, Any]] = {"action": "fold"}
MEGABYTE: Final = 2**20
_ANY_ID: Final = "the id of a call"


def http(body: bytes, status: bytes = b"200 OK", *headers: bytes) -> bytes:
    """Return a whole HTTP reply."""
    lines = [b"HTTP/1.1 " + status, b"Content-Length: %d" % len(body), *headers]
    return b"\r\n".join([*lines, b"", body])


def dumps(value: Any) -> bytes:
    return json.dumps(value).encode()


async def written(writer: asyncio.StreamWriter, piece: bytes) -> None:
    """Send bytes; raises ConnectionError where the other side has gone."""
    if writer.is_closing():
        raise ConnectionResetError
    writer.write(piece)
    await writer.drain()


def says(make: Callable[[Call], bytes]) -> Attack:
    """Return the attack that sends one body in a well-formed reply; it is made once."""
    made = cache(lambda binding: make(Call(binding, _ANY_ID)))

    async def attack(_: asyncio.StreamReader, writer: asyncio.StreamWriter, call: Call) -> None:
        own_id = json.dumps(call.call_id).encode()
        writer.write(http(made(call.binding).replace(json.dumps(_ANY_ID).encode(), own_id, 1)))

    return attack


def sends(*pieces: bytes, every_s: float = 0.0, repeat: bytes = b"") -> Attack:
    """Return the attack that sends bytes, with pauses, then one piece endlessly."""

    async def attack(_: asyncio.StreamReader, writer: asyncio.StreamWriter, _call: Call) -> None:
        for piece in itertools.chain(pieces, itertools.repeat(repeat) if repeat else ()):
            await written(writer, piece)
            if every_s:
                await asyncio.sleep(every_s)  # virtual: the attack

    return attack


async def drip(_: asyncio.StreamReader, writer: asyncio.StreamWriter, call: Call) -> None:
    """Send a correct answer, one byte every 20 ms."""
    for byte in http(dumps(call.answer(FOLD)) + b" " * 10_000):
        await written(writer, bytes([byte]))
        await asyncio.sleep(0.02)  # virtual: the attack


async def hang(reader: asyncio.StreamReader, _: asyncio.StreamWriter, _call: Call) -> None:
    """Send nothing until the caller disconnects."""
    await reader.read(1)
    raise ConnectionError


async def reset(_: asyncio.StreamReader, writer: asyncio.StreamWriter, _call: Call) -> None:
    """Reset the connection."""
    connection: socket.socket = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
    raise ConnectionError


def deep(depth: int) -> Attack:
    """Return the attack whose answer is nested."""
    return says(
        lambda call: with_deep_data(
            call, b'{"move":' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"
        )
    )


def text(content: str) -> Attack:
    """Return the attack whose answer is a text part."""
    return says(lambda call: dumps(call.text(content)))


def bomb(encoding: bytes, packed: bytes) -> Attack:
    """Return the attack whose reply is compressed."""
    return sends(http(packed, b"200 OK", b"Content-Encoding: " + encoding))


def gzipped(size: int) -> bytes:
    """Return compressed zeros."""
    return gzip.compress(b"\0" * size, 9, mtime=0)


def refusal(message: Any, reason: Any, errors: Any) -> Attack:
    """Return the attack that refuses with any message, reason and errors."""

    async def attack(_: asyncio.StreamReader, writer: asyncio.StreamWriter, call: Call) -> None:
        status, body = call.refusal(message, reason, errors)
        writer.write(http(dumps(body), b"%d X" % status))

    return attack


def working(**fields: Any) -> Attack:
    """Return the attack whose task is never finished."""
    return says(lambda call: dumps(call.task("working", **fields)))


SPOOFED = "no\u202e\x1b]0;\n" * 8_000
ATTACKS: dict[str, Attack] = {
    "honest": says(lambda call: dumps(call.answer(FOLD))),
    "under-raise": says(lambda call: dumps(call.answer({"action": "raise", "amount": 1}))),
    "hang": hang,
    "reset": reset,
    "drip": drip,
    "drip-head": sends(OK, repeat=b"X: y\r\n", every_s=0.02),
    "drip-chunks": sends(CHUNKED, repeat=b"1\r\n \r\n", every_s=0.02),
    "endless-body": sends(OK + b"Connection: close\r\n\r\n", repeat=b"x" * 65_536),
    "endless-chunks": sends(CHUNKED, repeat=b"10000\r\n" + b"x" * 65_536 + b"\r\n"),
    "endless-headers": sends(OK, repeat=b"X: y\r\n" * 5_000),
    "endless-header": sends(OK + b"X: ", repeat=b"y" * 65_536),
    "endless-informational": sends(repeat=b"HTTP/1.1 100 Continue\r\n\r\n" * 5_000),
    "endless-hints": sends(repeat=b"HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n" * 5_000),
    "endless-tiny-chunks": sends(CHUNKED, repeat=b"1\r\n \r\n" * 20_000),
    "endless-chunk-extension": sends(CHUNKED + b"1;", repeat=b"x" * 65_536),
    "endless-trailers": sends(CHUNKED + b"0\r\n", repeat=b"X: y\r\n" * 5_000),
    "endless-replies": sends(repeat=http(b"{}") * 5_000),
    "gzip-bomb": bomb(b"gzip", gzipped(32 * MEGABYTE)),
    "deflate-bomb": bomb(b"deflate", zlib.compress(b"\0" * 32 * MEGABYTE, 9)),
    "br-bomb": bomb(b"br", b"\0" * 200_000),
    "zstd-bomb": bomb(b"zstd", b"\x28\xb5\x2f\xfd" + b"\0" * 200_000),
    "twice-gzipped": bomb(b"gzip, gzip", gzip.compress(gzipped(32 * MEGABYTE))),
    **{f"nested-{depth}": deep(depth) for depth in (33, 200, 254, 255, 1_000, 100_000)},
    "line-breaks": text("```" + "\n" * (MEGABYTE // 2 - 500)),
    "fences": text("```\n" * (MEGABYTE // 5 - 500)),
    "back-ticks": text("`" * (MEGABYTE - 500)),
    "opening-braces": text("{" * (MEGABYTE - 500)),
    "closed-braces": text("{a}" * (MEGABYTE // 3 - 500)),
    "braces-apart": text("{" + " " * (MEGABYTE - 500) + "}"),
    "objects-in-text": text('{"a":1}' * (MEGABYTE // 9 - 500)),
    "many-lists": says(lambda call: with_deep_data(call, b"[" + b"[]," * 340_000 + b"[]]")),
    "many-numbers": says(lambda call: with_deep_data(call, b"[" + b"1," * 500_000 + b"1]")),
    "many-keys": says(
        lambda call: with_deep_data(
            call, b"{" + b",".join(b'"%x":1' % n for n in range(100_000)) + b"}"
        )
    ),
    "many-parts": says(lambda call: dumps(call.message(*[call.part("data", {})] * 30_000))),
    "many-texts": says(lambda call: dumps(call.message(*[call.part("text", "{a}")] * 30_000))),
    "some-lists": says(lambda call: with_deep_data(call, b"[" + b"[]," * 19_000 + b"[]]")),
    "some-parts": says(lambda call: dumps(call.message(*[call.part("data", {})] * 9_000))),
    "some-texts": says(lambda call: dumps(call.message(*[call.part("text", "{a}")] * 9_000))),
    "large-answer": says(lambda call: dumps(call.answer({"move": "x" * (MEGABYTE - 500)}))),
    "large-text": says(lambda call: dumps(call.text("x" * (MEGABYTE - 500)))),
    "wide-text": says(lambda call: json.dumps(call.text("x" * 900_000 + "😀")).encode()),
    "wide-data": says(lambda call: json.dumps(call.answer("x" * 900_000 + "😀")).encode()),
    "long-number": says(lambda call: with_deep_data(call, b"9" * 900_000)),
    "long-context": says(
        lambda call: dumps(
            call.message(call.part("data", FOLD), contextId="c" * (MEGABYTE - 500))
        )
    ),
    "refusal": refusal(SPOOFED, "ROOM_CLOSED\u202e<script>", [{"field": SPOOFED, "message": "x"}]),
    "many-faults": refusal("no", "NO", [{"field": "f", "message": "m"}] * 15_000),
    "odd-refusal": refusal({"a": ["b"] * 10_000}, ["NO"] * 10, {"f": "m"}),
    "working": working(),
    "working-long-id": working(id="t" * 500_000),
    "working-path": working(id="../../../admin?x=#"),
    "working-history": working(history=[{"messageId": "m", "role": "agent", "parts": []}] * 5_000),
    "garbage": sends(b"\x00\xff<<<>>>" * 20_000),
    "not-http": sends(b"SSH-2.0-OpenSSH\r\n\r\n"),
    "no-json": sends(http(b"<html>")),
    "huge-length": sends(OK + b"Content-Length: 99999999999\r\n\r\n{"),
    "two-lengths": sends(OK + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"),
    "switching": sends(
        b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", repeat=b"x" * 65_536
    ),
}  # fmt: skip

# Cards.


async def slow_redirect(writer: asyncio.StreamWriter, base: str, path: str) -> None:
    """Answer each request for a card just before its timeout, with another redirect."""
    await asyncio.sleep(0.25)  # virtual: the attack
    writer.write(http(b"", b"302 Found", f"Location: {base}/{len(path)}.json".encode()))


async def slow_nothing(writer: asyncio.StreamWriter, _base: str, _path: str) -> None:
    """Answer each request for a card late, with an empty object and 404."""
    await asyncio.sleep(0.25)  # virtual: the attack
    writer.write(http(b"{}", b"404 Not Found"))


async def dripping_card(writer: asyncio.StreamWriter, _base: str, _path: str) -> None:
    """Send an endless card."""
    writer.write(CHUNKED)
    while True:
        await written(writer, b"1\r\n \r\n")
        await asyncio.sleep(0.02)  # virtual: the attack


async def wide_card(writer: asyncio.StreamWriter, base: str, _path: str) -> None:
    """Send a card with very many values."""
    writer.write(_wide_card(base))


@cache
def _wide_card(base: str) -> bytes:
    params = {"games": [{"a": n} for n in range(15_000)]}
    interface = {"url": f"{base}/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
    card = {
        "name": "Wide",
        "supportedInterfaces": [interface] * 1_000,
        "capabilities": {"extensions": [{"uri": EXTENSION, "params": params}]},
        "skills": [{"id": f"s{n}"} for n in range(3_000)],
    }
    return http(dumps(card))


CARD_ATTACKS: dict[str, CardAttack] = {
    "card-redirects": slow_redirect,
    "card-missing": slow_nothing,
    "card-drips": dripping_card,
    "card-wide": wide_card,
}
