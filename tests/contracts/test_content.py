"""Reading an event field by field: what cannot be read is absent, the rest counts."""

from typing import Any, get_args

import pytest
from casino_contracts import Card, PlayerPoints, PotShare, TableEvent
from casino_contracts.events.content import (
    KINDS,
    ActionTaken,
    EventType,
    HandCompleted,
    HandStarted,
    PlayerBusted,
    PlayerRegistered,
    StatusChanged,
    TableFailed,
    content_of,
)


def test_every_kind_is_declared() -> None:
    assert set(KINDS) == set(get_args(EventType))


def event(event_type: EventType, **payload: Any) -> TableEvent:
    """Return an event without checks of its payload's size or depth."""
    return TableEvent.model_construct(
        table_id="t1", event_type=event_type, message="", timestamp="", payload=payload
    )


@pytest.mark.parametrize(
    ("of", "kind", "fields"),
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
                clockMs=30_000,
                playerType="human",
            ),
            PlayerRegistered,
            {
                "seat": ("p1", 2, "Ada", 200.5, "human", None),
                "clock_ms": 30_000,
                "agent_card_url": "http://ada/card",
                "action_skill": "act",
                "plays_any_game": True,
            },
        ),
        (
            event(
                "hand_started",
                handNumber=7.0,
                buttonSeat=0,
                smallBlind=1,
                bigBlind="2",
                posted=[{"playerId": "p1", "kind": "big-blind", "amount": 2}, {"kind": "ante"}],
                players=[{"playerId": "p1", "seatNumber": 0, "stack": 200}, "p2"],
            ),
            HandStarted,
            {
                "hand_number": 7,
                "button_seat": 0,
                "small_blind": 1,
                "big_blind": None,
                "posted": (("p1", "big-blind", 2, False),),
                "players": (("p1", 0, None, 200, None, None),),
            },
        ),
        (
            event("action_taken", handNumber=7, playerId="p1", stack=198, outcome="timeout"),
            ActionTaken,
            {
                "hand_number": 7,
                "player_id": "p1",
                "amount": None,
                "stack": 198,
                "outcome": "timeout",
                "fault": "timeout",
            },
        ),
        (
            event(
                "hand_completed",
                handNumber=7,
                stacks=[{"playerId": "p1", "stack": 201}, {"playerId": "p2", "stack": "many"}],
                pots=[{"amount": 4}, {}],
                communityCards=[{"rank": "Q", "suit": "spades"}],
                shown=[{"playerId": "p1", "cards": [{"rank": "Q"}], "rankName": "Pair"}],
                returned={"playerId": "p2", "amount": 3},
                scores={"p1": 1.5, "p2": None, "\0": 1},
                house=-1.5,
                points=[{"playerId": "p1", "points": 7.5, "place": 1}],
                result={"public": {"pot": 3}},
            ),
            HandCompleted,
            {
                "hand_number": 7,
                "stacks": (("p1", 201), ("p2", None)),
                "pots": (),
                "pot_amounts": (4, None),
                "community_cards": (Card.from_text("Qs"),),
                "shown": (),
                "returned": PotShare(player_id="p2", amount=3),
                "scores": {"p1": 1.5},
                "house": -1.5,
                "points": (PlayerPoints(player_id="p1", points=7.5, place=1),),
                "public_result": {"pot": 3},
            },
        ),
        (
            event("player_busted", handNumber=7, playerId="p2"),
            PlayerBusted,
            {"hand_number": 7, "player_id": "p2"},
        ),
        (
            event("table_status", kind="rebought", status="running", playerId="p2", amount=200),
            StatusChanged,
            {
                "kind": "rebought",
                "status": "running",
                "hand_number": None,
                "player_id": "p2",
                "stack": None,
                "amount": 200,
                "community_cards": (),
            },
        ),
        (event("table_status", status="dancing"), StatusChanged, {"status": None}),
        (event("table_error", status="error", kind="closed"), TableFailed, {"status": "error"}),
    ],
    ids=lambda value: value.event_type if isinstance(value, TableEvent) else "",
)
def test_each_kind_is_read(of: TableEvent, kind: type, fields: dict[str, Any]) -> None:
    """With what is missing or of another shape left out."""
    content = content_of(of)
    assert type(content) is kind
    assert {name: getattr(content, name) for name in fields} == fields


@pytest.mark.parametrize("outcome", ["ok", "retried", None, 7])
def test_a_decision_of_the_player_is_no_fault(outcome: Any) -> None:
    content = content_of(event("action_taken", playerId="p1", outcome=outcome))
    assert isinstance(content, ActionTaken)
    assert content.fault is None


@pytest.mark.parametrize(
    ("seat", "complete"),
    [
        ({"seatNumber": 2, "displayName": " Ada\u202e ", "stack": 5}, ("p1", 2, "Ada", 5)),
        ({"seatNumber": 0, "displayName": "\u202e", "stack": -5}, ("p1", 0, "p1", 0)),
        ({"displayName": "Ada"}, None),
    ],
)
def test_a_seat_is_complete_with_its_number(seat: Any, complete: Any) -> None:
    content = content_of(event("player_registered", playerId="p1", **seat))
    assert isinstance(content, PlayerRegistered)
    found = content.seat.complete
    assert (
        None
        if found is None
        else (found.player_id, found.seat_number, found.display_name, found.stack)
    ) == complete


@pytest.mark.parametrize("event_type", ["player_registered", "action_taken", "player_busted"])
@pytest.mark.parametrize("player_id", [None, 7, "", "p\0", "p\u202e", " p", "p" * 129, ["p1"]])
def test_an_event_about_nobody_says_nothing(event_type: EventType, player_id: Any) -> None:
    """An id has 1 to 128 visible characters and inner spaces."""
    assert content_of(event(event_type, playerId=player_id, stack=1, seatNumber=0)) is None


@pytest.mark.parametrize("stack", [-1, True, "200", float("nan"), float("inf"), 2**53, None, [1]])
def test_what_is_no_amount_of_chips_is_absent(stack: Any) -> None:
    content = content_of(event("action_taken", playerId="p1", stack=stack))
    assert isinstance(content, ActionTaken)
    assert (content.player_id, content.stack) == ("p1", None)
