"""Faults of players are a fold of events, bounded whatever a table or player does."""

import json
from typing import Any

import msgspec
import pytest
from casino_contracts import (
    FAULT_REASON_LIMIT,
    EventType,
    PlayerSeat,
    TableAgentSkills,
    TableEvent,
)
from casino_contracts.events.content import KINDS
from casino_lobby.domain.reported_event import DecodedEvent
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_books import FAULTS_KEPT, PLAYERS_KEPT
from casino_lobby.domain.room_fold import apply
from casino_lobby.domain.room_views import public, public_json
from support.table.table_side import config


class Recorded:
    """A room, and the events that its table reports."""

    def __init__(self) -> None:
        self.room = Room("r1", "t1", config(), "texas-holdem", TableAgentSkills())

    def report(self, kind: str, /, **payload: Any) -> TableEvent:
        event = TableEvent.model_validate(
            {
                "tableId": "t1",
                "eventType": kind,
                "message": kind,
                "timestamp": "2026-11-20T19:43:00.123Z",
                "sequence": self.room.last_sequence + 1,
                "payload": payload,
            }
        )
        apply(self.room, event)
        return event

    def act(self, outcome: Any, player_id: str = "p1", **more: Any) -> TableEvent:
        fields = {"handNumber": 1, "action": "fold", "outcome": outcome, "latencyMs": 7, **more}
        return self.report("action_taken", playerId=player_id, **fields)

    def outcomes(self, player_id: str = "p1") -> dict[str, int]:
        counts = self.room.faults.counts("r1", player_id)
        return {str(outcome): count for outcome, count in counts.outcomes.items()}


@pytest.fixture
def recorded() -> Recorded:
    return Recorded()


def test_the_newest_comes_first(recorded: Recorded) -> None:
    recorded.act("ok")
    recorded.act("retried", reason="no JSON")
    recorded.act("timeout", handNumber=2, bettingRound="flop", reason="no reply within 10 s")
    newest, first = recorded.room.faults.newest("p1")
    assert newest.model_dump(mode="json") == {
        "handNumber": 2,
        "epoch": 1,
        "sequence": 3,
        "bettingRound": "flop",
        "action": "fold",
        "outcome": "timeout",
        "turns": 1,
        "latencyMs": 7,
        "timestamp": "2026-11-20T19:43:00.123Z",
        "reason": "no reply within 10 s",
    }
    assert (first.outcome, first.reason) == ("retried", "no JSON")
    assert recorded.outcomes() == {"ok": 1, "retried": 1, "timeout": 1}


def test_a_flood_keeps_the_newest(recorded: Recorded) -> None:
    for number in range(3 * FAULTS_KEPT):
        recorded.act("illegal", reason=f"number {number}")
    faults = recorded.room.faults.newest("p1")
    assert len(faults) == FAULTS_KEPT
    assert faults[0].reason == f"number {3 * FAULTS_KEPT - 1}"
    assert recorded.outcomes() == {"illegal": 3 * FAULTS_KEPT}
    for number in range(2 * PLAYERS_KEPT):
        recorded.act("illegal", f"x{number}")
        recorded.act("illegal", "p1")
    assert len(recorded.room.faults.players) == PLAYERS_KEPT
    assert recorded.outcomes()["illegal"] == 3 * FAULTS_KEPT + 2 * PLAYERS_KEPT


def test_turns_of_a_seat_that_sits_out_are_one_line(recorded: Recorded) -> None:
    """So they do not push the reasons out."""
    recorded.act("illegal", reason="why")
    for number in range(2, 52):
        recorded.act("sitting_out", handNumber=number, latencyMs=None)
    away, fault = recorded.room.faults.newest("p1")
    assert (away.outcome, away.turns, away.hand_number, away.latency_ms) == (
        "sitting_out",
        50,
        51,
        None,
    )
    assert fault.reason == "why"
    assert recorded.outcomes() == {"illegal": 1, "sitting_out": 50}
    recorded.act("ok")
    recorded.act("illegal")
    recorded.act("sitting_out")
    assert [one.turns for one in recorded.room.faults.newest("p1")] == [1, 1, 50, 1]


def test_absence_is_counted_and_is_no_fault(recorded: Recorded) -> None:
    """Nobody was there; the agent answered."""
    recorded.act("illegal", reason="why")
    for _ in range(2 * FAULTS_KEPT):
        recorded.act("away")
    assert [one.reason for one in recorded.room.faults.newest("p1")] == ["why"]
    assert recorded.outcomes() == {"illegal": 1, "away": 2 * FAULTS_KEPT}


