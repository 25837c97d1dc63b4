"""Index of the rooms that are not over, by the address of their table. Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, Protocol

from casino_agentkit.client.outgoing import same_origin_key

from casino_lobby.domain.fleet import base_url
from casino_lobby.domain.room import Room


class TableUses(Protocol):
    """Learns which tables have a room, as `Fleet` does."""

    def take(self, card_url: str) -> None: ...

    def free(self, card_url: str) -> None: ...

    def watch(self, card_url: str) -> None:
        """Note that a room is at a table of the fleet, from which it may move."""

    def unwatch(self, card_url: str) -> None: ...


class _Noted(NamedTuple):
    """Where a room's table is; the address is empty if the room has none or is over."""

    card_url: str = ""
    is_watched: bool = False


_NOWHERE = _Noted()


class TablesInUse:
    """Rooms by the base URL of their table; a store adds each room and removes it.

    A room reports each change of its address and its end; if its state changes by other means than
    the methods of `Room`, it has to be added again. The cost of every operation is independent of
    the number of rooms.
    """

    def __init__(self) -> None:
        self._rooms: dict[str, Room] = {}
        self._noted: dict[str, _Noted] = {}
        self._positions: dict[str, int] = {}
        """Number of each room in the order in which they were added, by room id."""
        self._added = 0
        self._foreign: set[str] = set()
        self._at: dict[str, dict[str, Room]] = {}
        """Rooms by the base URL of their table, then by id."""
        self._urls: Counter[str] = Counter()
        """Number of rooms at each card URL, and of those that may return there."""
        self._watched: Counter[str] = Counter()
        """Number of rooms of the fleet at each base URL, without those of other lobbies."""
        self._keys: Counter[str] = Counter()
        """Number of rooms at each address in its canonical form."""
        self._uses: list[TableUses] = []

    def report_to(self, uses: TableUses) -> None:
        """Report every table that has a room, now and from now on."""
        self._uses.append(uses)
        for card_url in self._urls:
            uses.take(card_url)
        for base in self._watched:
            uses.watch(base)

    def add(self, room: Room, *, is_own: bool = True) -> None:
        """Add a room, in place of an earlier one with its id.

        `is_own`: this lobby watches its table; false for a room of another lobby.
        """
        self._foreign.discard(room.room_id)
        if not is_own:
            self._foreign.add(room.room_id)
        if room.room_id not in self._rooms:
            self._added += 1
            self._positions[room.room_id] = self._added
        else:
            self._note(room.room_id, _NOWHERE)
        self._rooms[room.room_id] = room
        room.report_address(lambda: self._follow(room))
        self._follow(room)

    def remove(self, room: Room) -> None:
        if self._rooms.get(room.room_id) is room:
            self._note(room.room_id, _NOWHERE)
            del self._rooms[room.room_id], self._positions[room.room_id]
            self._foreign.discard(room.room_id)

    def at(self, card_url: str) -> list[Room]:
        """Return rooms that are not over at a card or base URL, the oldest first."""
        base = base_url(card_url)
        rooms = self._at.get(base, {}).values()
        return self.oldest_first(
            room for room in rooms if not room.is_over and base_url(room.table_card_url) == base
        )

    def oldest_first(self, rooms: Iterable[Room]) -> list[Room]:
        """Return rooms in the order in which they were added; others come first."""
        return sorted(rooms, key=lambda room: self._positions.get(room.room_id, 0))

    def has(self, card_url: str) -> bool:
        return same_origin_key(base_url(card_url)) in self._keys

    @contextmanager
    def held(self, card_url: str) -> Iterator[None]:
        """Let a table count as one that has a room while the block runs, whoever leaves it."""
        self._use(card_url)
        try:
            yield
        finally:
            self._leave(card_url)

    def _follow(self, room: Room) -> None:
        if self._rooms.get(room.room_id) is not room:
            return
        is_placed = bool(room.table_card_url) and not room.is_over
        is_watched = room.is_from_fleet and room.room_id not in self._foreign
        noted = _Noted(room.table_card_url, is_watched) if is_placed else _NOWHERE
        self._note(room.room_id, noted)

    def _note(self, room_id: str, noted: _Noted) -> None:
        before = self._noted.pop(room_id, _NOWHERE)
        if noted.card_url:
            self._noted[room_id] = noted
        if noted == before:
            return
        if before.card_url:
            self._depart(room_id, before)
        if noted.card_url:
            self._enter(room_id, noted)

    def _enter(self, room_id: str, noted: _Noted) -> None:
        base = base_url(noted.card_url)
        self._at.setdefault(base, {})[room_id] = self._rooms[room_id]
        self._keys[same_origin_key(base)] += 1
        self._use(noted.card_url)
        if noted.is_watched:
            self._watched[base] += 1
            if self._watched[base] == 1:
                for uses in self._uses:
                    uses.watch(base)

    def _depart(self, room_id: str, noted: _Noted) -> None:
        base = base_url(noted.card_url)
        del self._at[base][room_id]
        if not self._at[base]:
            del self._at[base]
        _decrease(self._keys, same_origin_key(base))
        self._leave(noted.card_url)
        if noted.is_watched and _decrease(self._watched, base):
            for uses in self._uses:
                uses.unwatch(base)

    def _use(self, card_url: str) -> None:
        self._urls[card_url] += 1
        if self._urls[card_url] == 1:
            for uses in self._uses:
                uses.take(card_url)

    def _leave(self, card_url: str) -> None:
        if _decrease(self._urls, card_url):
            for uses in self._uses:
                uses.free(card_url)


def _decrease(counts: Counter[str], key: str) -> bool:
    counts[key] -= 1
    if counts[key]:
        return False
    del counts[key]
    return True
