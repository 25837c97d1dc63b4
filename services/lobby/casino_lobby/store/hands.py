"""Lookup of completed hands by room, epoch and number: SQL queries and an in-memory index.

In SQL a hand is its row of `hand` joined with its `hand_completed` event; in memory it is an entry
of an index of the stored events.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from casino_contracts import TableEvent
from casino_contracts.events.content import hand_number_of
from sqlalchemy import Row, Select, and_, select, tuple_

from casino_lobby.store.schema import event, hand
from casino_lobby.store.serialization import is_whole, read_row
from casino_lobby.store.unreadable import UnreadableRows


class HandKey(NamedTuple):
    """Identifies a hand of a room; keys sort in the order of play."""

    epoch: int
    number: int


@dataclass(frozen=True)
class StoredHand:
    """One completed hand."""

    key: HandKey
    first_sequence: int | None
    """Sequence of its `hand_started`; None if that was not reported."""
    completed: TableEvent
    """Its `hand_completed`."""


_Hands = Select[tuple[int, int, int | None, str, int, str]]
_HandResult = Row[tuple[int, int, int | None, str, int, str]]


def select_hands(room_id: str, after: HandKey | None, limit: int, *, newest_first: bool) -> _Hands:
    """Return the query of a room's hands that follow `after`, in the requested order."""
    key = tuple_(hand.c.epoch, hand.c.hand_number)
    query = _completed(room_id)
    if after is not None:
        query = query.where(key < tuple_(*after) if newest_first else key > tuple_(*after))
    if newest_first:
        return query.order_by(hand.c.epoch.desc(), hand.c.hand_number.desc()).limit(limit)
    return query.order_by(hand.c.epoch, hand.c.hand_number).limit(limit)


def select_hand(room_id: str, number: int, epoch: int | None) -> _Hands:
    """Return the query of one hand, by default of the newest epoch that has it."""
    query = _completed(room_id).where(hand.c.hand_number == number)
    if epoch is not None:
        query = query.where(hand.c.epoch == epoch)
    return query.order_by(hand.c.epoch.desc()).limit(1)


def _completed(room_id: str) -> _Hands:
    is_completion = and_(
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
        .join_from(hand, event, is_completion)
        .where(hand.c.room_id == room_id, hand.c.hand_number > 0)
    )


def hand_of(row: _HandResult, unreadable: UnreadableRows) -> StoredHand | None:
    """Return the hand of a query's row; None if it is unreadable, which is noted."""
    first = row.first_sequence
    if not is_whole(row.epoch, row.hand_number) or not (first is None or is_whole(first)):
        name = f"{row.room_id} {row.epoch}/{row.hand_number}"
        unreadable.note("hand", name, "a column is not an integer")
        return None
    completed = read_row(row, unreadable)
    if completed is None:
        return None
    return StoredHand(HandKey(row.epoch, row.hand_number), first, completed)


@dataclass(frozen=True)
class IndexedHand:
    """Position of a hand among the events of a memory store."""

    key: HandKey
    first_sequence: int | None
    last_sequence: int


@dataclass
class HandIndex:
    """Index of one room's completed hands that are still stored whole."""

    _hands: dict[HandKey, IndexedHand] = field(default_factory=dict)
    _by_begin: dict[tuple[int, int], HandKey] = field(default_factory=dict)
    """By epoch and sequence of the first event that was reported."""
    _begun: tuple[HandKey, int] | None = None
    _cut: HandKey | None = None
    """The latest hand, if its first event is no longer stored."""

    def note(self, epoch: int, item: TableEvent) -> None:
        """Index an event; of a hand that is reported twice the first report counts."""
        number, sequence = hand_number_of(item), item.sequence or 0
        if not number:
            return
        key = HandKey(epoch, number)
        if item.event_type == "hand_started":
            self._begun = (key, sequence)
            self._cut = None
        elif item.event_type == "hand_completed" and key not in self._hands and key != self._cut:
            began = self._begun[1] if self._begun and self._begun[0] == key else None
            self._hands[key] = IndexedHand(key, began, sequence)
            self._by_begin[epoch, began or sequence] = key

    def forget(self, epoch: int, sequence: int) -> None:
        """Remove the hand whose first event is this one, which is no longer stored.

        A hand is never offered in part; of one that is still played, nothing will be.
        """
        key = self._by_begin.pop((epoch, sequence), None)
        if key is not None:
            del self._hands[key]
        if self._begun and (self._begun[0].epoch, self._begun[1]) == (epoch, sequence):
            self._cut = self._begun[0]

    def find(self, number: int, epoch: int | None) -> IndexedHand | None:
        """Return a hand, by default of the newest epoch that has it."""
        if epoch is not None:
            return self._hands.get(HandKey(epoch, number))
        hands = (entry for key, entry in self._hands.items() if key.number == number)
        return max(hands, key=lambda entry: entry.key, default=None)

    def after(self, key: HandKey | None, limit: int, *, newest_first: bool) -> list[IndexedHand]:
        """Return at most `limit` hands that follow a key, in the requested order."""
        keys = sorted(self._hands, reverse=newest_first)
        if key is not None:
            keys = [other for other in keys if (other < key if newest_first else other > key)]
        return [self._hands[key] for key in keys[:limit]]
