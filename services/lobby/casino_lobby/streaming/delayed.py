"""Delays the commentator feed by one hand, so that it can show all cards.

The events of a running hand are held back until the hand ends. Then its record is sent, followed by
the events with their cursors. The feed never holds information that helps a player of that hand.
"""

from collections.abc import Sequence
from contextlib import aclosing

from casino_agentkit import CommandRefused
from casino_contracts import Reason
from casino_contracts.events.content import HandCompleted, HandStarted, StatusChanged

from casino_lobby.domain.reported_event import ReportedEvent, content_of_event
from casino_lobby.domain.room import Room
from casino_lobby.service.hand_records import HandRecordCache
from casino_lobby.streaming import frames
from casino_lobby.streaming.broadcaster import Item, Pages


class HandDelay:
    """Delays one client's stream of a room, hand by hand."""

    def __init__(self, room: Room, records: HandRecordCache) -> None:
        self._room = room
        self._records = records
        self._hand_id: str | None = None
        self._held: list[Item] = []

    async def late(self, pages: Pages) -> Pages:
        """Yield the pages of a public stream, one hand late."""
        async with aclosing(pages):
            async for page in pages:
                delayed: list[Item] = []
                for item in page:
                    delayed += await self._add(item)
                if delayed:
                    yield delayed

    async def _add(self, item: Item) -> Sequence[Item]:
        """Take the next item of the public stream; returns the items that may be sent now."""
        event = item.event
        if event is None:  # a snapshot or `room_closed`: the running hand will not end any more
            return [*self._without_record(Reason.ROOM_CLOSED), item]
        unfinished: Sequence[Item] = ()
        if event.event_type == "hand_started":
            unfinished = self._without_record(Reason.HAND_UNFINISHED)
        if self._hand_id is None:
            self._hand_id = _hand_of(event)
        if self._hand_id is None:
            return [*unfinished, item]
        self._held.append(item)
        if not _ends_hand(event):
            return unfinished
        record = await self._record(self._hand_id)
        return [*unfinished, record, *self._release()]

    async def _record(self, hand_id: str) -> Item:
        try:
            record = await self._records.record(self._room, hand_id)
        except CommandRefused as refusal:
            return frames.hand_record_missing(hand_id, refusal.reason)
        return frames.hand_record(record)

    def _without_record(self, reason: str) -> Sequence[Item]:
        """Release the held events of a hand that has no record."""
        if self._hand_id is None:
            return ()
        return [frames.hand_record_missing(self._hand_id, reason), *self._release()]

    def _release(self) -> Sequence[Item]:
        held, self._held, self._hand_id = self._held, [], None
        return held


def _hand_of(event: ReportedEvent) -> str | None:
    """Return the id of the hand that an event belongs to.

    None for `player_busted`, which is sent after the hand.
    """
    if event.event_type == "player_busted":
        return None
    match content_of_event(event):
        case HandStarted() | HandCompleted() as content if event.hand_id is None:
            return f"{event.table_id}/{content.hand_number}"
    return event.hand_id


def _ends_hand(event: ReportedEvent) -> bool:
    match content_of_event(event):
        case HandCompleted() | StatusChanged(kind="hand_cancelled"):
            return True
    return False
