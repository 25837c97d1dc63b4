"""A room's state of its table is a fold of events from any table."""

from typing import Any

import pytest
from casino_contracts import PlayerSeat, TableAgentSkills, TableEvent
from casino_lobby.domain.reported_event import RECENT_EVENTS
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_addresses import PlayerAgent
from casino_lobby.domain.room_fold import apply, begin_epoch
from casino_lobby.domain.room_views import public, room_snapshot, room_summary, table_summary
from support.table.table_side import config


def room(**changes: Any) -> Room:
    made = Room("r1", "t1", config(**changes), "texas-holdem", TableAgentSkills())
    made.phase = "open"
    return made


def event(event_type: str, sequence: int | None = None, /, **payload: Any) -> TableEvent:
    return TableEvent.model_validate(
        {
            "tableId": "t1",
            "eventType": event_type,
            "message": f"{event_type} happened",
            "timestamp": "now",
            "payload": payload or None,
            "sequence": sequence,
        }
    )


def registered(number: int, **more: Any) -> TableEvent:
    seat = {"playerId": f"p{number}", "seatNumber": number, "displayName": "P", "stack": 200}
    return event("player_registered", **{**seat, **more})


def seat(number: int) -> PlayerSeat:
    """Return a seat as the table's reply tells it."""
    return PlayerSeat(player_id=f"p{number}", seat_number=number, display_name="P", stack=200)


def blinds(small: int | None, big: int) -> dict[str, Any]:
    posts = {"small-blind": small, "big-blind": big}
    return {
        "posted": [
            {"playerId": f"p{number}", "kind": kind, "amount": 1}
            for kind, number in posts.items()
            if number is not None
        ]
    }


class TestBlinds:
    """Where a table that takes over goes on with the button."""

    def test_a_dead_small_blind_was_due_where_the_big_blind_was(self) -> None:
        made = room()
        for number in range(4):
            apply(made, registered(number, agentCardUrl="http://p"))
        for hand, (small, big) in enumerate(((1, 2), (None, 3)), start=1):
            apply(made, event("hand_started", handNumber=hand, **blinds(small, big)))
            apply(made, event("hand_completed", handNumber=hand))
        _, going_on = begin_epoch(made)
        assert (going_on.small_blind_seat, going_on.big_blind_seat) == (2, 3)

    @pytest.mark.parametrize("ends", ["table", "lobby"])
    def test_a_cancelled_hand_moves_no_blind(self, ends: str) -> None:
        """Whether its table cancels it or is gone, and the lobby restarts."""
        made = room()
        for number in range(4):
            apply(made, registered(number, agentCardUrl="http://p"))
        apply(made, event("hand_started", handNumber=1, **blinds(1, 2)))
        apply(made, event("hand_completed", handNumber=1))
        apply(made, event("hand_started", handNumber=2, **blinds(2, 3)))
        if ends == "table":
            apply(made, event("table_status", kind="hand_cancelled"))
        for _ in range(2):
            made = Room.from_json(made.to_json())
            _, going_on = begin_epoch(made)
            assert (going_on.small_blind_seat, going_on.big_blind_seat) == (1, 2)


class TestFold:
    def test_hands_without_a_number_are_counted(self) -> None:
        """As those of a table that knows only the protocol document."""
        made = room()
        made.start_session(5)
        for payload in ({}, {"handsPlayed": 2}, {"handNumber": "three"}, {"handNumber": 4}):
            apply(made, event("hand_started"))
            apply(made, event("hand_completed", **payload))
        assert (room_summary(made).hand_count, table_summary(made).hand_count) == (4, 4)
        assert made.hands_left == 1

    def test_the_newest_events_are_in_the_snapshot(self) -> None:
        made = room(seed="secret")
        for sequence in range(1, 301):
            apply(
                made,
                event("player_registered", sequence, playerId="p", agentCardUrl="http://hidden"),
            )
        snapshot = room_snapshot(made)
        assert len(snapshot.events) == RECENT_EVENTS
        assert snapshot.events[-1].sequence == 300
        text = snapshot.model_dump_json()
        assert "hidden" not in text
        assert "secret" not in text

    def test_public_events_keep_everything_else(self) -> None:
        one = registered(3, agentCardUrl="http://hidden")
        assert public(one).payload == {
            "playerId": "p3",
            "seatNumber": 3,
            "displayName": "P",
            "stack": 200,
        }
        assert public(event("hand_started")).payload is None


class TestAutomaticStart:
    """A start is due exactly once, when the last seat is taken."""

    def test_it_is_due_when_the_room_gets_full(self) -> None:
        for last in ("reply", "event"):
            made = room(maxSeats=2)
            apply(made, registered(0))
            assert not made.may_start_itself
            if last == "reply":
                made.seat(seat(1), PlayerAgent("http://p"))
            else:
                apply(made, registered(1))
            assert made.may_start_itself

    def test_it_is_not_due_twice(self) -> None:
        made = room(maxSeats=2)
        made.seat(seat(0), PlayerAgent("http://p"))
        made.seat(seat(1), PlayerAgent("http://p"))
        made.mark_starting()
        assert not made.may_start_itself
        apply(made, registered(0))
        apply(made, registered(1))
        apply(made, event("table_status", status="running", kind="started"))
        apply(made, event("table_status", status="idle", kind="finished"))
        assert not made.may_start_itself

    def test_a_seat_that_is_taken_again_makes_it_due_again(self) -> None:
        made = room(maxSeats=2)
        for number in (0, 1):
            apply(made, registered(number))
        made.mark_starting()
        apply(made, event("table_status", status="running", kind="started"))
        apply(made, event("player_busted", playerId="p1"))
        apply(made, event("table_status", status="idle", kind="finished"))
        apply(made, registered(2))
        assert made.may_start_itself

    def test_a_late_reply_does_not_bring_back_who_has_left(self) -> None:
        """The events of its registration and its end were recorded already."""
        made = room()
        apply(made, registered(1))
        apply(made, event("player_busted", playerId="p1"))
        made.seat(seat(1), PlayerAgent("http://p"))
        assert made.seats == {}

    @pytest.mark.parametrize("phase", ["opening", "closing", "closed", "failed"])
    def test_only_an_open_room_starts(self, phase: Any) -> None:
        made = room(maxSeats=1 + 1)
        apply(made, registered(0))
        apply(made, registered(1))
        made.phase = phase
        assert not made.may_start_itself
        assert room_summary(made).state == phase


def test_player_ids_are_free_in_the_room() -> None:
    made = room()
    apply(made, registered(0, playerId="player-1"))
    assert [made.next_player_id() for _ in range(2)] == ["player-2", "player-3"]


def test_equal_rooms_have_equal_json() -> None:
    """Two equal sets of ids can differ in their order; the JSON of a room is compared."""
    first, second = room(), room()
    ids = [f"p{number}" for number in range(50)]
    turned = ids[::-1]
    first.reported_ids, second.reported_ids = set(ids), set(turned)
    first.invited_ids, second.invited_ids = set(ids), set(turned)
    assert first.to_json() == second.to_json()
    assert Room.from_json(first.to_json()).reported_ids == set(ids)
