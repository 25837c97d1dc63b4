"""Delete old events and hands of rooms, so that the database stays bounded."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

import structlog

from casino_lobby.domain.room import Room
from casino_lobby.errors import StoreFailed
from casino_lobby.store.lobby_store import Place

EVERY_S: Final = 10.0
"""The pause between two looks; a room without enough new hands costs nothing."""
MOST_SLACK: Final = 100
_LONGEST_PAUSE_S = 1.0

logger = structlog.get_logger(__name__)


class KeepingStore(Protocol):
    """A store that can delete old records of rooms."""

    @property
    def is_held(self) -> bool:
        """Whether no other lobby can have the stored data at this moment."""
        ...

    def own_rooms(self) -> list[Room]:
        """Return the rooms that this lobby owns, the oldest first."""
        ...

    async def save(self, room: Room) -> None:
        """Save a room's state; raises StoreFailed."""
        ...

    async def stored_hands(self, room: Room) -> int:
        """Return how many completed hands of a room are stored; raises StoreFailed."""
        ...

    async def first_kept(self, room: Room, keep: int) -> Place | None:
        """Return where the newest `keep` hands begin; None if nothing may be deleted."""
        ...

    async def delete_before(self, room: Room, kept: Place) -> int:
        """Delete some of the events before a place; returns how many. Raises StoreFailed."""
        ...


class RecordKeeper:
    """Keeps the newest `keep` hands of each room that this lobby owns, and little more.

    The rest is deleted in small commits, with pauses in between as long as the commits last, so
    that play does not wait. `clock` returns seconds.
    """

    def __init__(
        self,
        store: KeepingStore,
        keep: int,
        clock: Callable[[], float],
    ) -> None:
        self._store = store
        self._keep = keep
        self._slack = min(MOST_SLACK, keep // 10)
        self._clock = clock
        self._due: dict[tuple[str, bool], int] = {}
        """By room, before and after its end: the hands it has completed at the next look."""

    async def run(self, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        """Delete what is due, again and again, until cancelled."""
        while True:
            await self.delete_old(sleep)
            await sleep(EVERY_S)

    async def delete_old(self, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        """Delete what is due by now; a room that cannot be changed is tried again next time."""
        if not self._store.is_held:
            return
        rooms = [room for room in self._store.own_rooms() if room.phase != "opening"]
        keys = [(room.room_id, room.is_over) for room in rooms]
        self._due = {key: self._due.get(key, 0) for key in keys}
        for room, key in zip(rooms, keys, strict=True):
            if room.hand_count >= self._due[key]:
                try:
                    self._due[key] = await self._look(room, sleep)
                except StoreFailed as failed:
                    logger.warning("records_not_deleted", room=room.room_id, error=str(failed))

    async def _look(self, room: Room, sleep: Callable[[float], Awaitable[None]]) -> int:
        """Delete the oldest hands of a room if it has too many.

        Returns how many hands it has completed when it may have too many again.
        """
        counted, stored = room.hand_count, await self._store.stored_hands(room)
        most = self._keep if room.is_over else self._keep + self._slack
        if stored > most:
            await self._delete(room, sleep)
            stored = await self._store.stored_hands(room)
        return counted + max(1, most + 1 - stored)

    async def _delete(self, room: Room, sleep: Callable[[float], Awaitable[None]]) -> None:
        await self._store.save(room)  # a restart applies the events after the saved state
        kept = await self._store.first_kept(room, self._keep)
        if kept is None:
            return
        total = 0
        while True:
            began = self._clock()
            deleted = await self._store.delete_before(room, kept)
            if not deleted:
                break
            total += deleted
            await sleep(min(self._clock() - began, _LONGEST_PAUSE_S))
        logger.info("records_deleted", room=room.room_id, events=total)
