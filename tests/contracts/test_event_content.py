"""Reading an event field by field: what cannot be read is absent, the rest counts."""

from typing import Any, get_args

import pytest
from casino_contracts import TableEvent
from casino_contracts.event_content import (
    ActionTaken,
    EventContent,
    HandCompleted,
    HandStarted,
    PlayerBusted,
    PlayerRegistered,
    StatusChanged,
    content_of,
)
from casino_contracts.events import EventType
from hypothesis import given, settings
from hypothesis import strategies as st

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
FIELDS = (
    "playerId",
    "seatNumber",
    "displayName",
    "stack",
    "agentCardUrl",
    "handNumber",
    "posted",
    "players",
    "stacks",
    "pots",
    "communityCards",
    "house",
    "kind",
    "status",
    "amount",
    "handsLeft",
    "outcome",
)


def event(event_type: EventType, **payload: Any) -> TableEvent:
    """Return an event without checks of its payload's size or depth."""
    return TableEvent.model_construct(
        table_id="t1", event_type=event_type, message="", timestamp="", payload=payload
    )


@pytest.mark.parametrize(
    ("of", "content"),
    [
        (
            event(
                "player_registered",
                playerId="p1",
                seatNumber=2,
                displayName="Ada",
                stack=200.5,
                agentCardUrl="http://ada/card",
                actionSkill="act",
                playsAnyGame=True,
            ),
            PlayerRegistered(("p1", 2, "Ada", 200.5), "http://ada/card", "act", True),  # type: ignore[arg-type]
        ),
        (
            event(
                "hand_started",
                handNumber=7,
                posted=[{"playerId": "p1", "kind": "big-blind", "amount": 2}, {"kind": "ante"}],
                players=[{"playerId": "p1", "seatNumber": 0, "stack": 200}, "p2"],
            ),
            HandStarted(7, (("p1", "big-blind", 2),), (("p1", 0, None, 200),)),  # type: ignore[arg-type]
        ),
        (
            event("action_taken", handNumber=7, playerId="p1", stack=198, outcome="ok"),
            ActionTaken(7, "p1", 198, "ok"),
        ),
        (
            event(
                "hand_completed",
                handNumber=7,
                stacks=[{"playerId": "p1", "stack": 201}, {"playerId": "p2", "stack": "many"}],
                pots=[{"amount": 4}, {}],
                communityCards=[{"rank": "Q", "suit": "spades"}, {"rank": "Q"}],
                house=-1.5,
            ),
            HandCompleted(
                7,
                (("p1", 201), ("p2", None)),  # type: ignore[arg-type]
                (4, None),
                (("Q", "spades"),),
                -1.5,
            ),
        ),
        (event("player_busted", handNumber=7, playerId="p2"), PlayerBusted(7, "p2")),
        (
            event("table_status", kind="rebought", status="running", playerId="p2", amount=200),
            StatusChanged("rebought", "running", None, "p2", None, 200, None),
        ),
        (
            event("table_error", status="error", reason="a fault"),
            StatusChanged(None, "error", None, None, None, None, None),
        ),
    ],
    ids=lambda value: value.event_type if isinstance(value, TableEvent) else "",
)
def test_each_kind_is_read(of: TableEvent, content: EventContent) -> None:
    """With what is missing or of another shape left out."""
    assert content_of(of) == content


@pytest.mark.parametrize("event_type", ["player_registered", "action_taken", "player_busted"])
@pytest.mark.parametrize("player_id", [None, 7, "", "p\0", "p" * 129, ["p1"]])
def test_an_event_about_nobody_says_nothing(event_type: EventType, player_id: Any) -> None:
    """An id has 1 to 128 characters and no NUL."""
    assert content_of(event(event_type, playerId=player_id, stack=1, seatNumber=0)) is None


@pytest.mark.parametrize("stack", [-1, True, "200", float("nan"), float("inf"), 2**53, None, [1]])
def test_what_is_no_amount_of_chips_is_absent(stack: Any) -> None:
    """The player is there all the same."""
    content = content_of(event("action_taken", playerId="p1", stack=stack))
    assert content == ActionTaken(None, "p1", None, None)


@settings(deadline=None)
@given(st.sampled_from(get_args(EventType)), st.dictionaries(st.sampled_from(FIELDS), JSON))
def test_any_payload_is_read(event_type: EventType, payload: dict[str, Any]) -> None:
    """Nothing that a table writes raises, and every number is one that JSON holds exactly."""
    content = content_of(event(event_type, **payload))
    for value in content or ():
        if isinstance(value, float):
            assert abs(value) <= 2**53 - 1