def test_a_default_is_a_fault_with_its_reason(recorded: Recorded) -> None:
    recorded.act("defaulted", defaulted={"reason": "model_failed"}, reason="401: no such key")
    recorded.act("defaulted", defaulted={"reason": "Not a word!"})
    other, fault = recorded.room.faults.newest("p1")
    assert (fault.outcome, fault.defaulted, fault.reason) == (
        "defaulted",
        "model_failed",
        "401: no such key",
    )
    assert other.defaulted == "other"


@pytest.mark.parametrize("outcome", [None, "ok ", "TIMEOUT", 7, "x" * 10_000])
def test_an_unknown_outcome_changes_nothing(recorded: Recorded, outcome: Any) -> None:
    """A third-party table has others, or none."""
    recorded.act(outcome, reason="why")
    assert recorded.room.faults.players == {}


def test_a_reason_of_another_shape_is_cleaned(recorded: Recorded) -> None:
    recorded.act("illegal", reason="a\n\x1b[2Jb\u202e" + "c" * 5_000, bettingRound="\n" * 500)
    recorded.act("illegal", reason={"not": "text"}, handNumber=0, latencyMs=-1, action=9)
    other, long = recorded.room.faults.newest("p1")
    assert long.reason is not None
    assert long.reason.isprintable()
    assert len(long.reason) == FAULT_REASON_LIMIT
    assert long.betting_round is None
    assert (other.reason, other.hand_number, other.latency_ms, other.action) == (None,) * 4


def test_another_agent_with_the_same_id_begins_anew(recorded: Recorded) -> None:
    seat = PlayerSeat(player_id="p1", seat_number=0, display_name="P", stack=200)
    fields = seat.model_dump(mode="json")
    recorded.report("player_registered", **fields, agentCardUrl="http://a/card")
    recorded.act("illegal")
    recorded.report("player_registered", **fields, agentCardUrl="http://a/card")
    assert recorded.outcomes() == {"illegal": 1}
    recorded.report("player_registered", **fields, agentCardUrl="http://b/card")
    assert recorded.outcomes() == {}


def test_reasons_since_a_hand_began_can_be_held_back(recorded: Recorded) -> None:
    recorded.act("illegal", reason="before")
    recorded.report("hand_started", handNumber=2)
    recorded.act("illegal", handNumber=2, reason="now")
    faults = recorded.room.faults
    hidden = faults.newest("p1", hidden_since=recorded.room.running_since)
    assert [one.reason for one in hidden] == [None, "before"]
    assert [one.reason for one in faults.newest("p1")] == ["now", "before"]


def test_they_are_stored_with_their_room(recorded: Recorded) -> None:
    recorded.act("illegal", reason="why")
    stored = json.loads(json.dumps(recorded.room.to_json()))
    assert Room.from_json(stored).faults == recorded.room.faults


THOUGHT = {"reasoning": "I hold As Ad", "usage": {"costUsd": 1}, "disclosed": [{"decision": 1}]}


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "hand_completed"])
def test_only_the_end_of_a_hand_discloses(recorded: Recorded, kind: EventType) -> None:
    """Whatever a third-party table reports, and wherever."""
    said = {"reason": "model_failed", "detail": "I hold As Ad"}
    event = recorded.report(kind, playerId="p1", defaulted=said, **THOUGHT)
    decoded = msgspec.json.decode(event.wire(), type=DecodedEvent)
    assert public(event).payload == {"playerId": "p1", "defaulted": {"reason": "model_failed"}}
    assert public_json(decoded) == public(event).wire()


@pytest.mark.parametrize("said", [{"reason": "I hold As Ad"}, {"reason": ["As"]}, "As", 7])
def test_a_reason_of_a_default_is_a_word(recorded: Recorded, said: Any) -> None:
    event = recorded.act("defaulted", defaulted=said)
    assert (public(event).payload or {})["defaulted"] is None
    assert "As" not in public(event).model_dump_json()


def test_the_end_of_a_hand_discloses(recorded: Recorded) -> None:
    event = recorded.report("hand_completed", handNumber=1, **THOUGHT)
    assert public(event).payload == {"handNumber": 1, "disclosed": [{"decision": 1}]}


def test_the_public_form_of_an_event_has_no_reason(recorded: Recorded) -> None:
    payload = public(recorded.act("illegal", reason="I hold As Ad")).payload or {}
    assert "reason" not in payload
    assert payload["outcome"] == "illegal"
    paused = recorded.report("table_status", kind="paused", reason="players away")
    assert (public(paused).payload or {})["reason"] == "players away"
