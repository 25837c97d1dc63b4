"""Rooms and events that several tests of `casino watch` begin with."""

from collections.abc import Sequence
from typing import Any

from casino_contracts import RoomSnapshot, TableEvent, TableSummary
from support.console_side import event
from support.table.table_side import config

NAMES = ("Ada", "Bob", "Cleo")


def seats(*stacks: float) -> list[dict[str, Any]]:
    """Return players whose ids are their names."""
    return [
        {"playerId": name, "displayName": name, "seatNumber": number, "stack": stack}
        for number, (name, stack) in enumerate(zip(NAMES, stacks, strict=False))
    ]


def room_of(
    players: Sequence[dict[str, Any]], room_id: str = "r1", *events: TableEvent, **more: Any
) -> RoomSnapshot:
    """Return a room with these players, whose table runs."""
    summary = {"tableId": "t1", "status": "running", "handCount": 0, "players": players}
    return RoomSnapshot(
        room_id=room_id,
        config=config(),
        summary=TableSummary.model_validate(summary),
        table_agent_card_url="http://table",
        events=events,
        **more,
    )


def acts(name: str, action: str, amount: float, stack: float, **more: Any) -> TableEvent:
    given = {"action": action, "amount": amount, "stack": stack, "outcome": "ok", **more}
    return event("action_taken", f"{name} {action}", playerId=name, **given)
