"""A hidden card among received bytes is noticed."""

import orjson
import pytest
from support.casino.overheard import Overheard

ACE = {"rank": "A", "suit": "spades"}
EVENT = {"eventType": "action_taken", "handId": "green/1", "payload": {"cards": [ACE]}}
HIDDEN = {"green/1": {"As"}}


@pytest.mark.parametrize(
    "piece",
    [
        orjson.dumps(EVENT),
        orjson.dumps({"rooms": [{"events": [EVENT]}]}),
        b"event: table\r\ndata: " + orjson.dumps(EVENT) + b"\r\n\r\n",
        b"{}\n" + orjson.dumps(EVENT),
        orjson.dumps({"result": {"holeCards": [ACE]}}),
    ],
)
def test_a_hidden_card_is_noticed(piece: bytes) -> None:
    """In an event, in a list, in a stream, in a line, and beside all events."""
    with pytest.raises(AssertionError):
        Overheard([b"HTTP", piece]).holds_none_of(HIDDEN)


def test_a_shown_card_is_allowed() -> None:
    """The same card in another hand is not."""
    overheard = Overheard([orjson.dumps(EVENT), orjson.dumps({**EVENT, "handId": "green/2"})])
    overheard.holds_none_of({"green/1": {"Ks"}})
    assert overheard.events == 2
