"""Completed hands as the public may read them: one line each, or with every event."""

from typing import Any, TypeVar

from casino_agentkit import CommandRefused
from casino_contracts import AwardedPot, Card, HandSummary, ShownHand, StackAfter, TableEvent
from pydantic import TypeAdapter, ValidationError

from casino_lobby.domain.room import Room, public
from casino_lobby.store import HandKey, Store, StoredHand

T = TypeVar("T")

MOST_EVENTS = 5_000
"""No hand has so many; a foreign table's may."""
_AFTERWARDS = 50
"""So many events after `hand_completed` may still belong to the hand: who went broke, say."""

_CARDS = TypeAdapter(tuple[Card, ...])
_POTS = TypeAdapter(tuple[AwardedPot, ...])
_SHOWN = TypeAdapter(tuple[ShownHand, ...])
_STACKS = TypeAdapter(tuple[StackAfter, ...])


class Hands:
    """The completed hands of every room, read from the store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def summaries(
        self, room: Room, after: HandKey | None, limit: int, *, newest_first: bool
    ) -> list[HandSummary]:
        """Return the hands that follow on one, in the order asked for; raises StoreFailed."""
        found = await self._store.hands(room, after, limit, newest_first=newest_first)
        return [self.summary(room, hand) for hand in found]

    async def find(self, room: Room, number: int, epoch: int | None) -> StoredHand:
        """Return one hand; raises CommandRefused: HAND_NOT_FOUND, STORE_FAILED."""
        hand = await self._store.hand(room, number, epoch)
        if hand is None:
            raise CommandRefused(
                "HAND_NOT_FOUND",
                f"No completed hand {number} of room {room.room_id} is kept"
                + ("." if epoch is None else f" in epoch {epoch}."),
            )
        return hand

    def summary(self, room: Room, hand: StoredHand) -> HandSummary:
        """Return a hand's line.

        What a foreign table tells in another shape is left out of it; the events have it.
        """
        told, payload = hand.completed, hand.completed.payload or {}
        return HandSummary(
            hand_id=told.hand_id or f"{room.table_id}/{hand.key.number}",
            hand_number=hand.key.number,
            epoch=hand.key.epoch,
            first_sequence=hand.first_sequence,
            last_sequence=told.sequence or 1,
            timestamp=told.timestamp,
            message=told.message,
            community_cards=_read(_CARDS, payload.get("communityCards")),
            pots=_read(_POTS, payload.get("pots")),
            shown=_read(_SHOWN, payload.get("shown")),
            stacks=_read(_STACKS, payload.get("stacks")),
        )

    async def events(self, room: Room, hand: StoredHand) -> list[TableEvent]:
        """Return a hand's events as the public sees them, the last of those that follow it."""
        completed = hand.completed.sequence or 1
        first = hand.first_sequence or completed
        limit = min(completed - first + 1 + _AFTERWARDS, MOST_EVENTS)
        events = await self._store.events(room, first - 1, limit, hand.key.epoch)
        within = [event for event in events if (event.sequence or 0) <= completed]
        for event in events[len(within) :]:
            if (event.payload or {}).get("handNumber") != hand.key.number:
                break
            within.append(event)
        return [public(event) for event in within]


def _read(shape: TypeAdapter[tuple[T, ...]], told: Any) -> tuple[T, ...]:
    """Return a part of a payload, empty when it has another shape."""
    try:
        return shape.validate_python(told or ())
    except ValidationError:
        return ()
