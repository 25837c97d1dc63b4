"""Standings of a recorded session, as the lobby reports them."""

from typing import Any

from casino_contracts import TableAgentSkills, TableEvent
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_fold import apply
from casino_lobby.domain.room_views import series_of, standings_of

from support.table.table_side import config

Event = dict[str, Any]


def standings(events: list[Event]) -> dict[str, Any]:
    """Return who has won how much after the events of a session of Hold'em."""
    room = _after(events)
    return standings_of(room).model_dump(mode="json")


def series(events: list[Event]) -> dict[str, Any]:
    room = _after(events)
    return series_of(room).model_dump(mode="json")


def _after(events: list[Event]) -> Room:
    room = Room("main", "main", config(), "texas-holdem", TableAgentSkills())
    for event in events:
        apply(room, TableEvent.model_validate({"tableId": "main", **event}))
    return room
