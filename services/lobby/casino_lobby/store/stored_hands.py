"""Completed hands: as they are stored, which ones a reader wants, and their index in memory."""

import heapq
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from casino_contracts import HandKind, TableEvent, Unit

from casino_lobby.domain.deal_book import DealHalf
from casino_lobby.domain.observed_hand import Highlight
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_books import pot_of
from casino_lobby.domain.room_fold import EndedHand

Rank = Literal["score", "pot"]
"""What the best hands are sorted by; a hand that has none is not among them."""


_MOST_HALVES: Final = 2_000
"""Of blocks, the newest: blocks of which no hand is played are never forgotten with a hand."""


class HandKey(NamedTuple):
    """Identifies a hand of a room; keys sort in the order of play."""

    epoch: int
    number: int


class RankedKey(NamedTuple):
    """The place of a hand among the best ones: the highest first, of equal ones the newest."""

    value: int
    """The score, or the pot in chips."""
    epoch: int
    number: int


@dataclass(frozen=True)
class HandFilter:
    """Which hands of a room a reader wants; None means any."""

    player: str | None = None
    kind: HandKind | None = None
    since: HandKey | None = None


EVERY_HAND = HandFilter()


@dataclass(frozen=True)
class StoredHand:
    """One completed hand."""

    key: HandKey
    first_sequence: int | None
    """Sequence of its `hand_started`; None if that was not reported."""
    completed: TableEvent
    pot: int | None = None
    """In chips."""
    score: int = 0
    kinds: tuple[HandKind, ...] = ()

    def hand_id(self, room: Room) -> str:
        """Return its id in its room; a third party's table may report none."""
        return self.completed.hand_id or f"{room.table_id}/{self.key.number}"

    def ranked(self, by: Rank) -> RankedKey:
        return RankedKey(self.score if by == "score" else self.pot or 0, *self.key)


class StoredDeal(NamedTuple):
    """What the hands of a block are checked with, as it is in its two events."""

    committed: dict[str, Any]
    contributed: dict[str, Any]


class StoredHands(ABC):
    """Completed hands of rooms, in the order of play or the best first."""

    @abstractmethod
    async def page(
        self,
        room: Room,
        after: HandKey | None,
        limit: int,
        *,
        newest_first: bool = False,
        among: HandFilter = EVERY_HAND,
    ) -> list[StoredHand]:
        """Return at most `limit` completed hands of a room that follow `after`."""

    @abstractmethod
    async def best(
        self,
        room: Room,
        after: RankedKey | None,
        limit: int,
        *,
        by: Rank,
        among: HandFilter = EVERY_HAND,
    ) -> list[StoredHand]:
        """Return at most `limit` hands that follow `after`, the best first."""

    @abstractmethod
    async def find(self, room: Room, number: int, epoch: int | None = None) -> StoredHand | None:
        """Return one completed hand, by default of the newest epoch that has it."""

    @abstractmethod
    async def deal(self, room: Room, block: str) -> StoredDeal | None:
        """Return a block of a room by its name; it is kept as long as one of its hands."""


@dataclass(frozen=True)
class IndexedHand:
    """Position of a hand among the events of a memory store, and what it is found by."""

    key: HandKey
    first_sequence: int | None
    last_sequence: int
    pot: int | None
    highlight: Highlight

    def with_end(self, completed: TableEvent) -> StoredHand:
        score, kinds = self.highlight.score, self.highlight.kinds
        return StoredHand(self.key, self.first_sequence, completed, self.pot, score, kinds)

    def is_among(self, among: HandFilter) -> bool:
        return (
            (among.player is None or among.player in self.highlight.players)
            and (among.kind is None or among.kind in self.highlight.kinds)
            and (among.since is None or self.key >= among.since)
        )


@dataclass
class HandIndex:
    """Index of one room's completed hands that are still stored whole."""

    unit: Unit
    _hands: dict[HandKey, IndexedHand] = field(default_factory=dict)
    _by_begin: dict[tuple[int, int], HandKey] = field(default_factory=dict)
    """By epoch and sequence of the first event that was reported."""
    _halves: dict[tuple[str, str], DealHalf] = field(default_factory=dict)

    def add(self, epoch: int, hand: EndedHand) -> None:
        """Of a hand that is reported twice the first report counts."""
        key, sequence = HandKey(epoch, hand.number), hand.sequence
        if key not in self._hands:
            pot = pot_of(hand.content.pot_amounts, self.unit)
            self._hands[key] = IndexedHand(key, hand.first_sequence, sequence, pot, hand.highlight)
            self._by_begin[epoch, hand.first_sequence or sequence] = key

    def forget(self, epoch: int, sequence: int) -> None:
        """Remove a hand whose first event is no longer stored: none is offered in part."""
        key = self._by_begin.pop((epoch, sequence), None)
        if key is not None:
            del self._hands[key]
            needed = [half for half in self._halves.values() if half[2:4] > key]
            self._halves = {half[:2]: half for half in needed}

    def add_halves(self, halves: Iterable[DealHalf]) -> None:
        self._halves.update({half[:2]: half for half in halves})
        for oldest in list(self._halves)[:-_MOST_HALVES]:
            del self._halves[oldest]

    def deal(self, block: str) -> StoredDeal | None:
        halves = [self._halves.get((block, name)) for name in StoredDeal._fields]
        contents = [half.content for half in halves if half is not None]
        return StoredDeal(*contents) if len(contents) == len(halves) else None

    def find(self, number: int, epoch: int | None) -> IndexedHand | None:
        """Search the newest epoch that has it by default."""
        if epoch is not None:
            return self._hands.get(HandKey(epoch, number))
        hands = (entry for key, entry in self._hands.items() if key.number == number)
        return max(hands, key=lambda entry: entry.key, default=None)

    def after(
        self, key: HandKey | None, limit: int, *, newest_first: bool, among: HandFilter
    ) -> list[IndexedHand]:
        """Return at most `limit` hands that follow a key, in the order of play."""
        following: Iterator[IndexedHand] = (
            entry
            for other, entry in self._hands.items()
            if key is None or (other < key if newest_first else other > key)
        )
        wanted = (entry for entry in following if entry.is_among(among))
        pick = heapq.nlargest if newest_first else heapq.nsmallest
        return pick(limit, wanted, key=lambda entry: entry.key)

    def best(
        self, after: RankedKey | None, limit: int, *, by: Rank, among: HandFilter
    ) -> list[IndexedHand]:
        """Return at most `limit` hands that follow a place, the best first."""
        places = (
            (RankedKey(value, *entry.key), entry)
            for entry in self._hands.values()
            if (value := entry.highlight.score if by == "score" else entry.pot) is not None
            and entry.is_among(among)
        )
        following = (pair for pair in places if after is None or pair[0] < after)
        best = heapq.nlargest(limit, following, key=lambda pair: pair[0])
        return [entry for _, entry in best]
