"""protobuf's Value and JSON, both ways."""

from typing import Any

import pytest
from casino_agentkit.protobuf_values import from_value, to_value
from google.protobuf.json_format import MessageToDict
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
    """Integers stay integers up to 2^53 - 1."""
    assert from_value(to_value(value)) == value


@given(JSON_VALUES)
def test_it_is_what_protobuf_would_make(value: Any) -> None:
    """The fast way and the official one agree."""
    assert MessageToDict(to_value(value)) == value


def test_what_is_no_json_is_refused() -> None:
    """A set is no JSON value."""
    with pytest.raises(TypeError, match="set is not a JSON value"):
        to_value({"a": {1}})
