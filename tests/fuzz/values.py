"""JSON that no careful client would send: odd values, mutations of a right value, spoilt bytes."""

import copy
import gzip
import json
import random
import re
from collections.abc import Callable
from typing import Any

DEEPEST, ABSURD = 1_100, 100_000
"""Levels of nesting: those that are tried often, and those that are tried now and then."""
_URL = re.compile(rb"https?://[^\"\s]*")


class Raw(str):
    """JSON text that stands in a document as it is, right or wrong."""

    __slots__ = ()


class Pairs(list[tuple[str, Any]]):
    """An object whose names may come twice."""


ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 7, 2**31, 2**53, -(2**53), 2**63, 2**64, 10**30, 0.1, 1.5, -0.5,
    1e15, 5e-324, 1e308, "", " ", "\0", "a\0b", "a\nb", "\u202eabc", "\U0001f4a3", "\uffff", "0",
    "1e3", "null", "../../etc", "%00", "a/b", "x" * 200, "x" * 5_000, "x" * 70_000, [], {}, [[]],
    [None], {"": None}, {"a": {}}, Raw("NaN"), Raw("-Infinity"), Raw("1e400"), Raw("-1e400"),
    Raw("-0"), Raw("-0.0"), Raw("01"), Raw("1" * 5_000), Raw("0." + "1" * 400), Raw("1E+2"),
    Raw('"\\ud800"'), Raw('"\\udc00x"'), Raw('"\\u0000"'), Raw('"\\x"'), Raw('"\x01"'), Raw(""),
    Raw("{"), Raw("]"), Raw("'a'"), Raw("undefined"), Raw('{"__proto__":1}'),
)  # fmt: skip
"""In the place of any value."""

NAMES = (
    "skill", "input", "messageId", "message_id", "roomId", "room_id", "requestId", "epoch",
    "config",
    "__class__", "", "\0", "a" * 300, "metadata", "taskId", "task_id", "data", "\u202e",
)  # fmt: skip
"""Of fields that are added."""


def nested(rng: random.Random, depth: int) -> Raw:
    """Return arrays, objects, or both in turn, within each other."""
    opening, closing = rng.choice([("[", "]"), ('{"a":', "}"), ('[{"b":', "}]")])
    inner = rng.choice(["0", "null", '""', "[]", "{}"])
    return Raw(opening * depth + inner + closing * depth)


def odd(rng: random.Random) -> Any:
    if rng.random() < 0.12:
        # 300 kB at most: what is larger is refused by its size.
        return nested(rng, ABSURD if rng.random() < 0.03 else rng.randint(1, DEEPEST))
    return copy.deepcopy(rng.choice(ODD))


def mutated(rng: random.Random, value: Any, times: int | None = None) -> Any:
    """Return a copy of a JSON value with a few things changed anywhere in it."""
    changed = copy.deepcopy(value)
    for _ in range(times or rng.choice((1, 1, 1, 2, 3))):
        places = _places(changed)
        if not places:
            return odd(rng)
        parent, key = rng.choice(places)
        _spoil(rng, parent, key)
    return changed


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Return where values stand, each as what holds it and by which key."""
    found: list[tuple[Any, Any]] = []
    if isinstance(value, Pairs):
        return found
    if isinstance(value, dict):
        found += [(value, key) for key in value]
        for one in value.values():
            found += _places(one)
    elif isinstance(value, list):
        found += [(value, key) for key in range(len(value))]
        for one in value:
            found += _places(one)
    return found


def _spoil(rng: random.Random, parent: Any, key: Any) -> None:
    draw = rng.random()
    if draw < 0.5:
        parent[key] = odd(rng)
    elif draw < 0.62:
        del parent[key]
    elif draw < 0.72:
        parent[key] = rng.choice(([parent[key]], {"value": parent[key]}, json.dumps([str(key)])))
    elif isinstance(parent, list):
        parent.insert(key, odd(rng) if draw < 0.86 else copy.deepcopy(parent[key]))
    elif draw < 0.84:
        parent[rng.choice(NAMES)] = odd(rng)
    elif draw < 0.92:
        parent[rng.choice(list(parent))] = copy.deepcopy(parent[key])
    elif isinstance(parent[key], dict):
        twice = rng.choice(list(parent[key]) or ["a"])
        parent[key] = Pairs([*parent[key].items(), (twice, odd(rng))])


def encoded(value: Any) -> bytes:
    """Return the JSON of a value, with what is raw in it as it is."""
    return _text(value).encode()


def _text(value: Any) -> str:
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, Pairs):
        return "{" + ",".join(f"{json.dumps(name)}:{_text(one)}" for name, one in value) + "}"
    if isinstance(value, dict):
        return _text(Pairs(value.items()))
    if isinstance(value, list):
        return "[" + ",".join(map(_text, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def flipped(rng: random.Random, body: bytes) -> bytes:
    """Return bytes with a few bits flipped, but none in a URL: it must not lead elsewhere."""
    kept = [match.span() for match in _URL.finditer(body)]
    flips = bytearray(body)
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(body)) if body else 0
        if body and not any(begin <= place < end for begin, end in kept):
            flips[place] ^= 1 << rng.randrange(8)
    return bytes(flips)


def _inserted(rng: random.Random, body: bytes, piece: bytes) -> bytes:
    place = rng.randint(0, len(body))
    if any(begin <= place <= end for begin, end in (m.span() for m in _URL.finditer(body))):
        place = len(body)
    return body[:place] + piece + body[place:]


SPOILT: tuple[Callable[[random.Random, bytes], bytes], ...] = (
    flipped,
    lambda rng, body: body[: rng.randint(0, len(body))],
    lambda rng, body: _inserted(rng, body, rng.choice((b"\xff", b"\xc3(", b"\xed\xa0\x80", b"\0"))),
    lambda _rng, body: b"\xef\xbb\xbf" + body,
    lambda rng, body: body.decode("utf-8", "replace").encode(
        rng.choice(("utf-16", "utf-16-le", "utf-32", "utf-8-sig"))
    ),
    lambda rng, body: body + rng.choice((b"}", b"x", b"\0", b"\n\n", body[:2_000], b" " * 3_000)),
    lambda rng, body: b"[" + b",".join([body] * rng.randint(0, 3)) + b"]",
    lambda _rng, body: gzip.compress(body, mtime=0),
    lambda _rng, _body: b"",
    lambda rng, _body: rng.randbytes(rng.randint(1, 400)),
    lambda rng, _body: encoded(odd(rng)),
)
"""Ways to spoil the bytes of a body."""
