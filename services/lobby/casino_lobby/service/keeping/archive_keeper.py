"""Delete rooms that have been archived for long, with everything of theirs."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Final, Protocol

import structlog

from casino_lobby.errors import StoreFailed

EVERY_S: Final = 60.0
_LONGEST_PAUSE_S = 1.0

logger = structlog.get_logger(__name__)


class ArchiveStore(Protocol):
    """A store with archived rooms."""

    @property
    def is_held(self) -> bool:
        """Whether no other lobby can have the stored data at this moment."""
        ...

    @property
    def deletes_archived(self) -> bool:
        """Whether it is this lobby of a group that deletes archived rooms."""
        ...

    async def expired_rooms(self, before: datetime) -> Sequence[str]:
        """Return ids of rooms that were archived before a time; raises StoreFailed."""
        ...

    async def delete_archived(self, room_id: str) -> bool:
        """Delete some of an archived room; False once nothing is left. Raises StoreFailed."""
        ...


class ArchiveKeeper:
    """Deletes rooms that were archived more than `kept` ago, in small commits.

    A pause follows each commit, as long as it lasted, so that play does not wait. `clock` returns
    seconds, `now` is the wall clock.
    """

    def __init__(
        self,
        store: ArchiveStore,
        kept: timedelta,
        clock: Callable[[], float],
        now: Callable[[], datetime],
    ) -> None:
        self._store = store
        self._kept = kept
        self._clock = clock
        self._now = now

    async def run(self, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        """Delete what is due, again and again, until cancelled."""
        while True:
            try:
                await self.delete_old(sleep)
            except StoreFailed as failed:  # retried in the next round
                logger.warning("rooms_not_deleted", error=str(failed))
            await sleep(min(EVERY_S, self._kept.total_seconds()))

    async def delete_old(self, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        """Delete the rooms that are due by now; raises StoreFailed."""
        if not (self._store.is_held and self._store.deletes_archived):
            return
        for room_id in await self._store.expired_rooms(self._now() - self._kept):
            is_left = True
            while is_left:
                began = self._clock()
                is_left = await self._store.delete_archived(room_id)
                await sleep(min(self._clock() - began, _LONGEST_PAUSE_S))
            logger.info("room_deleted", room=room_id)
