"""HTTP as bytes: right requests, right ones with odd headers, and what is no request at all."""

import gzip
import random
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Literal, NamedTuple

Manner = Literal["call", "stream", "raw", "dropped"]
"""How a case is sent and read: one request and its whole answer; one whose answer may have no end;
bytes that may get any answer or none; bytes whose sender goes away at once."""


class Case(NamedTuple):
    """What is sent to a server, in pieces."""

    agent: str
    kind: str
    pieces: tuple[bytes, ...]
    manner: Manner = "call"

    @property
    def data(self) -> bytes:
        return b"".join(self.pieces)

    @property
    def method(self) -> str:
        return self.data.lstrip(b"\r\n")[:20].split(b" ", 1)[0].decode("latin-1")


def request(
    method: str, target: str, headers: Mapping[str, str] | None = None, body: bytes = b""
) -> bytes:
    lines = [f"{method} {target} HTTP/1.1"]
    fields = {"Host": "127.0.0.1", **(headers or {})}
    if body or method in {"POST", "PUT", "PATCH"}:
        fields.setdefault("Content-Length", str(len(body)))
    lines += [f"{name}: {value}" for name, value in fields.items()]
    return "\r\n".join([*lines, "", ""]).encode("utf-8", "replace") + body


ODD_HEADERS: tuple[Mapping[str, str], ...] = (
    {"Content-Type": "text/plain"}, {"Content-Type": ""}, {"Content-Type": "application/json; x=y"},
    {"Content-Type": "multipart/form-data; boundary=x"}, {"Content-Type": "application/a2a+json"},
    {"Content-Encoding": "gzip"}, {"Content-Encoding": "br, gzip"},
    {"Content-Encoding": "identity"},
    {"A2A-Version": ""}, {"A2A-Version": "0.3"}, {"A2A-Version": "1"}, {"A2A-Version": "1.0.0"},
    {"A2A-Version": "1.1"}, {"A2A-Version": "2.0"}, {"A2A-Version": "x"},
    {"A2A-Version": "1.0, 1.0"},
    {"A2A-Version": "9" * 2_000}, {"A2A-Version": "-1.0"}, {"A2A-Version": "1.0\t"},
    {"A2A-Extensions": ""}, {"A2A-Extensions": "urn:x, urn:y"}, {"A2A-Extensions": ",,,"},
    {"A2A-Extensions": "x" * 9_000}, {"Authorization": "Bearer"}, {"Authorization": "Bearer  "},
    {"Authorization": "Bearer " + "x" * 600}, {"Authorization": "Basic YTpi"},
    {"Authorization": "Bearer \u00e9\u20ac"}, {"Authorization": "bearer x"}, {"Origin": "null"},
    {"Origin": "https://evil.example"}, {"Origin": "http://[::"}, {"Referer": "http://["},
    {"Referer": "\u00e9://x"}, {"Sec-Fetch-Site": "cross-site"}, {"Host": ""},
    {"Host": "evil.example"},
    {"Host": "127.0.0.1:99999"}, {"Host": "[::1]:80"}, {"Host": "a b"}, {"Host": "\u00e9"},
    {"Host": "127.0.0.1, x"}, {"Accept": "text/html"}, {"Accept": "*/*;q=nan"}, {"Accept": ""},
    {"Accept-Encoding": "gzip, br, \0"}, {"If-None-Match": "*"}, {"If-None-Match": '"' * 3_000},
    {"Last-Event-ID": "x"}, {"Last-Event-ID": "-1"}, {"Last-Event-ID": "9" * 30},
    {"Idempotency-Key": ""}, {"Idempotency-Key": "k" * 3_000}, {"Idempotency-Key": "\u00e9\u202e"},
    {"X-Forwarded-For": "1.2.3.4, x"}, {"Range": "bytes=0-1"}, {"Expect": "100-continue"},
    {"Expect": "200-maybe"}, {"Upgrade": "websocket", "Connection": "Upgrade"},
    {"Upgrade": "h2c", "Connection": "Upgrade, HTTP2-Settings", "HTTP2-Settings": "AAAA"},
    {"Connection": "close"}, {"Connection": "keep-alive, close"}, {"Cookie": "a=b; " * 500},
    {"Access-Control-Request-Method": "POST", "Origin": "http://127.0.0.1"},
)  # fmt: skip
ODD_METHODS = ("HEAD", "OPTIONS", "TRACE", "PUT", "PATCH", "DELETE", "CONNECT", "BREW", "get")
ODD_TARGETS = (
    "/..", "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/page/..%2f..%2fapp.py", "/page/",
    "/page/index.html", "/page/%00", "/page/app.js%00.css", "//", "/./", "/;a=b", "/?", "/%",
    "/%zz",
    "/%ff%fe", "/v1", "/v1/", "/v1//rooms", "/v1/rooms/", "/v1/rooms/%2F", "/v1/rooms/%00/events",
    "/v1/rooms/a/b/c/d/e", "/api/", "/api/games/%ff/spec", "/problems/", "/problems/%2e%2e", "/t/",
    "/t//", "/t/x", "/t/x/", "/t/x/v1/rooms", "/t/x/t/y/a2a/jsonrpc", "/t/%00/a2a/jsonrpc",
    "/t/x/.well-known/agent-card.json", "/t/%e2%82%ac/.well-known/agent-card.json",
    "/t/" + "x" * 5_000 + "/a2a/jsonrpc", "/a2a", "/a2a/", "/a2a/jsonrpc/x", "/a2a/rest",
    "/a2a/rest/", "/entrypoints", "/entrypoints/", "/entrypoints//invoke",
    "/entrypoints/%00/invoke",
    "/entrypoints/../invoke", "/entrypoints/act/invoke/", "/entrypoints/" + "x" * 5_000 + "/stream",
    "/a2a/rest/entrypoints", "/a2a/rest/entrypoints/act/stream", "/t/x/entrypoints/act/invoke",
    "/.well-known/", "/.well-known/agent.json", "/.well-known/jwks.json", "/metrics/", "/docs",
    "/openapi.json?x=" + "y" * 3_000, "/tables", "/tables/0",
    "/tables/3/.well-known/agent-card.json",
    "/" + "a/" * 2_000, "/" + "%41" * 3_000, "*", "http://127.0.0.1/v1/rooms",
    "http://evil.example/",
    "http://[::1/", "HTTP://127.0.0.1", "127.0.0.1:80", "v1/rooms", "/v1/rooms#x", "/\u00e9",
    "/v1/rooms?after=\u20ac", "/v1/rooms?" + "&" * 2_000, "/v1/rooms?limit=1;limit=2", "/a\tb",
)  # fmt: skip


