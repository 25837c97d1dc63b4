"""Replies of every framing, right and wrong, as a server would send each of them at once."""

import gzip
from typing import Final

from support.replies.server import Piece, Reply
from support.replies.verdict import LIMIT

OK: Final = b"HTTP/1.1 200 OK\r\n"
PLAIN: Final = OK + b"Date: now\r\nContent-Length: 5\r\n\r\nhello"
CHUNKED: Final = OK + b"Transfer-Encoding: chunked\r\n\r\n"
_JUST_BELOW, _AT_MOST = 8_000, 8_190
"""Lengths around the longest line that the parser takes."""


def with_headers(*lines: bytes, body: bytes = b"hello", status: bytes = b"200 OK") -> bytes:
    """Return a reply with these headers before the length of its body."""
    head = b"\r\n".join([b"HTTP/1.1 " + status, *lines, b"Content-Length: %d" % len(body)])
    return head + b"\r\n\r\n" + body


def with_length(value: bytes, body: bytes = b"hello") -> bytes:
    """Return a reply with any text as the length of its body."""
    return OK + b"Content-Length: " + value + b"\r\n\r\n" + body


LENGTHS: Final = {
    "a length": PLAIN,
    "no body": with_headers(body=b""),
    "a large body": with_headers(body=b"x" * 66_000),
    "the largest body": with_headers(body=b"x" * LIMIT),
    "too large a body": with_headers(body=b"x" * (LIMIT + 1)),
    "zeros before the length": with_length(b"0005"),
    "space around the length": with_length(b"  5 \t "),
    "equal lengths": OK + b"Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
    "conflicting lengths": OK + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
    "equal lengths in one": with_length(b"5, 5"),
    "a sign before the length": with_length(b"+5"),
    "a negative length": with_length(b"-5"),
    "a length in hex": with_length(b"0x5"),
    "a length with a decimal": with_length(b"5.0"),
    "an empty length": with_length(b""),
    "a length of letters": with_length(b"five"),
    "a length beyond 64 bits": with_length(b"99999999999999999999999"),
    "a length in other digits": with_length("\u0665".encode()),
    "a length and chunks": OK
    + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
}
CHUNKS: Final = {
    "a chunk": CHUNKED + b"5\r\nhello\r\n0\r\n\r\n",
    "chunks": CHUNKED + b"1\r\nh\r\n4\r\nello\r\n0\r\n\r\n",
    "no chunk": CHUNKED + b"0\r\n\r\n",
    "a chunk in capitals": CHUNKED + b"A\r\n0123456789\r\n0\r\n\r\n",
    "zeros before the size": CHUNKED + b"005\r\nhello\r\n0\r\n\r\n",
    "an extension": CHUNKED + b"5;a=b\r\nhello\r\n0\r\n\r\n",
    "a trailer": CHUNKED + b"5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n",
    "a large chunk": CHUNKED + b"%x\r\n" % LIMIT + b"x" * LIMIT + b"\r\n0\r\n\r\n",
    "too large a chunk": CHUNKED + b"%x\r\n" % (LIMIT + 1) + b"x" * (LIMIT + 1) + b"\r\n0\r\n\r\n",
    "no size": CHUNKED + b"\r\nhello\r\n0\r\n\r\n",
    "a size of letters": CHUNKED + b"zz\r\nhello\r\n0\r\n\r\n",
    "a negative size": CHUNKED + b"-5\r\nhello\r\n0\r\n\r\n",
    "a size beyond 64 bits": CHUNKED + b"fffffffffffffffffff\r\nhello\r\n0\r\n\r\n",
    "a chunk that is too long": CHUNKED + b"3\r\nhello\r\n0\r\n\r\n",
    "a space after the size": CHUNKED + b"5 \r\nhello\r\n0\r\n\r\n",
    "line feeds in chunks": CHUNKED + b"5\nhello\n0\n\n",
    "chunked twice": OK + b"Transfer-Encoding: chunked, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "gzip in chunks": OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "chunks in capitals": OK + b"Transfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "too much framing": CHUNKED + b"1\r\nx\r\n" * 8_000 + b"0\r\n\r\n",
}
HEADS: Final = {
    "line feeds": b"HTTP/1.1 200 OK\nContent-Length: 5\n\nhello",
    "some line feeds": b"HTTP/1.1 200 OK\nContent-Length: 5\r\n\r\nhello",
    "a line feed at the end": OK + b"Content-Length: 5\r\n\nhello",
    "line feeds, and an empty line in the body": b"HTTP/1.1 200 OK\nContent-Length: 10\n\n"
    b"aaaa\r\n\r\nbb",
    "a carriage return alone": OK + b"X: a\rContent-Length: 5\r\n\r\nhello",
    "a folded header": with_headers(b"X: a", b" b"),
    "a folded length": OK + b"Content-Length:\r\n 5\r\n\r\nhello",
    "a space before the colon": with_headers(b"X : a"),
    "a space before the name": OK + b" X: a\r\nContent-Length: 5\r\n\r\nhello",
    "no colon": with_headers(b"nothing"),
    "no name": with_headers(b": a"),
    "no value": with_headers(b"X:"),
    "a NUL": with_headers(b"X: a\0b"),
    "a NUL in a name": with_headers(b"X\0: a"),
    "a control character": with_headers(b"X: a\x01b"),
    "letters beyond ASCII": with_headers("X: café".encode()),
    "bytes of no text": with_headers(b"X: \xff\xfe"),
    "a name beyond ASCII": with_headers("Ä: a".encode()),
    "a long value": with_headers(b"X: " + b"y" * _JUST_BELOW),
    "the longest value": with_headers(b"X: " + b"y" * _AT_MOST),
    "too long a value": with_headers(b"X: " + b"y" * (_AT_MOST + 1)),
    "a long name": with_headers(b"X" * (_AT_MOST + 1) + b": y"),
    "a long reason": with_headers(status=b"200 " + b"o" * (_AT_MOST + 1)),
    "as many headers as are read": with_headers(*[b"X: y"] * 127),
    "one header more": with_headers(*[b"X: y"] * 128),
    "a head of the largest size": with_headers(*[b"X: " + b"y" * 1_000] * 16),
    "too large a head": with_headers(*[b"X: " + b"y" * 1_000] * 20, body=b""),
    "too large a head with two lengths": with_headers(
        *[b"X: " + b"y" * 1_000] * 20, b"Content-Length: 0", body=b""
    ),
    "line breaks before": b"\r\n" + PLAIN,
    "an empty head before": b"\r\n\r\n" + PLAIN,
    "a space before": b" " + PLAIN,
    "no reason": with_headers(status=b"200"),
    "an empty reason": with_headers(status=b"200 "),
    "two spaces": with_headers(status=b" 200 OK"),
    "two digits": with_headers(status=b"20 OK"),
    "four digits": with_headers(status=b"2000 OK"),
    "letters": with_headers(status=b"abc OK"),
    "no status": with_headers(status=b"OK"),
    "HTTP/1.0": b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    "HTTP/1.0 that stays": b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n"
    b"Content-Length: 5\r\n\r\nhello",
    "HTTP/1.2": PLAIN.replace(b"1.1", b"1.2", 1),
    "HTTP/2.0": PLAIN.replace(b"1.1", b"2.0", 1),
    "HTTP/0.9": PLAIN.replace(b"1.1", b"0.9", 1),
    "lower case": PLAIN.replace(b"HTTP", b"http", 1),
    "another protocol": b"ICY 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    "a page": b"<html>\r\n\r\n</html>\r\n\r\n",
    "a byte order mark": b"\xef\xbb\xbf" + PLAIN,
}
MEANINGS: Final = {
    "Connection: close": with_headers(b"Connection: close"),
    "Connection: Close, and more": with_headers(b"Connection: x, Close"),
    "Connection: keep-alive": with_headers(b"Connection: keep-alive"),
    "Proxy-Connection: close": with_headers(b"Proxy-Connection: close"),
    "Keep-Alive": with_headers(b"Keep-Alive: timeout=1, max=1"),
    "Upgrade": with_headers(b"Connection: upgrade", b"Upgrade: h2c"),
    "identity": with_headers(b"Content-Encoding: identity"),
    "Identity": with_headers(b"Content-Encoding:  Identity "),
    "no encoding": with_headers(b"Content-Encoding:"),
    "gzip": with_headers(b"Content-Encoding: gzip", body=gzip.compress(b"hello", mtime=0)),
    "gzip of an error": with_headers(b"Content-Encoding: gzip", status=b"500 E"),
    "an unknown encoding": with_headers(b"Content-Encoding: " + b"x" * 100),
    "a bomb": with_headers(b"Content-Encoding: gzip", body=gzip.compress(b"\0" * 2**24, mtime=0)),
    "Location": with_headers(b"Location: http://other/x", status=b"302 Found"),
    "a relative Location": with_headers(b"Location: /x?y", status=b"307 T"),
    "two Locations": with_headers(b"Location: /x", b"Location: /y", status=b"301 M"),
    "Location of no text": with_headers(b"Location: \xff\xfe", status=b"301 M"),
    "Location of a success": with_headers(b"Location: /x"),
    "Retry-After": with_headers(b"Retry-After: 7", status=b"503 U"),
    "Retry-After of a success": with_headers(b"retry-after:  7  "),
    "Set-Cookie": with_headers(b"Set-Cookie: a=b; Path=/", b"Set-Cookie: ;;;"),
    "two dates": with_headers(b"Date: now", b"Date: then"),
    **{
        f"status {status.decode()}": with_headers(status=status)
        for status in (
            b"201 C", b"203 N", b"206 P", b"300 M", b"303 S", b"400 B", b"401 U", b"404 N",
            b"413 L", b"418 T", b"429 M", b"500 E", b"599 ?", b"600 ?", b"999 ?", b"000 Z",
            b"099 Z",
        )
    },
    "204": b"HTTP/1.1 204 No Content\r\n\r\n",
    "204 with a length": with_headers(status=b"204 N", body=b""),
    "304": b"HTTP/1.1 304 Not Modified\r\n\r\n",
    "304 with a length": b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
    "205": with_headers(status=b"205 R", body=b""),
}  # fmt: skip
INTERIM: Final = {
    "100 before": b"HTTP/1.1 100 Continue\r\n\r\n" + PLAIN,
    "103 before": b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + PLAIN,
    "199 before": b"HTTP/1.1 199 X\r\n\r\n" + PLAIN,
    "some before": b"HTTP/1.1 100 Continue\r\n\r\n" * 20 + PLAIN,
    "many before": b"HTTP/1.1 100 Continue\r\n\r\n" * 2_000 + PLAIN,
    "100 with a length": b"HTTP/1.1 100 Continue\r\nContent-Length: 3\r\n\r\n" + PLAIN,
}
EXCESS: Final = {
    "two replies": PLAIN + PLAIN,
    "a reply and an error": PLAIN + with_headers(status=b"500 E"),
    "a reply and a line break": PLAIN + b"\r\n",
    "a reply and garbage": PLAIN + b"\x00\xff",
    "a reply and letters": PLAIN + b"hello",
    "a reply and half a reply": PLAIN + PLAIN[:9],
    "101 and a reply": b"HTTP/1.1 101 Switching\r\n\r\n" + PLAIN,
    "204 with a body": with_headers(status=b"204 N"),
    "304 with a body": with_headers(status=b"304 N"),
    "chunks and a reply": CHUNKED + b"5\r\nhello\r\n0\r\n\r\n" + PLAIN,
}
"""Replies with more behind them."""
AT_ONCE: Final[dict[str, bytes]] = {**LENGTHS, **CHUNKS, **HEADS, **MEANINGS, **INTERIM}
"""Replies after which the connection stays open, as far as the server is concerned."""

