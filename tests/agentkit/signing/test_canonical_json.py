"""Canonical JSON agrees with RFC 8785's examples and with the SDK's implementation."""

import math
import struct
from typing import Any

import orjson
import pytest
from a2a.utils._jcs import CanonicalizationError, canonicalize
from casino_agentkit.canonical_json import DEEPEST, canonical_json
from hypothesis import given
from hypothesis import strategies as st

SCALARS = st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text()
VALUES = st.recursive(
    SCALARS | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


class TestExamples:
    def test_keys_are_sorted_by_utf16(self) -> None:
        """RFC 8785, section 3.2.3: a surrogate pair comes before U+FB33."""
        keys = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
        written = orjson.loads(canonical_json(dict.fromkeys(keys, 0)))
        assert list(written) == [
            "\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33",
        ]  # fmt: skip

    @pytest.mark.parametrize(
        ("bits", "text"),
        [
            (0x0000000000000000, "0"),
            (0x8000000000000000, "0"),
            (0x0000000000000001, "5e-324"),
            (0x7FEFFFFFFFFFFFFF, "1.7976931348623157e+308"),
            (0x4340000000000000, "9007199254740992"),
            (0x4430000000000000, "295147905179352830000"),
            (0x44B52D02C7E14AF5, "9.999999999999997e+22"),
            (0x44B52D02C7E14AF6, "1e+23"),
            (0x444B1AE4D6E2EF4E, "999999999999999700000"),
            (0x444B1AE4D6E2EF50, "1e+21"),
            (0x3EB0C6F7A0B5ED8C, "9.999999999999997e-7"),
            (0x3EB0C6F7A0B5ED8D, "0.000001"),
            (0x41B3DE4355555553, "333333333.3333332"),
            (0xBECBF647612F3696, "-0.0000033333333333333333"),
            (0x43143FF3C1CB0959, "1424953923781206.2"),
        ],
    )
    def test_numbers_are_written_as_in_the_rfc(self, bits: int, text: str) -> None:
        assert canonical_json(struct.unpack(">d", struct.pack(">Q", bits))[0]).decode() == text


class TestSecondOpinion:
    """The SDK's implementation gives the same bytes."""

    @given(VALUES)
    def test_every_value_is_the_same(self, value: Any) -> None:
        assert canonical_json(value).decode() == canonicalize(value)

    @given(st.floats())
    def test_every_number_is_the_same(self, number: float) -> None:
        """A number that is not finite is refused by both."""
        if math.isfinite(number):
            assert canonical_json(number).decode() == canonicalize(number)
        else:
            with pytest.raises(CanonicalizationError):
                canonicalize(number)
            with pytest.raises(ValueError, match="not finite"):
                canonical_json(number)


class TestRefused:
    """Values without a canonical form raise ValueError."""

    @pytest.mark.parametrize(
        "value", [2**53, -(2**53), "\ud800", {"\udfff": 1}, {1: 2}, b"bytes", {"a": {1, 2}}]
    )
    def test_what_is_no_json_is_refused(self, value: Any) -> None:
        """Inexact integers, lone surrogates, keys that are no strings, bytes and sets."""
        with pytest.raises(ValueError, match="."):
            canonical_json(value)

    def test_deep_nesting_is_refused(self) -> None:
        value: Any = 1
        for _ in range(DEEPEST):
            value = [value]
        canonical_json(value)
        with pytest.raises(ValueError, match="nested"):
            canonical_json([value])

    def test_too_many_values_are_refused(self) -> None:
        value = {"a": [1, 2, 3], "b": {"c": 4}}
        canonical_json(value, 6)
        with pytest.raises(ValueError, match="too many"):
            canonical_json(value, 5)
