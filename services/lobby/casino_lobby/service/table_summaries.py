"""Ask the tables for their summaries whose events say too little of what they change.

Those of the protocol document alone do: it demands neither stacks nor a status of an event.
"""

from collections.abc import Awaitable, Callable
from typing import Final

from casino_agentkit import CommandRefused
from casino_agentkit.process.background_tasks import BackgroundTasks, Backoff
from casino_contracts import NoInput

from casino_lobby.domain.lobby_events import MessageBus, RoomChanged
from casino_lobby.domain.room import Room
from casino_lobby.domain.told_summary import is_silent
from casino_lobby.errors import StoreFailed
from casino_lobby.service.reconciler import TableReconciler
from casino_lobby.store import Store
from casino_lobby.table_directory import Tables
from casino_lobby.table_messages import TableReply

_PAUSES: Final = Backoff(first_s=0.25, slowest_s=2.0)
"""Between two calls, longer while nothing happens at the table: nothing else may say that it has
stopped playing."""


class TableSummaries:
    """Asks each such table again while it plays, and once after each event that says too little.

    One call at a time of a room, and events that arrive meanwhile share the next one. Publishes
    `RoomChanged` if the status is another one. `sleep` takes seconds.
    """

    def __init__(
        self,
        store: Store,
        tables: Tables,
        reconciler: TableReconciler,
        bus: MessageBus,
        background: BackgroundTasks,
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._store = store
        self._tables = tables
        self._reconciler = reconciler
        self._bus = bus
        self._background = background
        self._sleep = sleep
        self._asked: dict[str, bool] = {}
        """Whether to ask again, by the id of each room whose table is being asked."""

    def ask(self, room: Room) -> None:
        """Begin to ask a room's table, or have it asked once more."""
        is_asked = room.room_id in self._asked
        self._asked[room.room_id] = True
        if not is_asked:
            self._background.begin(self._follow(room))

    def go_on(self, room: Room) -> None:
        """Ask a table that plays and numbers no events, whose end no event may tell."""
        if room.is_playing and is_silent(room) and room.room_id not in self._asked:
            self.ask(room)

    async def _follow(self, room: Room) -> None:
        pauses = 0
        try:
            while self._is_wanted(room):
                pauses = 1 if self._asked[room.room_id] else pauses + 1
                self._asked[room.room_id] = False
                await self._ask(room)
                await self._sleep(_PAUSES.pause_s(pauses))
        finally:
            del self._asked[room.room_id]

    def _is_wanted(self, room: Room) -> bool:
        is_here = self._store.room(room.room_id) is room and self._store.group.owns(room)
        is_open = is_here and room.phase in {"open", "closing"}
        return is_open and (self._asked[room.room_id] or room.is_playing)

    async def _ask(self, room: Room) -> None:
        """Fold the summary; a table that is away, or serves the room no more, is reconciled."""
        sequence, epoch, status = room.last_sequence, room.epoch, room.status
        try:
            reply = await self._tables.call(room, room.skills.summary, NoInput(), TableReply)
            if reply.table_id in {None, room.table_id}:
                if room.epoch == epoch:
                    reply.tell(room, is_newest=room.last_sequence == sequence)
                    await self._store.save(room)
            else:
                await self._reconciler.settle(room)
        except (CommandRefused, StoreFailed):
            await self._reconciler.settle(room)
        if room.status != status and room.phase == "open":
            self._bus.publish(RoomChanged(room))
