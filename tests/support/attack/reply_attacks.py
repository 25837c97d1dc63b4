"""What a hostile agent may send in reply to a call: one function for each attack."""

import asyncio
import gzip
import itertools
import json
import random
import socket
import struct
import zlib
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any

from support.envelopes import Call, with_deep_data

Attack = Callable[[asyncio.StreamReader, asyncio.StreamWriter, Call], Awaitable[None]]
CardAttack = Callable[[asyncio.StreamReader, asyncio.StreamWriter, str, str], Awaitable[None]]

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
FOLD: dict[str, Any] = {"action": "fold"}
MEGABYTE = 2**20


def http(body: bytes, status: bytes = b"200 OK", *headers: bytes) -> bytes:
    """Return a whole HTTP reply."""
    lines = [b"HTTP/1.1 " + status, b"Content-Length: %d" % len(body), *headers]
    return b"\r\n".join([*lines, b"", body])


def dumps(value: Any) -> bytes:
    """Return JSON."""
    return json.dumps(value).encode()


def says(make: Callable[[Call], bytes]) -> Attack:
    """Return the attack that sends one body, well framed."""

    async def attack(_: asyncio.StreamReader, writer: asyncio.StreamWriter, call: Call) -> None:
        writer.write(http(make(call)))

    return attack


async def written(writer: asyncio.StreamWriter, piece: bytes) -> None:
    """Send bytes; raises ConnectionError where the other side has gone."""
    if writer.is_closing():
        raise ConnectionResetError
    writer.write(piece)
    await writer.drain()


def sends(*pieces: bytes, every_s: float = 0.0, repeat: bytes = b"") -> Attack:
    """Return the attack that sends bytes, with pauses, and then one piece for ever."""

    async def attack(_: asyncio.StreamReader, writer: asyncio.StreamWriter, _call: Call) -> None:
        for piece in itertools.chain(pieces, itertools.repeat(repeat) if repeat else ()):
            await written(writer, piece)
            if every_s:
                await asyncio.sleep(every_s)

    return attack


async def drip(_: asyncio.StreamReader, writer: asyncio.StreamWriter, call: Call) -> None:
    """Send a good answer, a byte every 20 ms."""
    for byte in http(dumps(call.answer(FOLD)) + b" " * 10_000):
        await written(writer, bytes([byte]))
        await asyncio.sleep(0.02)


async def hang(reader: asyncio.StreamReader, _: asyncio.StreamWriter, _call: Call) -> None:
    """Say nothing until the caller goes."""
    await reader.read(1)
    raise ConnectionError


async def reset(_: asyncio.StreamReader, writer: asyncio.StreamWriter, _call: Call) -> None:
    """Break the connection off."""
    connection: socket.socket = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
    raise ConnectionError


def nested(depth: int, opening: bytes = b"[", closing: bytes = b"]") -> bytes:
    """Return JSON of so many levels."""
    return opening * depth + (b"1" if opening.endswith(b":") else b"") + closing * depth


def deep(depth: int) -> Attack:
    """Return the attack whose answer is nested."""
    return says(lambda call: with_deep_data(call, b'{"move":' + nested(depth - 1) + b"}"))


def text(content: str) -> Attack:
    """Return the attack whose answer is a text part."""
    return says(lambda call: dumps(call.text(content)))


def bomb(encoding: bytes, packed: bytes) -> Attack:
    """Return the attack whose reply is packed."""
    return sends(http(packed, b"200 OK", b"Content-Encoding: " + encoding))


def gzipped(size: int) -> bytes:
    """Return a packed reply of zeros."""
    return gzip.compress(b"\0" * size, 9, mtime=0)


def refusal(message: Any, reason: Any, errors: Any) -> Attack:
    """Return the attack that refuses in words of its own."""

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
    "gzip-bomb": bomb(b"gzip", gzipped(200 * MEGABYTE)),
    "deflate-bomb": bomb(b"deflate", zlib.compress(b"\0" * 200 * MEGABYTE, 9)),
    "br-bomb": bomb(b"br", b"\0" * 200_000),
    "zstd-bomb": bomb(b"zstd", b"\x28\xb5\x2f\xfd" + b"\0" * 200_000),
    "twice-gzipped": bomb(b"gzip, gzip", gzip.compress(gzipped(50 * MEGABYTE))),
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


