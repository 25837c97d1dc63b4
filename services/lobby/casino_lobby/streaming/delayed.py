"""What a commentator sees: every card of a hand, once the hand is over and not before.

A running hand's events are held back until it ends; then its record goes first, and the events
follow with their cursors. So nothing that is on its way to a commentator can help a player.
"""

from collections.abc import Sequence
from contextlib import aclosing

from casino_agentkit import CommandRefused
from casino_contracts import TableEvent

from casino_lobby.domain.room import Room
from casino_lobby.service.hand_records import HandRecordCache
from casino_lobby.streaming import frames
from casino_lobby.streaming.broadcaster import Item, Pages


class HandDelay:
    """Holds one follower's stream of a room back, hand by hand."""

    def __init__(self, room: Room, records: HandRecordCache) -> None:
        self._room = room
        self._records = records
        self._hand_id: str | None = None
        self._held: list[Item] = []

    async def late(self, pages: Pages) -> Pages:
        """Yield the pages of a public stream again, one hand late."""
        async with aclosing(pages):
            async for page in pages:
                passed: list[Item] = []
                for item in page:
                    passed += await self._pass(item)
                if passed:
                    yield passed

    async def _pass(self, item: Item) -> Sequence[Item]:
        """Return what may be seen now that this has happened."""
        event = item.event
        if event is None:  # a snapshot; or the room is closed, and no hand will end any more
            return [*self._given_up("ROOM_CLOSED"), item]
        given_up: Sequence[Item] = ()
        if event.event_type == "hand_started":
            given_up = self._given_up("HAND_UNFINISHED")
        if self._hand_id is None:
            self._hand_id = _hand_of(event)
        if self._hand_id is None:
            return [*given_up, item]
        self._held.append(item)
        if not _ends_hand(event):
            return given_up
        record = await self._record(self._hand_id)
        return [*given_up, record, *self._released()]

    async def _record(self, hand_id: str) -> Item:
        try:
            record = await self._records.record(self._room, hand_id)
        except CommandRefused as refusal:
            return frames.hand_record_missing(hand_id, refusal.reason)
        return frames.hand_record(record)

    def _given_up(self, reason: str) -> Sequence[Item]:
        if self._hand_id is None:
            return ()
        return [frames.hand_record_missing(self._hand_id, reason), *self._released()]

    def _released(self) -> Sequence[Item]:
        held, self._held, self._hand_id = self._held, [], None
        return held


def _hand_of(event: TableEvent) -> str | None:
    """Return the hand that an event shows to be running (or to end with it).

    Who is out is told when the hand is over.
    """
    if event.event_type == "player_busted":
        return None
    if event.hand_id is None and event.event_type in {"hand_started", "hand_completed"}:
        return f"{event.table_id}/{(event.payload or {}).get('handNumber')}"
    return event.hand_id


def _ends_hand(event: TableEvent) -> bool:
    kind = (event.payload or {}).get("kind")
    return event.event_type == "hand_completed" or kind == "hand_cancelled"
