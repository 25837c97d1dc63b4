"""JSON of events: as our tables write it, and with every kind of change to values and bytes."""

import json
import random
from collections.abc import Callable
from typing import Any, Final, get_args

import orjson
from casino_contracts import EventType

_BATCH: Final = 262_144
_WORDS: Final = (
    "", "p0", "call", "ü ✓", "a\nb", "\0", "\u202e", "\u2028", '"\\/', "\x7f", "😀", "x" * 127,
    "x" * 128, "x" * 129, "ü" * 128, "x" * 160, "x" * 161, "x" * 500, "x" * 501,
)  # fmt: skip
_NUMBERS: Final = (
    0, 1, -1, 7, 2**53 - 1, 2**53, -(2**53) + 1, -(2**53), 2**63, 2**64, 10**30, 0.0, -0.0, 1.0,
    0.5, 1e-300, 1e16, 1e300, 9007199254740991.0, 9007199254740993.0,
)  # fmt: skip
_NAMES: Final = ("playerId", "stack", "pots", "reason", "agentCardUrl", "handNumber", "ü", "")
_FIELDS: Final = (
    "tableId", "eventType", "message", "timestamp", "payload", "sequence", "epoch", "handId",
    "table_id", "event_type", "hand_id", "roomToken", "room_token", "events", "fromTheFuture",
)  # fmt: skip
_SHARE = {"playerId": "p0", "amount": 4}
_PAYLOADS: Final[tuple[dict[str, Any], ...]] = (
    {"handNumber": 3, "playerId": "p0", "action": "call", "pot": 4, "stack": 196, "latencyMs": 3},
    {"playerId": "p0", "action": "fold", "outcome": "illegal", "reason": "it held 7 8"},
    {"status": "running", "kind": "street_dealt", "communityCards": [{"rank": "T", "suit": "x"}]},
    {"playerId": "p1", "seatNumber": 1, "agentCardUrl": "http://p1/", "stack": 0.25},
    {"handNumber": 3, "pots": [{"amount": 4, "winners": [_SHARE]}], "stacks": [_SHARE]},
    {},
)


def _levels(rng: random.Random, depth: int) -> Any:
    value: Any = rng.choice((1, "x", None, {}, []))
    for _ in range(depth):
        value = [value] if rng.random() < 0.5 else {"d": value}
    return value


def _value(rng: random.Random) -> Any:
    """Return any JSON value, often one at a limit."""
    draw = rng.random()
    if draw < 0.3:
        return rng.choice(_WORDS)
    if draw < 0.6:
        return rng.choice(_NUMBERS)
    if draw < 0.7:
        return rng.choice((None, True, False, [], {}))
    if draw < 0.85:
        return _levels(rng, rng.choice((1, 2, 6, 7, 8, 9, 31, 32, 33)))
    return [_value(rng) for _ in range(rng.randint(0, 3))]


