"""Limits of events, batches and free objects; errors name the field."""

import cProfile
from typing import Any

import pytest
from casino_contracts import (
    MAX_SAFE,
    ConfigureTableInput,
    CreateRoomInput,
    RecordGameEventInput,
    TableEvent,
    TableEventBatch,
)
from casino_contracts.base import DEEPEST, fault_of
from casino_contracts.events.table_event import BATCH_BYTES
from pydantic import TypeAdapter, ValidationError
from support.table.table_side import CONFIG

EVENT = {
    "tableId": "t1",
    "eventType": "table_status",
    "message": "hm",
    "timestamp": "2026-11-20T19:43:00.123Z",
}
INPUT: TypeAdapter[TableEvent | TableEventBatch] = TypeAdapter(RecordGameEventInput)


def nested(depth: int, leaf: object = 1) -> Any:
    """Return objects and arrays in turn, so many in each other."""
    value = leaf
    for level in range(depth):
        value = [value] if level % 2 else {"d": value}
    return value


def fault(data: object) -> tuple[str, str]:
    """Return the field and the complaint of an input that must be refused."""
    with pytest.raises(ValidationError) as refused:
        INPUT.validate_python(data)
    (found,) = refused.value.errors()
    return ".".join(map(str, found["loc"])), found["msg"]


class TestDepth:
    @pytest.mark.parametrize("leaf", [1, "x", None, {}, []])
    def test_thirty_two_levels_are_taken(self, leaf: object) -> None:
        levels = DEEPEST - (leaf in ({}, []))
        assert fault_of(nested(levels, leaf)) is None
        assert fault_of(nested(levels + 1, leaf)) == "must be nested at most 32 levels deep"

    def test_deep_input_is_refused_without_recursion(self) -> None:
        """And without looking deeper than the limit: a deeper one costs no call more."""
        calls = []
        for value in (nested(1_000), nested(100_000)):
            profile = cProfile.Profile()
            assert profile.runcall(fault_of, value)
            calls.append(sum(entry.callcount for entry in profile.getstats()))
        assert calls[0] == calls[1]

    def test_the_field_is_named(self) -> None:
        deep = {**EVENT, "payload": {"d": nested(DEEPEST)}}
        message = "Value error, must be nested at most 32 levels deep"
        assert fault(deep) == ("event.payload", message)
        assert fault({"events": [EVENT, deep]}) == ("batch.events.1.payload", message)

    def test_every_free_object_has_the_limit(self) -> None:
        deep = {"d": nested(DEEPEST)}
        callback = {"agentCardUrl": "http://h/", "eventSkill": "e"}
        configuring = {"tableId": "t", "casinoName": "c", "casinoCallback": callback}
        models: dict[type[Any], dict[str, Any]] = {
            CreateRoomInput: {},
            ConfigureTableInput: configuring,
        }
        for model, more in models.items():
            model.model_validate({**more, "config": CONFIG, "gameConfig": {"d": {}}})
            with pytest.raises(ValidationError, match="32 levels"):
                model.model_validate({**more, "config": CONFIG, "gameConfig": deep})


class TestNumbers:
    @pytest.mark.parametrize("number", [MAX_SAFE, -MAX_SAFE, 0.1, -0.0, 1e-300, True])
    def test_exact_integers_are_taken(self, number: float) -> None:
        assert fault_of({"n": [number]}) is None

    @pytest.mark.parametrize(
        "number", [MAX_SAFE + 1, -(2**60), 1e300, float("nan"), float("inf"), -float("inf")]
    )
    def test_inexact_integers_are_refused(self, number: float) -> None:
        assert fault({**EVENT, "payload": {"a": [{"b": number}]}})[0] == "event.payload"


class TestSizes:
    def test_a_batch_is_bounded(self) -> None:
        event = {**EVENT, "payload": {"x": ""}}
        frame = len(TableEvent.model_validate(event).wire())
        large = {**EVENT, "payload": {"x": "x" * (BATCH_BYTES // 8 - frame)}}
        INPUT.validate_python({"events": [large] * 8})
        assert fault({"events": [large] * 8 + [EVENT]}) == (
            "batch.events",
            "Value error, must have at most 262144 bytes in all: send fewer at a time",
        )

    def test_a_message_is_cut(self) -> None:
        event = TableEvent.model_validate({**EVENT, "message": "\x1b[31m" + "é\u202e" * 9_999})
        assert event.message == ("[31m" + "é" * 999)[:500]
        assert TableEvent.model_validate_json(event.wire()) == event

    @pytest.mark.parametrize(
        ("field", "limit"), [("tableId", 128), ("handId", 160), ("timestamp", 128)]
    )
    def test_ids_are_bounded(self, field: str, limit: int) -> None:
        """A hand id has room for a table id and a number."""
        INPUT.validate_python({**EVENT, field: "x" * limit})
        assert fault({**EVENT, field: "x" * (limit + 1)})[0] == f"event.{field}"
