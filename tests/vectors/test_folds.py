"""One file of events is folded to the same state by lobby and console, and by the page.

The page's part is `tests/web/vectors.test.js`.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from casino.watch.table_state import TablePicture
from casino_contracts import TableEvent
from casino_lobby.domain.room_fold import apply
from support.casino.store_side import new_room

VECTORS = json.loads((Path(__file__).parent / "table_events.json").read_text())


def seat(number: int, name: str, stack: float) -> dict[str, Any]:
    """Return a seat as the vectors write it."""
    return {"number": number, "name": name, "stack": stack}


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_the_lobby_folds_them(vector: dict[str, Any]) -> None:
    """Status, number of hands, seats with their stacks."""
    room = new_room()
    for event in vector["events"]:
        apply(room, TableEvent.model_validate(event))
    seats = {
        player_id: seat(player.seat_number, player.display_name, room.stacks[player_id])
        for player_id, player in room.seats.items()
    }
    state = {"status": room.status, "hands": room.hand_count, "seats": seats}
    assert state == vector["expected"]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_the_console_folds_them(vector: dict[str, Any]) -> None:
    """To the same state."""
    table = TablePicture("r1", new_room().config)
    for event in vector["events"]:
        table = table.after(TableEvent.model_validate(event))
    seats = {
        player_id: seat(player.number, player.name, player.stack)
        for player_id, player in table.seats.items()
    }
    state = {"status": table.status, "hands": table.hands_seen, "seats": seats}
    assert state == vector["expected"]
