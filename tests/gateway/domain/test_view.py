"""What a seat sees when the table's notices are ahead of the room's events."""

from typing import Any

from casino_contracts import TableEvent
from casino_gateway.domain.match import Match
from casino_gateway.domain.view import SeatView


def event(hand_number: int) -> TableEvent:
    return TableEvent.model_validate(
        {
            "tableId": "t1",
            "eventType": "hand_completed",
            "message": "it ends",
            "timestamp": "2026-01-01T00:00:00Z",
            "payload": {"handNumber": hand_number},
        }
    )


def dealt(card: str) -> dict[str, Any]:
    return {"public": {"board": []}, "private": {"card": card}}


def test_the_end_of_an_earlier_hand_does_not_mix_with_the_next_deal() -> None:
    """The cards of hand 8 are never shown with hand 7's public state or number."""
    match = Match("t1", "texas-holdem")
    match.hand_number, match.public = 7, {"board": ["Ah"]}
    view = SeatView(match)
    assert view.deal(8, dealt("Qc"))
    view.note(event(7))
    assert (view.hand_number, view.state(None)) == (8, dealt("Qc"))
    match.hand_number, match.public = 8, {"board": ["Kd"]}
    view.note(event(8))
    assert view.hand_number == 8
    assert view.state(None) == {"public": {"board": ["Kd"]}, "private": {"card": "Qc"}}


def test_a_result_is_that_of_the_hand_that_is_shown() -> None:
    """The room may be a hand ahead of the table's notices, or behind them."""
    match = Match("t1", "kuhn_poker")
    view = SeatView(match)
    match.hand_number = 7
    assert view.complete(7, {"of": 7})
    shown = [view.result]
    match.hand_number = 8
    view.note(event(8))
    shown.append(view.result)
    match.result, match.result_hand = {"of": 8}, 8
    shown.append(view.result)
    assert view.complete(8, {"of": "8, as the table sent it"})
    shown.append(view.result)
    assert view.deal(9, dealt("Qc"))
    shown.append(view.result)
    assert shown == [{"of": 7}, None, {"of": 8}, {"of": "8, as the table sent it"}, None]