def event(rng: random.Random, sequence: int) -> dict[str, Any]:
    """Return an event as our tables report it."""
    payload = dict(rng.choice(_PAYLOADS))
    for _ in range(rng.choice((0, 0, 1))):
        payload[rng.choice(_NAMES)] = _value(rng)
    values = {
        "tableId": "t-r1",
        "eventType": rng.choice(get_args(EventType)),
        "message": rng.choice(("hand 3 begins", "Player 0: call", "ü ✓")),
        "timestamp": "2026-11-20T19:43:00.123Z",
        "payload": payload,
        "sequence": sequence,
        "epoch": 1,
    }
    return {**values, "handId": "t-r1/3"} if rng.random() < 0.7 else values


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Return every container with each of its keys."""
    found = []
    stack = [value]
    while stack:
        inner = stack.pop()
        keys = list(inner) if isinstance(inner, dict) else range(len(inner))
        found += [(inner, key) for key in keys]
        stack += [inner[key] for key in keys if isinstance(inner[key], dict | list)]
    return found


def _change_value(rng: random.Random, content: Any) -> None:
    """Change one value, name or order of names."""
    places = _places(content)
    inner, key = rng.choice(places) if places else (content, None)
    draw = rng.random()
    if key is not None and draw < 0.5:
        inner[key] = _value(rng)
    elif key is not None and draw < 0.65:
        del inner[key]
    elif isinstance(inner, dict) and draw < 0.85:
        inner[rng.choice(_FIELDS)] = _value(rng)
    elif isinstance(inner, dict):
        items = list(inner.items())
        rng.shuffle(items)
        inner.clear()
        inner.update(items)


def _spaced(_rng: random.Random, data: bytes) -> bytes:
    return json.dumps(orjson.loads(data)).encode()


def _with_byte(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data) + 1)
    new = bytes([rng.choice(b'{}[]",:\\0e.-\n \x00\xff\xc3u')])
    return data[:at] + new + data[at + rng.randint(0, 1) :]


def _with_pair(rng: random.Random, data: bytes) -> bytes:
    """Repeat a name: readers differ in which of two values counts."""
    at = rng.choice([at for at, byte in enumerate(data) if byte == ord("{")] or [0])
    name, value = rng.choice((*_FIELDS, *_NAMES)), rng.choice((b"1", b'"x"', b"{}", b"null"))
    comma = b"" if data[at + 1 : at + 2] == b"}" else b","
    return b"%b%b:%b%b%b" % (data[: at + 1], orjson.dumps(name), value, comma, data[at + 1 :])


def _replaced(old: bytes, *new: bytes) -> Callable[[random.Random, bytes], bytes]:
    def change(rng: random.Random, data: bytes) -> bytes:
        count = data.count(old)
        if not count:
            return data
        parts, chosen = data.split(old), rng.randrange(count)
        glue = [rng.choice(new) if at == chosen else old for at in range(count)]
        return b"".join(b"%b%b" % pair for pair in zip(parts, [*glue, b""], strict=True))

    return change


_CHANGES: Final[tuple[Callable[[random.Random, bytes], bytes], ...]] = (
    _spaced,
    _with_byte,
    _with_pair,
    _replaced(b"196", b"196.0", b"1.96e2", b"0196", b"+196", b"1e999", b"-0", b"NaN"),
    _replaced(b"a", b"\\u0061", b"\\ud800", b"\\udc00\\ud800", b"\\ud83d\\ude00"),
    _replaced(b"/", b"\\/", b"\xed\xa0\x80", b"\xc0\xaf"),
    _replaced(b":", b" :", b":\n", b": "),
    lambda _rng, data: b"\xef\xbb\xbf" + data,
    lambda _rng, data: data + b" ",
    lambda rng, data: data[: rng.randrange(len(data) + 1)],
)


def _written(rng: random.Random, content: Any) -> bytes:
    """Write a message; mostly unchanged, or changed in its values, its bytes, or both."""
    draw = rng.random()
    for _ in range(rng.randint(1, 2) if draw > 0.4 else 0):
        _change_value(rng, content)
    data = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    written = data.encode(errors="surrogatepass")
    if draw > 0.8:
        try:
            written = rng.choice(_CHANGES)(rng, written)
        except ValueError:  # a number that only Python reads
            return written
    return written


def batch_json(rng: random.Random) -> bytes:
    """Return an input of `recordGameEvent`, right or wrong."""
    if rng.random() < 0.1:
        return _written(rng, event(rng, 1))
    events = [event(rng, number) for number in range(1, rng.randint(2, 5))]
    if rng.random() < 0.01:
        events[0]["payload"]["x"] = "x" * rng.randint(_BATCH - 600, _BATCH)
    return _written(rng, {"events": events})


def delivery_json(rng: random.Random) -> bytes:
    """Return an input of `recordTableEvents`, right or wrong."""
    token = rng.choice(("x" * 40, "x" * 15, "x" * 512, "x" * 513, "x y" * 20, "~!" * 16, "x" * 20))
    parts = []
    for number in range(1, rng.randint(2, 4)):
        part = {"roomToken": "t" * 64 if rng.random() < 0.8 else token}
        parts.append({**part, "events": [event(rng, number)]})
    return _written(rng, {"tables": parts})
