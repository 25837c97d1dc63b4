"""What of a reply is kept, quoted or stored, without I/O."""

from typing import Any

import pytest
from casino_contracts import Rejection
from pydantic_core import PydanticSerializationError


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("depth", [33, 200, 254, 255, 1_000])
def test_a_rejection_never_holds_what_cannot_be_sent(depth: int) -> None:
    rejection = Rejection(reason="malformed", message="no", answer=nested(depth))
    assert rejection.wire() == b'{"reason":"malformed","message":"no"}'


def test_a_rejection_holds_an_answer_of_usual_size() -> None:
    answer = {"action": "bet", "further": nested(20)}
    assert Rejection(reason="illegal", message="no", answer=answer).answer == answer
    assert Rejection(reason="illegal", message="no", answer="x" * 5_000).answer is None


def test_a_deep_answer_cannot_be_written() -> None:
    """The serializer raises; the model leaves such an answer out."""
    unchecked = Rejection.model_construct(reason="malformed", message="no", answer=nested(1_000))
    with pytest.raises(PydanticSerializationError):
        unchecked.wire()
