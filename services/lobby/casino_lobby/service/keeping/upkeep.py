"""What a lobby does all the time so that memory and database stay bounded."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime

from casino_lobby.domain.lobby_events import MessageBus
from casino_lobby.service.keeping.archive_keeper import ArchiveKeeper
from casino_lobby.service.keeping.record_keeper import RecordKeeper
from casino_lobby.service.room_archiver import RoomArchiver
from casino_lobby.settings import LobbySettings
from casino_lobby.store import Store


class Upkeep:
    """Archives rooms, and deletes old records of a database if the settings say so.

    `clock` returns seconds, `sleep` takes them, `now` is the wall clock.
    """

    def __init__(
        self,
        settings: LobbySettings,
        store: Store,
        bus: MessageBus,
        clock: Callable[[], float],
        now: Callable[[], datetime],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        archiver = RoomArchiver(store, settings.closed_rooms_kept, clock, bus)
        self._tasks = [archiver.run]
        self._sleep = sleep
        if settings.keep_hands is None and settings.keep_rooms is None:
            return
        # Imported lazily: a store in memory has nothing to delete, and needs no SQLAlchemy.
        from casino_lobby.store import SqlStore  # noqa: PLC0415

        if settings.keep_hands is not None and isinstance(store, SqlStore):
            self._tasks.append(RecordKeeper(store, settings.keep_hands, clock).run)
        if settings.keep_rooms is not None and isinstance(store, SqlStore):
            self._tasks.append(ArchiveKeeper(store, settings.keep_rooms, clock, now).run)

    async def run(self) -> None:
        """Run until cancelled."""
        async with asyncio.TaskGroup() as group:
            for task in self._tasks:
                group.create_task(task(self._sleep))
