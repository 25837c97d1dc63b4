"""Completed hands as they are found again: by room, epoch and number.

In SQL a hand is its row of `hand` and the content of its `hand_completed`; in memory an index of
the events that are still kept.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from casino_contracts import TableEvent
from casino_contracts.numbers import MAX_SAFE
from sqlalchemy import Row, Select, and_, select, tuple_

from casino_lobby.store.schema import event, hand
from casino_lobby.store.serialization import is_whole, read_row
from casino_lobby.store.unreadable import UnreadableRows


class HandKey(NamedTuple):
    """Which hand of a room; the order of keys is the order of play."""

    epoch: int
    number: int


@dataclass(frozen=True)
class StoredHand:
    """One hand that was played to its end."""

    key: HandKey
    first_sequence: int | None
    """Of its `hand_started`; None when its beginning was not told."""
    completed: TableEvent
    """Its `hand_completed`."""


_Hands = Select[tuple[int, int, int | None, str, int, str]]
_Found = Row[tuple[int, int, int | None, str, int, str]]


def select_hands(room_id: str, after: HandKey | None, limit: int, *, newest_first: bool) -> _Hands:
    """Return the query of a room's hands that follow on one, in the order asked for."""
    key = tuple_(hand.c.epoch, hand.c.hand_number)
    asked = _completed(room_id)
    if after is not None:
        asked = asked.where(key < tuple_(*after) if newest_first else key > tuple_(*after))
    if newest_first:
        return asked.order_by(hand.c.epoch.desc(), hand.c.hand_number.desc()).limit(limit)
    return asked.order_by(hand.c.epoch, hand.c.hand_number).limit(limit)


def select_hand(room_id: str, number: int, epoch: int | None) -> _Hands:
    """Return the query of one hand, of the newest epoch that has it by default."""
    asked = _completed(room_id).where(hand.c.hand_number == number)
    if epoch is not None:
        asked = asked.where(hand.c.epoch == epoch)
    return asked.order_by(hand.c.epoch.desc()).limit(1)


def _completed(room_id: str) -> _Hands:
    told = and_(
        event.c.room_id == hand.c.room_id,
        event.c.epoch == hand.c.epoch,
        event.c.sequence == hand.c.last_sequence,
    )
    return (
        select(
            hand.c.epoch,
            hand.c.hand_number,
            hand.c.first_sequence,
            event.c.room_id,
            event.c.sequence,
            event.c.content,
        )
        .join_from(hand, event, told)
        .where(hand.c.room_id == room_id, hand.c.hand_number > 0)
    )


def hand_of(row: _Found, unreadable: UnreadableRows) -> StoredHand | None:
    """Return the hand that a query found; None where it cannot be read, which is noted."""
    first = row.first_sequence
    if not is_whole(row.epoch, row.hand_number) or not (first is None or is_whole(first)):
        place = f"{row.room_id} {row.epoch}/{row.hand_number}"
        unreadable.note("hand", place, "it is not all numbers")
        return None
    completed = read_row(row, unreadable)
    if completed is None:
        return None
    return StoredHand(HandKey(row.epoch, row.hand_number), first, completed)


@dataclass(frozen=True)
class IndexedHand:
    """Where a hand stands among the events that a memory store keeps."""

    key: HandKey
    first_sequence: int | None
    last_sequence: int


@dataclass
class HandIndex:
    """The completed hands of one room whose `hand_completed` is kept."""

    _hands: dict[HandKey, IndexedHand] = field(default_factory=dict)
    _by_end: dict[tuple[int, int], HandKey] = field(default_factory=dict)
    _begun: tuple[HandKey, int] | None = None

    def note(self, epoch: int, told: TableEvent) -> None:
        """Take an event in; a hand that is told twice is the first telling's."""
        number, sequence = (told.payload or {}).get("handNumber"), told.sequence or 0
        if not isinstance(number, int) or isinstance(number, bool) or not 0 < number <= MAX_SAFE:
            return
        key = HandKey(epoch, number)
        if told.event_type == "hand_started":
            self._begun = (key, sequence)
        elif told.event_type == "hand_completed" and key not in self._hands:
            began = self._begun[1] if self._begun and self._begun[0] == key else None
            self._hands[key] = IndexedHand(key, began, sequence)
            self._by_end[epoch, sequence] = key

    def forget(self, epoch: int, sequence: int) -> None:
        """Leave out the hand whose `hand_completed` is this event, which is kept no longer."""
        key = self._by_end.pop((epoch, sequence), None)
        if key is not None:
            del self._hands[key]

    def find(self, number: int, epoch: int | None) -> IndexedHand | None:
        """Return a hand, of the newest epoch that has it by default."""
        if epoch is not None:
            return self._hands.get(HandKey(epoch, number))
        found = (one for key, one in self._hands.items() if key.number == number)
        return max(found, key=lambda one: one.key, default=None)

    def after(self, key: HandKey | None, limit: int, *, newest_first: bool) -> list[IndexedHand]:
        """Return the hands that follow on one, in the order asked for."""
        keys = sorted(self._hands, reverse=newest_first)
        if key is not None:
            keys = [one for one in keys if (one < key if newest_first else one > key)]
        return [self._hands[one] for one in keys[:limit]]