def with_odd_headers(
    rng: random.Random, method: str, target: str, headers: Mapping[str, str], body: bytes
) -> bytes:
    """Return a right request but for one or two of its headers, or its method, or its framing."""
    fields = dict(headers)
    for _ in range(rng.choice((1, 1, 2))):
        fields |= rng.choice(ODD_HEADERS)
    draw = rng.random()
    if fields.get("Content-Encoding") == "gzip" and draw < 0.5:
        body = gzip.compress(body, mtime=0)
    if draw > 0.9:
        method = rng.choice(ODD_METHODS)
    elif draw > 0.8:
        fields["Transfer-Encoding"] = "chunked"
        fields["Content-Length"] = "0"
        del fields["Content-Length"]
        head = request("GET" if not body else method, target, fields).replace(
            b"Content-Length: 0\r\n", b""
        )
        return head + chunked(rng, body)
    elif draw > 0.76:
        fields.pop("Content-Type", None)
    return request(method, target, fields, body)


def chunked(rng: random.Random, body: bytes) -> bytes:
    """Return a body in chunks of any size, perhaps with extensions and trailers."""
    sent, rest = b"", body
    while rest:
        size = rng.choice((1, 7, 100, 4_096, 65_536)) if len(body) < 5_000 else 65_536
        chunk, rest = rest[:size], rest[size:]
        sent += b"%x%s\r\n%s\r\n" % (len(chunk), rng.choice((b"", b"", b";a=b")), chunk)
    return sent + b"0\r\n" + rng.choice((b"", b"", b"X-Trailer: 1\r\n")) + b"\r\n"


def _after_line(added: bytes) -> Callable[[random.Random, bytes], bytes]:
    def spoil(_rng: random.Random, right: bytes) -> bytes:
        line, _, rest = right.partition(b"\r\n")
        return line + b"\r\n" + added + rest

    return spoil


def _instead(line: bytes) -> Callable[[random.Random, bytes], bytes]:
    return lambda _rng, right: line + b"\r\n" + right.partition(b"\r\n")[2]


def _chunk_framed(body: bytes) -> Callable[[random.Random, bytes], bytes]:
    def spoil(_rng: random.Random, right: bytes) -> bytes:
        head = right.partition(b"\r\n\r\n")[0]
        kept = [line for line in head.split(b"\r\n") if not line.startswith(b"Content-Length")]
        return b"\r\n".join([*kept, b"Transfer-Encoding: chunked", b"", b""]) + body

    return spoil


