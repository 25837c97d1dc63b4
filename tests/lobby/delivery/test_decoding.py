"""Decoded events are those that the models read: same verdict, same values, same stored bytes."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import orjson
import pytest
from casino_agentkit.authority import ANYONE
from casino_agentkit.entrypoint import Entrypoint, ReadInput
from casino_agentkit.errors import InvalidInput
from casino_contracts import (
    RecordGameEventOutput,
    RecordTableEventsOutput,
    StreamedEvent,
    TableEvent,
)
from casino_contracts.events.content import content_of
from casino_contracts.events.table_event import EVENT_BYTES
from casino_lobby.delivery.delivered_parts import DeliveredPart, DeliveryInput
from casino_lobby.delivery.event_batch import EventBatchInput
from casino_lobby.domain.events import Committed
from casino_lobby.domain.room_views import public
from casino_lobby.domain.table_events.reported_event import (
    DecodedEvent,
    ReportedEvent,
    model_of,
    said_by,
)
from casino_lobby.store.serialization import proved, written
from casino_lobby.streaming import frames
from support.requirements import IS_LONG

from .written_events import batch_json, delivery_json

EXAMPLES = 100_000 if IS_LONG else 2_000
SEED = 19


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


def judge_equal(decoded: ReportedEvent, read: TableEvent) -> None:
    """Compare an event with what the model read."""
    assert isinstance(decoded, DecodedEvent)
    assert type(read) is TableEvent
    for field in TableEvent.model_fields:
        assert getattr(decoded, field) == getattr(read, field), field
    assert written(read) == decoded.content  # also where 1 equals 1.0 and true
    assert model_of(decoded) == read
    if len(decoded.content) <= EVENT_BYTES:
        assert proved(read) == proved(decoded) == decoded.content
    said, expected = said_by(decoded), content_of(read)
    assert type(said) is type(expected)
    assert said is None or expected is None or said.fields == expected.fields
    streamed = StreamedEvent(cursor=7, room_id='r"1', event=public(read)).wire()
    frame = frames.table_event(Committed(7, 'r"1', decoded)).data
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
    except ValueError:
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
    """As the model writes it."""
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