_UPGRADE: Final = b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"
UNTIL_THE_END: Final[dict[str, bytes]] = {
    "a body without a length": OK + b"\r\nhello",
    "HTTP/1.0 without a length": b"HTTP/1.0 200 OK\r\n\r\nhello",
    "Connection: close without a length": OK + b"Connection: close\r\n\r\nhello",
    "no body, without a length": OK + b"\r\n",
    "the largest body without a length": OK + b"\r\n" + b"x" * LIMIT,
    "too large a body without a length": OK + b"\r\n" + b"x" * (LIMIT + 1),
    "identity without a length": OK + b"Transfer-Encoding: identity\r\n\r\nhello",
    "gzip without chunks": OK + b"Transfer-Encoding: gzip\r\n\r\nhello",
    "chunked before gzip": OK + b"Transfer-Encoding: chunked, gzip\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "an unknown coding": OK + b"Transfer-Encoding: x\r\n\r\nhello",
    "another protocol from now on": _UPGRADE,
    "another protocol, and what it says": _UPGRADE + b"hello",
    "an interim reply alone": b"HTTP/1.1 100 Continue\r\n\r\n",
    "205 without a length": b"HTTP/1.1 205 R\r\n\r\n",
    "chunks without an end": CHUNKED + b"5\r\nhello\r\n",
    "a chunk without an end": CHUNKED + b"5\r\nhel",
    "trailers without an end": CHUNKED + b"5\r\nhello\r\n0\r\nX: y\r\n",
}
"""Replies that end with their connection."""


def pieces_of(data: bytes, size: int) -> Reply:
    return tuple(data[at : at + size] for at in range(0, len(data), size))


def in_some_manners(data: bytes, *, closes: bool) -> list[Reply]:
    """Return a reply at once, again when its head may be known, and head and body apart."""
    return in_every_manner(data, closes=closes)[:3]


def in_every_manner(data: bytes, *, closes: bool) -> list[Reply]:
    """Return a reply as it may arrive: at once, head and body apart, in halves, byte by byte."""
    head = data.find(b"\r\n\r\n") + 4
    manners: list[Reply] = [(data,), (data,)]  # the second time its head may be known
    manners += [(data[:head], data[head:]), (data[: head - 2], data[head - 2 :])]
    manners += [pieces_of(data, len(data) // 2 + 1)]
    if len(data) < _JUST_BELOW // 20:
        manners.append(pieces_of(data, 1))
    end: tuple[Piece, ...] = ("close",) if closes else ()
    return [(*(piece for piece in manner if piece), *end) for manner in manners]
