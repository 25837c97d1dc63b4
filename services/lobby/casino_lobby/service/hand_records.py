"""The records of completed hands: asked of their tables, once each, and kept for a while."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from typing import Any

from casino_contracts import HandRecord

from casino_lobby.domain.room import Room

KEPT = 256
"""So many records at most, of some 10 kB each."""

_Key = tuple[str, str]


class HandRecordCache:
    """Cache of hand records; `ask` fetches one from a room's table and raises CommandRefused."""

    def __init__(self, ask: Callable[[Room, str], Coroutine[Any, Any, HandRecord]]) -> None:
        self._ask = ask
        self._kept: OrderedDict[_Key, HandRecord] = OrderedDict()
        self._asking: dict[_Key, asyncio.Task[HandRecord]] = {}

    async def record(self, room: Room, hand_id: str) -> HandRecord:
        """Return a completed hand's record; raises CommandRefused."""
        key = (room.room_id, hand_id)
        kept = self._kept.get(key)
        if kept is not None:
            self._kept.move_to_end(key)
            return kept
        asking = self._asking.get(key)
        if asking is None:
            asking = asyncio.ensure_future(self._ask(room, hand_id))
            self._asking[key] = asking
            asking.add_done_callback(lambda done: self._asked(key, done))
        return await asyncio.shield(asking)  # one who goes away must not take it from the others

    def _asked(self, key: _Key, asking: asyncio.Task[HandRecord]) -> None:
        del self._asking[key]
        if asking.cancelled() or asking.exception() is not None:
            return
        self._kept[key] = asking.result()
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
