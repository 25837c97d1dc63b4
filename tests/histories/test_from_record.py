"""Hands of rooms: those of tables of ours, and those that events do not tell fully."""

import json
from pathlib import Path
from typing import Any

import pytest
from casino_contracts import HandDetail, HandSummary, TableEvent
from casino_histories import NotExportable
from casino_histories.from_record import history_of

SESSIONS = json.loads((Path(__file__).parents[1] / "vectors/table_events.json").read_text())


def details() -> list[HandDetail]:
    """Return the completed hands of Hold'em of the recorded sessions."""
    found = []
    for session in SESSIONS:
        hands: dict[str, list[Any]] = {}
        for event in session["events"]:
            if event.get("handId"):
                hands.setdefault(event["handId"], []).append(event)
        for hand_id, events in hands.items():
            kinds = [event["eventType"] for event in events]
            payload = events[0].get("payload") or {}
            if kinds[0] == "hand_started" and "hand_completed" in kinds and "posted" in payload:
                found.append(detail(hand_id, events))
    return found


def detail(hand_id: str, events: list[Any]) -> HandDetail:
    summary = HandSummary(
        hand_id=hand_id,
        hand_number=events[0]["payload"]["handNumber"],
        epoch=1,
        last_sequence=99,
        timestamp=events[-1]["timestamp"],
        message="",
    )
    parsed = tuple(TableEvent.model_validate(event) for event in events)
    return HandDetail(room_id="green", hand=summary, events=parsed)


def test_hands_of_recorded_tables_can_be_written() -> None:
    """Their chips add up, and an all-in is a call or a raise."""
    hands = [history_of(item) for item in details()]
    assert len(hands) >= 6
    for hand in hands:
        assert hand.is_settled
        assert hand.started_at is not None
        assert {action.kind for action in hand.actions} <= {
            *("fold", "check", "call", "bet", "raise"),
        }
    assert any(action.is_all_in for hand in hands for action in hand.actions)


def changed(**fields: Any) -> HandDetail:
    """Return the first hand with other fields of its first payload."""
    first = details()[0]
    events = [event.model_dump(mode="json", by_alias=True) for event in first.events]
    events[0]["payload"].update(fields)
    return detail(first.hand.hand_id, events)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"state": {}, "gameType": "kuhn-poker"}, "only hands of Hold'em"),
        ({"buttonSeat": None}, "the seats or the button"),
        ({"players": []}, "the seats or the button"),
        ({"bigBlind": "2"}, "an amount of chips is missing"),
        ({"posted": []}, "the chips of its events do not add up"),
        ({"posted": [{"playerId": "nobody", "kind": "ante", "amount": 1}]}, "not dealt in"),
        ({"posted": [{"playerId": "p1", "kind": "tip", "amount": 1}]}, "unknown kind: tip"),
        ({"smallBlind": 0.123456789}, "too many decimals"),
    ],
)
def test_a_hand_that_events_leave_open_is_refused(fields: dict[str, Any], reason: str) -> None:
    with pytest.raises(NotExportable, match=reason):
        history_of(changed(**fields))


def test_a_hand_without_its_beginning_is_refused() -> None:
    first = details()[0]
    late = first.model_copy(update={"events": first.events[1:]})
    with pytest.raises(NotExportable, match="beginning or end"):
        history_of(late)
