"""The records of completed hands: asked of their tables, once each, and kept for a while."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from casino_contracts import HandRecord

from casino_lobby import frames
from casino_lobby.feed import Item
from casino_lobby.rooms import Room

KEPT = 256
"""So many records at most, of some 10 kB each."""

_Key = tuple[str, str]


class _Kept(NamedTuple):
    record: HandRecord
    item: Item


class Records:
    """The newest records that somebody wanted; `ask` asks a room's table and raises Refusal."""

    def __init__(self, ask: Callable[[Room, str], Awaitable[HandRecord]]) -> None:
        self._ask = ask
        self._kept: OrderedDict[_Key, _Kept] = OrderedDict()
        self._asking: dict[_Key, asyncio.Task[_Kept]] = {}

    async def record(self, room: Room, hand_id: str) -> HandRecord:
        """Return a completed hand's record; raises Refusal."""
        return (await self._find(room, hand_id)).record

    async def item(self, room: Room, hand_id: str) -> Item:
        """Return it as an event of a stream, serialised once; raises Refusal."""
        return (await self._find(room, hand_id)).item

    async def _find(self, room: Room, hand_id: str) -> _Kept:
        key = (room.room_id, hand_id)
        kept = self._kept.get(key)
        if kept is not None:
            self._kept.move_to_end(key)
            return kept
        asking = self._asking.get(key)
        if asking is None:
            asking = asyncio.ensure_future(self._fetch(room, hand_id))
            self._asking[key] = asking
            asking.add_done_callback(lambda done: self._asked(key, done))
        return await asyncio.shield(asking)  # one who goes away must not take it from the others

    async def _fetch(self, room: Room, hand_id: str) -> _Kept:
        record = await self._ask(room, hand_id)
        return _Kept(record, frames.hand_record(record))

    def _asked(self, key: _Key, asking: asyncio.Task[_Kept]) -> None:
        del self._asking[key]
        if asking.cancelled() or asking.exception() is not None:
            return
        self._kept[key] = asking.result()
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
