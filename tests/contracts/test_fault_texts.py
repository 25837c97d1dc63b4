"""Faults of every message are described in the words of JSON, one for each fault.

Each message and each of its fields gets values of every kind. What is checked is that no word of
Python or of pydantic is in a description.
"""

import re
from collections.abc import Iterator
from typing import Any, get_args

import casino_contracts
import pytest
from casino_agentkit import Violation
from casino_agentkit.violations import violations_of
from casino_contracts import EventType, RecordGameEventInput, WireModel
from casino_games import config_class, game_types
from pydantic import TypeAdapter, ValidationError

WRONG: list[Any] = [
    None,
    True,
    0,
    -1,
    1.5,
    10**30,
    float("nan"),
    "",
    " x",
    "a\x00",
    "x" * 5_000,
    "http://x y",
    [],
    {},
    [1],
    ["a"] * 3,
    [{}],
    [[]],
    [None],
    {"a": 1},
    {"a": {"b": 1}},
    {"playerId": 1},
    [{"playerId": "p", "stack": -1}],
]
PYTHON = re.compile(
    r"\b(value error|assertion|tuple|dict|dictionary|list|set|none|nonetype|bool|boolean|int|"
    r"integer|float|str|instance|model|class|python|after validation|input should|field required|"
    r"unable to parse|true or false or)\b|'",
    re.IGNORECASE,
)
_NAMES = [f'"{name}"' for name in get_args(EventType)]
TYPES = f"{', '.join(_NAMES[:-1])} or {_NAMES[-1]}"
MODELS: dict[str, Any] = {
    **{
        name: value
        for name, value in vars(casino_contracts).items()
        if isinstance(value, type) and issubclass(value, WireModel)
    },
    "RecordGameEventInput": RecordGameEventInput,
    **{f"config of {game_type}": config_class(game_type) for game_type in game_types()},
}


def wrong_values(field_names: list[str]) -> Iterator[Any]:
    """Yield values of every kind, for the whole message and for each field."""
    yield from WRONG
    for name in field_names:
        for value in WRONG:
            yield {name: value}
    yield dict.fromkeys(field_names, 1)
    yield {name: {} for name in field_names}


def violations(model: TypeAdapter[Any], data: Any) -> tuple[Violation, ...]:
    try:
        model.validate_python(data)
    except ValidationError as error:
        return violations_of(error, data=data, at_most=None)
    return ()


def leads_nowhere(path: str, data: Any) -> bool:
    """Return whether a path has a part, before its last one, that the value does not have."""
    *inner, _last = path.split(".")
    for part in inner:
        try:
            data = data[int(part)] if isinstance(data, list) else data[part]
        except (KeyError, IndexError, ValueError, TypeError):
            return True
    return False


@pytest.mark.parametrize("name", MODELS)
def test_faults_have_no_words_of_python(name: str) -> None:
    model: TypeAdapter[Any] = TypeAdapter(MODELS[name])
    schema = model.json_schema(by_alias=True)
    fields = list(schema.get("properties", {"events": {}, "eventType": {}, "payload": {}}))
    found = 0
    for data in wrong_values(fields):
        faults = violations(model, data)
        found += len(faults)
        paths = [fault.field for fault in faults]
        assert len(set(paths)) == len(paths), (data, faults)
        for fault in faults:
            text = re.sub(r'"[^"]*"|must match .*', "", fault.message)
            assert not PYTHON.search(text), (data, fault)
            assert not leads_nowhere(fault.field, data), (data, fault)
    assert found or not fields


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"events": 7}, [("events", "must be an array")]),
        ({"events": []}, [("events", "must have at least 1 item")]),
        ({"events": [7]}, [("events.0", "must be an object")]),
        (7, [("", "must be an object")]),
        (
            {"tableId": "t", "eventType": "x", "message": "m"},
            [
                (
                    "eventType",
                    f"must be {TYPES}",
                ),
                ("timestamp", "is required"),
            ],
        ),
    ],
)
def test_an_event_or_a_batch_has_faults_of_its_own_fields(
    data: Any, expected: list[tuple[str, str]]
) -> None:
    """The path does not say which of the two it was taken for."""
    found = violations(TypeAdapter(RecordGameEventInput), data)
    assert [(fault.field, fault.message) for fault in found] == expected