async def slow_redirect(
    _: asyncio.StreamReader, writer: asyncio.StreamWriter, base: str, path: str
) -> None:
    """Answer each question for a card just before the caller gives up, with another redirect."""
    await asyncio.sleep(0.25)
    writer.write(http(b"", b"302 Found", f"Location: {base}/{len(path)}.json".encode()))


async def slow_nothing(
    _: asyncio.StreamReader, writer: asyncio.StreamWriter, _base: str, _path: str
) -> None:
    """Answer each question for a card late, with nothing."""
    await asyncio.sleep(0.25)
    writer.write(http(b"{}", b"404 Not Found"))


async def dripping_card(
    _: asyncio.StreamReader, writer: asyncio.StreamWriter, _base: str, _path: str
) -> None:
    """Send a card without end."""
    writer.write(CHUNKED)
    while True:
        await written(writer, b"1\r\n \r\n")
        await asyncio.sleep(0.02)


async def wide_card(
    _: asyncio.StreamReader, writer: asyncio.StreamWriter, base: str, _path: str
) -> None:
    """Send a card with very many values."""
    writer.write(_wide_card(base))


@cache
def _wide_card(base: str) -> bytes:
    params = {"games": [{"a": n} for n in range(15_000)]}
    extension = {"uri": "urn:a2a-casino:typed-entrypoints:v1", "params": params}
    interface = {"url": f"{base}/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
    card = {
        "name": "Wide",
        "supportedInterfaces": [interface] * 1_000,
        "capabilities": {"extensions": [extension]},
        "skills": [{"id": f"s{n}"} for n in range(3_000)],
    }
    return http(dumps(card))


CARD_ATTACKS: dict[str, CardAttack] = {
    "card-redirects": slow_redirect,
    "card-missing": slow_nothing,
    "card-drips": dripping_card,
    "card-wide": wide_card,
}


# Generated replies.

STATUSES = (b"200 OK", b"200 OK", b"201 X", b"204 No", b"301 M", b"307 T", b"400 B", b"404 N",
            b"413 L", b"500 E", b"503 U", b"999 ?", b"100 C", b"101 S", b"000 Z")  # fmt: skip
LETTERS = "aZ09{}[]\"'`\\/ \n\t\r:,.-_é漢😀\u202e\x00\x1b"
KEYS = (
    "action", "amount", "message", "reasoning", "parts", "data", "text", "id", "result", "task",
    "contextId", "status", "state", "error", "code", "metadata", "kind", "artifacts",
)  # fmt: skip


class Generator:
    """Makes the replies of one seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def text(self, most: int) -> str:
        """Return a text, mostly a short one."""
        size = int(max(1, most) ** self.random.random())
        if self.random.random() < 0.3:
            return self.random.choice(LETTERS) * size
        return "".join(self.random.choices(LETTERS, k=min(size, 2_000)))

    def value(self, size: int = 2_000_000) -> Any:
        """Return a JSON value of at most about so many characters."""
        pick = self.random.random()
        if size < 20 or pick < 0.5:
            return self.random.choice(
                [None, True, 0, -1, 2**53, 10**30, 1.5, 1e300, "fold", "call", self.text(size)]
            )
        length = int(min(size / 10, 30_000) ** self.random.random())
        if pick < 0.75:
            return [self.value(size // max(1, length))] * length
        length = min(length, 20)
        return {
            self.random.choice([*KEYS, self.text(30)]): self.value(size // max(1, length))
            for _ in range(length)
        }

    def reply(self, call: Call) -> Any:
        """Return a reply that is almost right."""
        answer = self.random.choice([FOLD, {"action": "call"}, self.value(), self.value()])
        makers: list[Callable[[], dict[str, Any]]] = [
            lambda: call.answer(answer),
            lambda: call.text(json.dumps(answer)),
            lambda: call.text(f"{self.text(2_000)}```json\n{json.dumps(answer)}\n```"),
            lambda: call.task("completed", artifacts=[{"parts": [call.part("data", answer)]}]),
            lambda: call.task(self.random.choice(["working", "failed", "odd"])),
            lambda: call.refusal(self.value(), self.value(), self.value())[1],
        ]
        reply = self.random.choice(makers)()
        if self.random.random() < 0.3:
            self.spoil(reply)
        return reply

    def spoil(self, node: Any) -> None:
        """Replace something somewhere in a reply."""
        while isinstance(node, dict) and node:
            key = self.random.choice(list(node))
            if not isinstance(node[key], dict) or not node[key] or self.random.random() < 0.3:
                node[key] = self.value()
                return
            node = node[key]

    def body(self, call: Call) -> bytes:
        """Return the bytes of a reply."""
        body = json.dumps(self.reply(call)).encode(errors="surrogatepass")
        pick = self.random.random()
        if pick < 0.1:
            body = with_deep_data(call, nested(int(2_000 ** self.random.random())))
        elif pick < 0.2:
            body = body[: self.random.randrange(len(body) + 1)]
        elif pick < 0.3:
            at = self.random.randrange(len(body))
            body = body[:at] + self.random.randbytes(self.random.randrange(30)) + body[at + 1 :]
        elif pick < 0.35:
            body = self.random.randbytes(int(100_000 ** self.random.random()))
        elif pick < 0.4:
            body = body * self.random.randrange(1, 50)
        return body

    def framed(self, body: bytes) -> bytes:
        """Return the body in HTTP, well or ill."""
        status = b"200 OK" if self.random.random() < 0.8 else self.random.choice(STATUSES)
        lines = [b"HTTP/1.1 " + status]
        pick = self.random.random()
        if pick < 0.1:
            lines += [b"X-%d: y" % n for n in range(int(10_000 ** self.random.random()))]
        elif pick < 0.15:
            lines.append(b"X: " + b"y" * int(1_000_000 ** self.random.random()))
        elif pick < 0.2:
            encoding = self.random.choice([b"gzip", b"deflate", b"br", b"zstd", b"identity", b"?"])
            lines.append(b"Content-Encoding: " + encoding)
            body = gzip.compress(body) if encoding == b"gzip" else body
        elif pick < 0.25:
            lines.append(b"Location: " + self.text(300).encode(errors="replace"))
        framing = self.random.random()
        if framing < 0.6:
            lines.append(b"Content-Length: %d" % len(body))
        elif framing < 0.75:
            lines.append(b"Transfer-Encoding: chunked")
            size = int(100_000 ** self.random.random())
            pieces = [body[at : at + size] for at in range(0, len(body), size)]
            body = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces)
            body += self.random.choice([b"0\r\n\r\n", b"", b"zz\r\n", b"0\r\nX: y\r\n\r\n"])
        elif framing < 0.85:
            lines.append(b"Content-Length: %d" % self.random.choice([0, 1, 10**7, 10**18]))
        else:
            lines.append(b"Connection: close")
        reply = b"\r\n".join([*lines, b"", body])
        if self.random.random() < 0.1:
            informational = b"HTTP/1.1 100 Continue\r\n\r\n"
            reply = informational * int(50_000 ** self.random.random()) + reply
        return reply


def fuzzed(seed: int) -> Attack:
    """Return the attack of a seed; another one for each call that it answers."""
    generators = itertools.count()

    async def attack(_: asyncio.StreamReader, writer: asyncio.StreamWriter, call: Call) -> None:
        made = Generator(seed * 1_000 + next(generators))
        reply = made.framed(made.body(call))
        slow = made.random.random()
        if slow < 0.1:  # in a few pieces, the last of which may come too late
            cut = made.random.randrange(len(reply) + 1)
            await written(writer, reply[:cut])
            await asyncio.sleep(made.random.choice([0.01, 0.1, 0.5]))
            reply = reply[cut:]
        elif slow < 0.13:
            for byte in reply[:100]:
                writer.write(bytes([byte]))
                await asyncio.sleep(0.01)
        await written(writer, reply)
        if made.random.random() < 0.3:
            raise ConnectionError  # closes

    return attack
