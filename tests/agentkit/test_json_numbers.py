"""JSON values and their numbers as protobuf carries them."""

import json
from typing import Any

import pytest
from casino_agentkit import ANYONE, Agent
from casino_agentkit.accepted_json import carried, may_change, whole_numbers
from casino_agentkit.protobuf_values import from_value, to_value
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.struct_pb2 import Struct, Value
from hypothesis import given
from hypothesis import strategies as st

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(), children),
    max_leaves=20,
)


def test_whole_doubles_are_integers_where_doubles_are_exact() -> None:
    """Beyond 2^53 they stay doubles: their digits mean nothing, and 1e300 has 301 of them."""
    read = whole_numbers({"a": [1.0, -2.0, 0.5, 2.0**53, 1e300, True, None, "1.0"]})
    assert repr(read["a"]) == "[1, -2, 0.5, 9007199254740992, 1e+300, True, None, '1.0']"
    assert repr(from_value(Value(number_value=2.0**53))) == "9007199254740992"
    assert repr(from_value(Value(number_value=1e300))) == "1e+300"


@given(st.dictionaries(st.text(), JSON_VALUES))
def test_a_carried_value_is_what_protobuf_carries(value: dict[str, Any]) -> None:
    through = whole_numbers(MessageToDict(ParseDict(value, Struct())))
    assert _typed(carried(value)) == _typed(through)


@given(JSON_VALUES)
def test_json_that_may_not_change_does_not(value: Any) -> None:
    """So that most messages are not walked through."""
    data = json.dumps(value).encode()
    if not may_change(data):
        assert _typed(carried(json.loads(data))) == _typed(json.loads(data))


@pytest.mark.parametrize("number", [b"1E+2", b"100.0", b"1000e-1"])
def test_an_input_of_json_has_the_numbers_that_protobuf_carries(number: bytes) -> None:
    """A call that is answered without the SDK says the same then."""
    agent = Agent("Reader", "It reads whatever it is sent.")

    @agent.entrypoint("read", who=ANYONE)
    def read(values: dict[str, Any]) -> dict[str, Any]:
        return values

    read_input = agent.entrypoints["read"].read_json(b'{"a":[%b,0.5]}' % number)
    assert repr(read_input.content) == "{'a': [100, 0.5]}"


def test_what_changes_nothing_is_shared() -> None:
    """So that the cards of many agents share the schemas of their entrypoints."""
    schema = {"type": "object", "properties": {"plates": {"maximum": 2**53 - 1}}}
    assert carried(schema) is schema
    written = carried({"schema": schema, "odds": (0.5, 2.0)})
    assert written["schema"] is schema
    assert repr(written["odds"]) == "[0.5, 2]"


@pytest.mark.parametrize("value", [float("nan"), float("-inf"), {"a": {1}}, {1: 2}, 10**400])
def test_what_json_cannot_hold_is_refused(value: Any) -> None:
    with pytest.raises((ValueError, TypeError, OverflowError)):
        carried([value])


@given(st.dictionaries(st.text(), JSON_VALUES))
def test_a_value_is_protobuf_s_and_comes_back(value: dict[str, Any]) -> None:
    assert _typed(whole_numbers(MessageToDict(to_value(value)))) == _typed(carried(value))
    assert _typed(from_value(to_value(value))) == _typed(carried(value))


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_what_binary_protobuf_carries_beyond_json_is_refused(number: float) -> None:
    """As over gRPC."""
    with pytest.raises(ValueError, match="finite"):
        from_value(Value(number_value=number))
    with pytest.raises(TypeError, match="set is not a JSON value"):
        to_value({"a": {1}})


def _typed(value: Any) -> Any:
    """Return a value in which 1, 1.0 and True differ."""
    if isinstance(value, dict):
        return {key: _typed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_typed(item) for item in value]
    return type(value), value
