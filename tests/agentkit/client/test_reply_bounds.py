"""The limits on a reply depend on what its text and its values take in memory."""

import json

import pytest
from casino_agentkit.accepted_json import ReplyBounds

BOUNDS = ReplyBounds(beyond_ascii=1_000)


@pytest.mark.parametrize("is_escaped", [True, False])
def test_a_large_reply_beyond_ascii_is_refused(*, is_escaped: bool) -> None:
    """Escaped or not, one such character makes every character of its text larger."""
    texts = ["x" * length + "\N{GRINNING FACE}" for length in (900, 1_000)]
    small, large = (json.dumps(text, ensure_ascii=is_escaped).encode() for text in texts)
    assert BOUNDS.parse(small) == texts[0]
    with pytest.raises(ValueError, match="has characters beyond ASCII, and is larger than 1000"):
        BOUNDS.parse(large)


def test_a_large_reply_of_ascii_is_read() -> None:
    text = "x" * 10_000
    assert BOUNDS.parse(json.dumps(text).encode()) == text


@pytest.mark.parametrize("value", [[[]] * 10, [{}] * 10, [0] * 22, {str(n): n for n in range(22)}])
def test_a_reply_of_many_values_is_refused_before_it_is_parsed(value: object) -> None:
    """Many objects or many numbers: one of the two is enough."""
    bounds = ReplyBounds(openings=10, commas=20)
    assert bounds.parse(json.dumps([[]] * 9).encode()) == [[]] * 9
    assert bounds.parse(json.dumps([0] * 21).encode()) == [0] * 21
    with pytest.raises(ValueError, match="contains too many values"):
        bounds.parse(json.dumps(value).encode())
