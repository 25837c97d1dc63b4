"""Decoded events are those that the models read: same verdict, same values, same stored bytes."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Final, get_args

import orjson
import pytest
from casino_agentkit.authority import ANYONE
from casino_agentkit.entrypoint import Entrypoint, ReadInput
from casino_agentkit.errors import InvalidInput
from casino_contracts import (
    EventType,
    RecordGameEventOutput,
    RecordTableEventsOutput,
    StreamedEvent,
    TableEvent,
)
from casino_contracts.events.content import content_of
from casino_contracts.events.table_event import EVENT_BYTES
from casino_lobby import event_stream
from casino_lobby.domain.lobby_events import Committed
from casino_lobby.domain.reported_event import (
    DecodedEvent,
    ReportedEvent,
    content_of_event,
    model_of,
    proved,
    written,
)
from casino_lobby.domain.room_views import public
from casino_lobby.lobby_agent import DeliveredPart, DeliveryInput, EventBatchInput
from fuzz.values import SPOILT, Raw, encoded, mutated, nested
from support.requirements import IS_LONG

EXAMPLES = 100_000 if IS_LONG else 2_000
SEED = 19


BATCH_BYTES: Final = 262_144
LIMITS: Final[tuple[Any, ...]] = (
    *("x" * length for length in (127, 128, 129, 160, 161, 500, 501)),
    *(
        "",
        "ü" * 128,
        "ü ✓",
        "a\nb",
        "\0",
        "\u202e",
        "\u2028",
        '"\\/',
        "\x7f",
        "😀",
        None,
        True,
        {},
        [],
    ),
    *(0, -1, 7, 2**53 - 1, 2**53, -(2**53) + 1, 2**63, 2**64, 10**30, 0.0, -0.0, 1.0, 0.5, 1e300),
)
NAMES: Final = ("playerId", "stack", "pots", "reason", "agentCardUrl", "handNumber", "ü", "")
FIELDS: Final = (
    "payload",
    "epoch",
    "handId",
    "hand_id",
    "table_id",
    "roomToken",
    "room_token",
    "x",
)
SHARE: Final = {"playerId": "p0", "amount": 4}
PAYLOADS: Final[tuple[dict[str, Any], ...]] = (
    {"handNumber": 3, "playerId": "p0", "action": "call", "pot": 4, "stack": 196, "latencyMs": 3},
    {"playerId": "p0", "action": "fold", "outcome": "illegal", "reason": "it held 7 8"},
    {"status": "running", "kind": "street_dealt", "communityCards": [{"rank": "T", "suit": "x"}]},
    {"playerId": "p1", "seatNumber": 1, "agentCardUrl": "http://p1/", "stack": 0.25},
    {"handNumber": 3, "pots": [{"amount": 4, "winners": [SHARE]}], "stacks": [SHARE]},
    {},
)
SPELLINGS: Final = (
    (b"196", (b"196.0", b"1.96e2", b"0196", b"+196", b"1e999", b"-0", b"NaN")),
    (b"a", (b"\\u0061", b"\\ud800", b"\\udc00\\ud800", b"\\ud83d\\ude00")),
    (b"/", (b"\\/", b"\xed\xa0\x80", b"\xc0\xaf")),
    (b":", (b" :", b":\n", b": ")),
)


def given_event(rng: random.Random, sequence: int) -> dict[str, Any]:
    """Return an event as our tables report it, often with a value at a limit."""
    payload = dict(rng.choice(PAYLOADS))
    values = {
        "tableId": "t-r1",
        "eventType": rng.choice(get_args(EventType)),
        "message": rng.choice(("hand 3 begins", "Player 0: call", "ü ✓")),
        "timestamp": "2026-11-20T19:43:00.123Z",
        "payload": payload,
        "sequence": sequence,
        "epoch": 1,
    }
    if rng.random() < 0.7:
        values["handId"] = "t-r1/3"
    limit = nested(rng, rng.choice((1, 6, 31, 32, 33))) if rng.random() < 0.2 else None
    draw = rng.random()
    if draw < 0.4:
        payload[rng.choice(NAMES)] = limit or rng.choice(LIMITS)
    elif draw < 0.5:
        values[rng.choice((*values, *FIELDS))] = limit or rng.choice(LIMITS)
    return values


def json_of(rng: random.Random, content: Any) -> bytes:
    """Write a message; mostly unchanged, or changed in its values, its bytes, or both."""
    draw = rng.random()
    data = encoded(mutated(rng, content) if draw > 0.6 else content)
    if draw > 0.9 or draw < 0.05:
        return rng.choice(SPOILT)(rng, data)
    if draw < 0.1:
        old, new = rng.choice(SPELLINGS)
        parts = data.split(old)
        at = rng.randrange(len(parts))
        return old.join(parts[:at]) + rng.choice(new) + old.join(parts[at:])
    return data


def batch_json(rng: random.Random) -> bytes:
    """Return an input of `recordGameEvent`, right or wrong."""
    if rng.random() < 0.1:
        return json_of(rng, given_event(rng, 1))
    events = [given_event(rng, number) for number in range(1, rng.randint(2, 5))]
    if rng.random() < 0.01:
        events[0]["payload"] = {"x": "x" * rng.randint(BATCH_BYTES - 600, BATCH_BYTES)}
    return json_of(rng, {"events": events})


def delivery_json(rng: random.Random) -> bytes:
    """Return an input of `recordTableEvents`, right or wrong."""
    odd = ("x" * 15, "x" * 512, "x" * 513, "x y" * 20, "~!" * 16, "x" * 20, Raw('"\\u0061"'))
    parts = []
    for number in range(1, rng.randint(2, 4)):
        token = "t" * 64 if rng.random() < 0.8 else rng.choice(odd)
        parts.append({"roomToken": token, "events": [given_event(rng, number)]})
    return json_of(rng, {"tables": parts})


async def batches(events: Sequence[ReportedEvent]) -> RecordGameEventOutput:
    raise NotImplementedError


async def deliveries(parts: Sequence[DeliveredPart]) -> RecordTableEventsOutput:
    raise NotImplementedError


BATCHES = Entrypoint.of(batches, "recordGameEvent", who=ANYONE, hot=EventBatchInput())
DELIVERIES = Entrypoint.of(deliveries, "recordTableEvents", who=ANYONE, hot=DeliveryInput())


def by_model(entrypoint: Entrypoint, data: bytes) -> Any:
    """Return what the model reads, or why it refuses; None if the input is no JSON."""
    try:
        content = orjson.loads(data)
    except orjson.JSONDecodeError:
        return None
    try:
        return entrypoint._validated(content)
    except InvalidInput as refusal:
        return refusal
    except RecursionError:
        return None


def judge_equal(decoded: ReportedEvent, read: TableEvent) -> None:
    assert isinstance(decoded, DecodedEvent)
    assert type(read) is TableEvent
    for field in TableEvent.model_fields:
        assert getattr(decoded, field) == getattr(read, field), field
    assert written(read) == decoded.content  # also where 1 equals 1.0 and true
    assert model_of(decoded) == read
    if len(decoded.content) <= EVENT_BYTES:
        assert proved(read) == proved(decoded) == decoded.content
    said, expected = content_of_event(decoded), content_of(read)
    assert type(said) is type(expected)
    assert said is None or expected is None or said.fields == expected.fields
    streamed = StreamedEvent(cursor=7, room_id='r"1', event=public(read)).wire()
    frame = event_stream.table_event(Committed(7, 'r"1', decoded)).data
    assert frame == b"id: 7\nevent: table_event\ndata: %b\n\n" % streamed


def judge(entrypoint: Entrypoint, data: bytes) -> str:
    """Compare both readings of an input; return which of them took it."""
    call_input = _read(entrypoint, data)
    expected = by_model(entrypoint, data)
    if call_input is None or not call_input.is_message:
        return "refused" if expected is None or isinstance(expected, InvalidInput) else "model"
    assert not isinstance(expected, InvalidInput | None), "the model refuses it"
    parts, expected_parts = call_input.content, expected
    if entrypoint is BATCHES:
        parts, expected_parts = [DeliveredPart(None, parts)], [DeliveredPart(None, expected)]
    for part, expected_part in zip(parts, expected_parts, strict=True):
        assert (part.room_token, part.violations) == (expected_part.room_token, ())
        assert expected_part.violations == ()
        for decoded, read in zip(part.events, expected_part.events, strict=True):
            judge_equal(decoded, read)
    return "decoded"


def _read(entrypoint: Entrypoint, data: bytes) -> ReadInput | None:
    try:
        return entrypoint.read_json(data)
    except (ValueError, RecursionError):  # as a server does
        return None


@pytest.mark.parametrize(
    ("entrypoint", "generated"), [(BATCHES, batch_json), (DELIVERIES, delivery_json)]
)
def test_what_is_decoded_is_what_the_model_reads(
    entrypoint: Entrypoint, generated: Callable[[random.Random], bytes]
) -> None:
    """Generated inputs, most of them changed; each way of reading has its share of them."""
    counts: Counter[str] = Counter()
    for number in range(EXAMPLES):
        data = generated(random.Random(f"{SEED}/{number}"))
        try:
            counts[judge(entrypoint, data)] += 1
        except AssertionError as error:
            error.add_note(f"input {number} of seed {SEED}: {data!r}")
            raise
    assert min(counts[way] for way in ("decoded", "model", "refused")) > EXAMPLES / 20, counts


def test_an_event_of_our_own_tables_is_decoded() -> None:
    event = TableEvent(
        table_id="t",
        event_type="action_taken",
        message="ü ✓ \u2028"[:3],
        timestamp="2026-11-20T19:43:00.123Z",
        payload={"playerId": "p0", "amount": 0.5, "nested": [{"a": None}], "text": '"\\\n\x01'},
        sequence=4,
        epoch=2,
        hand_id="t/1",
    )
    assert judge(BATCHES, b'{"events":[%b]}' % event.wire()) == "decoded"
