"""One file of events is folded to the same state by lobby, gateway and console, and by the page.

The page's part is `tests/web/vectors.test.js`.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from casino.up.session_score import Score
from casino.watch.watched_table import WatchedTable
from casino_contracts import TableEvent
from casino_contracts.events.table_view import TableView
from casino_gateway.domain.match import Match
from casino_lobby.domain.room_fold import apply
from support.casino.store_side import new_room

VECTORS = json.loads((Path(__file__).parent / "table_events.json").read_text())


def seat(number: int, name: str, stack: float) -> dict[str, Any]:
    """Return a seat as the vectors write it."""
    return {"number": number, "name": name, "stack": stack}


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_the_lobby_folds_them(vector: dict[str, Any]) -> None:
    """Status, hands, seats with their stacks; who sits out is the table's business."""
    room = new_room()
    for event in vector["events"]:
        apply(room, TableEvent.model_validate(event))
    seats = {
        player_id: seat(player.seat_number, player.display_name, room.stacks[player_id])
        for player_id, player in room.seats.items()
    }
    assert vector["expected"] == {
        "status": room.status,
        "hands": room.hand_count,
        "isPaused": room.state == "paused",
        "runningHand": room.running_hand,
        "sittingOut": vector["expected"]["sittingOut"],
        "seats": seats,
    }


@pytest.mark.parametrize("kind", [Match, WatchedTable], ids=["gateway", "console"])
@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_gateway_and_console_fold_them(vector: dict[str, Any], kind: type[TableView]) -> None:
    """To the same state; of a closed table they keep the seats, for its last words."""
    table = kind("r1")
    for event in vector["events"]:
        assert table.apply(TableEvent.model_validate(event))
    seats = table.seats if table.state != "closed" else {}
    assert vector["expected"] == {
        "status": table.status,
        "hands": table.hands,
        "isPaused": table.state == "paused",
        "runningHand": table.hand_number if table.is_running else None,
        "sittingOut": [player_id for player_id, one in seats.items() if one.sits_out],
        "seats": {key: seat(one.number, one.name, one.stack) for key, one in seats.items()},
    }


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_lobby_and_console_count_the_same_decisions(vector: dict[str, Any]) -> None:
    """By outcome, with what they cost; the lobby keeps the reasons that were sent."""
    room, score = new_room(), Score()
    reasons = []
    for fields in vector["events"]:
        event = TableEvent.model_validate(fields)
        apply(room, event)
        score.add(event)
        if event.event_type == "action_taken" and "reason" in fields["payload"]:
            reasons.append(fields["payload"]["reason"])
    for player_id, player in score.players.items():
        counted = room.faults.counts(room.room_id, player_id).outcomes
        assert counted == player.outcomes
        if results := room.results.players.get(player_id):
            assert results.costs == player.costs
    kept = [fault.reason for one in room.faults.players.values() for fault in one.faults]
    assert sorted(filter(None, kept)) == sorted(reasons)
