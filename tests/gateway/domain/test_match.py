"""A match follows from the room's snapshot and its public events."""

from typing import Any

from casino_contracts import TableEvent
from casino_gateway.domain.match import Match
from support.gateway.seat_side import acted, event, snapshot

SEATS = [
    {"playerId": name, "seatNumber": number, "displayName": name.capitalize(), "stack": 100}
    for number, name in enumerate(("ada", "bob", "cyd"))
]


def status(sequence: int, kind: str, **payload: Any) -> TableEvent:
    return event(sequence, "table_status", {"kind": kind, "status": "running", **payload})


def folded(match: Match, *events: TableEvent) -> Match:
    """Fold events, each of which is new."""
    assert all(match.apply(event) for event in events)
    return match


def test_a_room_before_its_first_hand_waits() -> None:
    match = Match.of(snapshot())
    assert (match.stage, match.phase, match.decisions) == ("waiting", "waiting", 0)
    assert (match.started_at, match.ended_at, match.active_player_id) == (None, None, None)
    assert list(match.seats) == ["ada", "bob"]


def test_other_games_say_it_in_their_public_state() -> None:
    match = Match.of(snapshot())
    state = {"current_player": "bob", "phase": "betting"}
    folded(match, event(1, "hand_started", {"handNumber": 1, "players": SEATS, "state": state}))
    assert (match.stage, match.phase, match.active_player_id) == ("started", "betting", "bob")
    folded(match, acted(2, state={"current_player": ""}))
    assert (match.phase, match.active_player_id) == ("main", None)
    result = {"winners": ["bob"], "public": {"pot": 4}}
    folded(match, event(3, "hand_completed", {"handNumber": 1, "result": result}))
    assert match.result == result
    assert match.public == {"pot": 4}


def test_a_session_ends_or_is_abandoned() -> None:
    """A room that is closed after its session has ended all the same."""
    ended = folded(
        Match.of(snapshot()),
        status(1, "started"),
        status(2, "finished"),
        status(3, "closed"),
    )
    assert (ended.stage, ended.phase) == ("ended", "over")
    assert ended.started_at is not None
    assert ended.ended_at is not None
    assert ended.ended_at.second == 2
    closed = folded(Match.of(snapshot()), status(1, "started"), status(2, "closed"))
    assert closed.stage == "abandoned"
    failed = folded(
        Match.of(snapshot(status="running")),
        event(1, "table_error", {"status": "error", "reason": "X", "done": "Y"}),
    )
    assert failed.stage == "abandoned"
    assert Match.of(snapshot(status="error", state="failed")).stage == "abandoned"
    again = folded(ended, status(4, "started"))
    assert (again.stage, again.ended_at) == ("started", None)


def test_an_event_that_is_known_changes_nothing() -> None:
    """A stream repeats events; a new epoch begins at 1 again."""
    match = folded(Match.of(snapshot()), acted(1), acted(2))
    assert not match.apply(acted(2))
    assert match.decisions == 2
    assert match.apply(event(1, "table_status", {"kind": "configured"}, epoch=2))
    assert not match.apply(acted(3))


def test_a_snapshot_brings_only_what_is_new() -> None:
    match = folded(Match.of(snapshot()), acted(1))
    later = snapshot(acted(1), acted(2), acted(3), status="running")
    assert [new.sequence for new in match.catch_up(later)] == [2, 3]
    assert match.decisions == 3
    assert match.stage == "started"
