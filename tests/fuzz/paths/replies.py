"""Replies as bytes: those of the tables of framing, changed anywhere, and as they may arrive."""

import random
import re
from collections.abc import Callable
from typing import Final, NamedTuple

from support.replies.framing import AT_ONCE, EXCESS, PLAIN, UNTIL_THE_END, with_headers
from support.replies.server import Piece, Reply

_TABLE: Final = [*AT_ONCE.values(), *EXCESS.values(), *UNTIL_THE_END.values()]
_SMALL: Final = [reply for reply in _TABLE if len(reply) < 2_000]
_NUMBER: Final = re.compile(rb"\d+")
_NUMBERS: Final = (
    b"0",
    b"1",
    b"4",
    b"5",
    b"6",
    b"05",
    b"+5",
    b"-1",
    b"5 ",
    b"70001",
    b"9" * 20,
    b"",
)
_BYTES: Final = (
    b"\r",
    b"\n",
    b"\r\n",
    b"\r\n\r\n",
    b" ",
    b"\t",
    b":",
    b"\0",
    b"\xff",
    b",",
    b";",
    b"0",
)
LINES: Final = (
    b"Content-Length: 5", b"Content-Length: 0", b"Content-Length: 6", b"content-length:5",
    b"Transfer-Encoding: chunked", b"Transfer-Encoding: identity", b"Connection: close",
    b"Connection: keep-alive", b"Content-Encoding: gzip", b"Content-Encoding: identity",
    b"Location: /x", b"Retry-After: 3", b"Upgrade: x", b"Date: now", b"Set-Cookie: a=b", b"X: y",
    b"Keep-Alive: timeout=1", b"Trailer: X", b" folded", b"X", b"Content-Type: application/json",
)  # fmt: skip
METHODS: Final = ("GET", "POST", "POST", "POST", "PUT", "DELETE")
WAITS: Final = (0.0, 0.0, 0.0, 0.5, 2.0, 70.0)
"""Seconds that a connection is idle before a request."""


class Exchange(NamedTuple):
    """A request and what the server does then."""

    method: str
    wait_s: float
    """Before it."""
    closes: bool
    """Whether the server closes its idle connections before it."""
    reply: Reply


def _number(rng: random.Random, reply: bytes) -> bytes:
    found = list(_NUMBER.finditer(reply))
    if not found:
        return reply
    one = rng.choice(found)
    return reply[: one.start()] + rng.choice(_NUMBERS) + reply[one.end() :]


def _inserted(rng: random.Random, reply: bytes) -> bytes:
    at = rng.randint(0, len(reply))
    return reply[:at] + rng.choice(_BYTES) + reply[at:]


def _cut(rng: random.Random, reply: bytes) -> bytes:
    begin = rng.randint(0, len(reply))
    return reply[:begin] + reply[begin + rng.choice((1, 1, 2, 10)) :]


def _flipped(rng: random.Random, reply: bytes) -> bytes:
    if not reply:
        return reply
    flips = bytearray(reply)
    flips[rng.randrange(min(len(flips), 200))] ^= 1 << rng.randrange(8)
    return bytes(flips)


def _with_line(rng: random.Random, reply: bytes) -> bytes:
    lines = reply.split(b"\r\n")
    lines.insert(rng.randint(0, min(len(lines), 6)), rng.choice(LINES))
    return b"\r\n".join(lines)


def _without_line(rng: random.Random, reply: bytes) -> bytes:
    lines = reply.split(b"\r\n")
    del lines[rng.randrange(min(len(lines), 6))]
    return b"\r\n".join(lines)


def _other_body(rng: random.Random, reply: bytes) -> bytes:
    head = reply.partition(b"\r\n\r\n")[0]
    return head + b"\r\n\r\n" + rng.choice(_SMALL).partition(b"\r\n\r\n")[2]


def _before(rng: random.Random, reply: bytes) -> bytes:
    return rng.choice(_SMALL) + reply


def _ends_early(rng: random.Random, reply: bytes) -> bytes:
    return reply[: rng.randint(0, len(reply))]


_CHANGES: tuple[Callable[[random.Random, bytes], bytes], ...] = (
    _number, _number, _inserted, _inserted, _cut, _flipped, _flipped, _with_line, _with_line,
    _without_line, _other_body, _before, _ends_early,
)  # fmt: skip


def changed(rng: random.Random, reply: bytes) -> bytes:
    """Return a reply with one change to its framing."""
    return rng.choice(_CHANGES)(rng, reply)


def _reply(rng: random.Random) -> bytes:
    draw = rng.random()
    if draw < 0.25:
        body = rng.choice((b"", b"hello", b"{}", b"x" * 300, b"\r\n\r\n", PLAIN))
        reply = with_headers(*rng.sample(LINES, rng.choice((0, 0, 1, 2))), body=body)
    else:
        reply = rng.choice(_SMALL if draw < 0.97 else _TABLE)
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
        reply = changed(rng, reply)
    return reply


def _arriving(rng: random.Random, reply: bytes) -> list[Piece]:
    """Return a reply in one piece, or in some, the first of which often has just its head."""
    draw, head = rng.random(), reply.find(b"\r\n\r\n") + 4
    if draw < 0.5 or len(reply) < 2:
        cuts = []
    elif draw < 0.7:
        cuts = [min(max(0, head + rng.choice((-3, -2, -1, 0, 0, 0, 1, 2))), len(reply))]
    else:
        cuts = sorted(rng.randint(1, len(reply)) for _ in range(rng.randint(1, 4)))
    ends = [*cuts, len(reply)]
    return [reply[begin:end] for begin, end in zip([0, *cuts], ends, strict=True) if begin < end]


def exchanges(rng: random.Random) -> list[Exchange]:
    """Return what passes between a client and a server: some replies come twice."""
    made: list[Exchange] = []
    replies = [_reply(rng) for _ in range(rng.choice((1, 1, 2)))]
    for _ in range(4):
        data = PLAIN if rng.random() < 0.2 else rng.choice(replies)
        reply = _arriving(rng, data)
        draw = rng.random()
        if draw < 0.25:
            reply.append("close")
        elif draw < 0.3:
            reply.append("reset")
        wait_s, closes = rng.choice(WAITS), rng.random() < 0.1
        made.append(Exchange(rng.choice(METHODS), wait_s, closes, tuple(reply)))
    return made
