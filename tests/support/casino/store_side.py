"""What tests of the lobby's store tell it, and how they look behind it."""

from collections.abc import Mapping, Sequence
from typing import Any

from casino_contracts import TableAgentSkills, TableEvent
from casino_lobby.domain.room import Room
from casino_lobby.store import SqlStore
from sqlalchemy import text

from support.table.table_side import config


def new_room(room_id: str = "r1", **changes: Any) -> Room:
    """Return an open room that plays at the table `t-<room>`."""
    room = Room(room_id, f"t-{room_id}", config(**changes), "texas-holdem", TableAgentSkills())
    room.phase = "open"
    return room


class EventFactory:
    """A table that tells its events, numbered."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self.epoch = room.epoch
        self.sequence = 0

    def tell(self, event_type: str, message: str = "", /, **payload: Any) -> TableEvent:
        """Tell anything."""
        self.sequence += 1
        return TableEvent.model_validate(
            {
                "tableId": self._room.table_id,
                "eventType": event_type,
                "message": message or f"{event_type} {self.sequence}",
                "timestamp": "2026-11-20T19:43:00.123Z",
                "payload": payload or None,
                "sequence": self.sequence,
                "epoch": self.epoch,
            }
        )

    def takes_over(self) -> None:
        """Begin the next epoch, in the room as well."""
        self.epoch += 1
        self.sequence = 0
        self._room.epoch, self._room.last_sequence = self.epoch, 0

    def registered(self, player_id: str, stack: float = 200, **more: Any) -> TableEvent:
        """Tell that a seat was taken."""
        seat = {"playerId": player_id, "displayName": player_id.upper(), "seatNumber": 0}
        return self.tell("player_registered", **{**seat, "stack": stack, **more})

    def status(self, kind: str, status: str = "running", **more: Any) -> TableEvent:
        """Tell that something about the table changed."""
        return self.tell("table_status", status=status, kind=kind, **more)

    def hand(self, number: int, stacks: Mapping[str, float], actions: int = 2) -> list[TableEvent]:
        """Play a hand that ends with these stacks."""
        return [
            self.tell("hand_started", handNumber=number),
            *(
                self.tell("action_taken", handNumber=number, playerId="p0", action="check")
                for _ in range(actions)
            ),
            self.tell(
                "hand_completed",
                handNumber=number,
                communityCards=[{"rank": "T", "suit": "diamonds"}, {"rank": "4", "suit": "spades"}],
                pots=[{"amount": 10, "winners": []}, {"amount": 4, "winners": []}],
                stacks=[{"playerId": who, "stack": stack} for who, stack in stacks.items()],
            ),
        ]

    def some(self, count: int) -> list[TableEvent]:
        """Tell events that change nothing."""
        return [self.tell("table_status", kind="returned", status="running") for _ in range(count)]


async def rows(store: SqlStore, query: str) -> list[tuple[Any, ...]]:
    """Return what a query finds."""
    async with store._database.reading() as connection:
        return [tuple(row) for row in await connection.execute(text(query))]


def numbers(events: Sequence[TableEvent]) -> list[int | None]:
    """Return the events' sequences."""
    return [event.sequence for event in events]
