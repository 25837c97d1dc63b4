"""JSON values as protobuf's Value, in both directions."""

from typing import Any

import pytest
from casino_agentkit.protobuf_values import from_value, to_value
from google.protobuf.json_format import MessageToDict
from google.protobuf.struct_pb2 import Value
from hypothesis import given
from hypothesis import strategies as st

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(), children),
    max_leaves=20,
)


@given(JSON_VALUES)
def test_a_round_trip_changes_nothing(value: Any) -> None:
    assert from_value(to_value(value)) == value


@given(JSON_VALUES)
def test_the_result_equals_protobuf_s_own(value: Any) -> None:
    assert MessageToDict(to_value(value)) == value


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(TypeError, match="set is not a JSON value"):
        to_value({"a": {1}})


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_what_json_cannot_hold_is_refused(number: float) -> None:
    """Binary protobuf carries it, as over gRPC."""
    with pytest.raises(ValueError, match="finite"):
        from_value(Value(number_value=number))


def test_whole_doubles_are_integers_where_doubles_are_exact() -> None:
    """Beyond 2^53 they stay doubles: their digits mean nothing, and 1e300 has 301 of them."""
    assert repr(from_value(Value(number_value=2.0**53))) == "9007199254740992"
    assert repr(from_value(Value(number_value=1e300))) == "1e+300"