def _flipped_head(rng: random.Random, right: bytes) -> bytes:
    flips, end = bytearray(right), right.find(b"\r\n\r\n")
    for _ in range(rng.randint(1, 3)):
        flips[rng.randrange(end)] ^= 1 << rng.randrange(8)
    return bytes(flips)


RUBBISH: tuple[Callable[[random.Random, bytes], bytes], ...] = (
    _flipped_head,
    lambda rng, right: right[: rng.randint(0, len(right))],
    lambda rng, _right: rng.randbytes(rng.randint(1, 600)),
    lambda _rng, _right: b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 200,
    lambda _rng, _right: b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0",
    lambda _rng, right: right.replace(b"\r\n", b"\n"),
    lambda _rng, right: right.replace(b": ", b" : "),
    lambda _rng, right: b"\r\n" * 40 + right,
    lambda rng, right: right * rng.randint(2, 40),
    lambda rng, right: right.replace(b"HTTP/1.1", rng.choice((b"HTTP/1.0", b"HTTP/9.9"))),
    _instead(b"GET"), _instead(b"GET /"), _instead(b"GET / HTTP/1.1 x"),
    _instead(b"GET  / HTTP/1.1"),
    _instead(b"\0 / HTTP/1.1"), _instead(b"GET /\0 HTTP/1.1"), _instead(b"GET /\xff\xfe HTTP/1.1"),
    _instead(b"G\xe9T / HTTP/1.1"), _instead(b"GET / http/1.1"), _instead(b" GET / HTTP/1.1"),
    _instead(b"GET /" + b"a" * 40_000 + b" HTTP/1.1"), _instead(b"A" * 4_000 + b" / HTTP/1.1"),
    _after_line(b"Content-Length: 0\r\n"),
    _after_line(b"Content-Length: 5\r\nContent-Length: 6\r\n"),
    _after_line(b"Content-Length: -1\r\n"), _after_line(b"Content-Length: 1e3\r\n"),
    _after_line(b"Content-Length: 99999999999999999999999\r\n"),
    _after_line(b"Content-Length: \r\n"),
    _after_line(b"Content-Length: +3\r\n"), _after_line(b"Transfer-Encoding: chunked\r\n"),
    _after_line(b"Transfer-Encoding: gzip\r\n"), _after_line(b"Transfer-Encoding: x, chunked\r\n"),
    _after_line(b"Host: 127.0.0.1\r\n"), _after_line(b"X: 1\r\n  folded\r\n"),
    _after_line(b": x\r\n"),
    _after_line(b"No colon\r\n"), _after_line(b"X\0Y: 1\r\n"), _after_line(b"X: \0\r\n"),
    _after_line(b"X: a\rb\r\n"), _after_line(b"\xff: \xff\r\n"), _after_line(b"X: 1\r\n" * 127),
    _after_line(b"X: 1\r\n" * 400), _after_line(b"X: " + b"y" * 40_000 + b"\r\n"),
    _after_line(b"Authorization: Bearer a\r\nAuthorization: Bearer b\r\n"),
    _after_line(b"A2A-Version: 1.0\r\nA2A-Version: 0.3\r\n"),
    _after_line(b"Content-Type: \xff\r\n"),
    _chunk_framed(b"zz\r\nabc\r\n0\r\n\r\n"), _chunk_framed(b"-1\r\n\r\n0\r\n\r\n"),
    _chunk_framed(b"ffffffffffffffffffff\r\nabc"), _chunk_framed(b"3\r\nabcdef\r\n0\r\n\r\n"),
    _chunk_framed(b"3\r\nabc\r\n0\r\nX: " + b"y" * 40_000 + b"\r\n\r\n"),
    _chunk_framed(b"0\r\n\r\n"),
    _chunk_framed(b"1;" + b"e" * 40_000 + b"\r\na\r\n0\r\n\r\n"), _chunk_framed(b""),
)  # fmt: skip
"""What is made of a right request."""


def in_pieces(rng: random.Random, data: bytes) -> tuple[bytes, ...]:
    """Return bytes cut into at most 20 pieces; mostly one."""
    if rng.random() < 0.8 or len(data) < 2:
        return (data,)
    cuts = sorted({0, len(data), *(rng.randint(1, len(data)) for _ in range(rng.randint(1, 19)))})
    return tuple(data[begin:end] for begin, end in pairwise(cuts))
