"""Cache of hand records, fetched from the tables once each."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from casino_agentkit import CommandRefused
from casino_agentkit.bounded_state import LruDict
from casino_contracts import HandRecord, Reason

from casino_lobby.domain.room import Room

KEPT = 256
"""Maximum number of cached records, of about 10 kB each."""

_Key = tuple[str, str]


class HandRecordCache:
    """Cache of hand records; `ask` fetches one from a room's table and raises CommandRefused."""

    def __init__(self, ask: Callable[[Room, str], Coroutine[Any, Any, HandRecord]]) -> None:
        self._fetch = ask
        self._cached = LruDict[_Key, HandRecord](KEPT)
        self._requests: dict[_Key, asyncio.Task[HandRecord]] = {}

    async def record(self, room: Room, hand_id: str) -> HandRecord:
        """Return a completed hand's record; raises CommandRefused, also ROOM_CLOSED."""
        key = (room.room_id, hand_id)
        cached = self._cached.get(key)
        if cached is not None:
            return cached
        if room.archived_at is not None:
            raise CommandRefused(
                Reason.ROOM_CLOSED,
                f"Room {room.room_id} is archived: its table cannot be asked for records.",
            )
        task = self._requests.get(key)
        if task is None:
            task = asyncio.create_task(self._fetch(room, hand_id))
            self._requests[key] = task
            task.add_done_callback(lambda done: self._store_result(key, done))
        return await asyncio.shield(task)  # a cancelled caller must not cancel the others' request

    def _store_result(self, key: _Key, task: asyncio.Task[HandRecord]) -> None:
        del self._requests[key]
        if not task.cancelled() and task.exception() is None:
            self._cached.put(key, task.result())
