"""Reconcile a room with its table after a restart or a loss of data on either side.

If lobby and table hold the same events, play continues.
If the lobby holds more than the table (a lost tail, a new disk), or needs events that the table
no longer keeps (the lobby was restored from a backup), the lobby begins a new epoch: the running
hand is cancelled, stacks are those of the last completed hand, and unrecorded play of the old
epoch is void.
"""

import asyncio
from datetime import timedelta

import structlog
from casino_agentkit import CommandRefused
from casino_agentkit.client.backoff import Backoff
from casino_contracts import NoInput, Reason, StartGameInput

from casino_lobby.domain.bus import MessageBus
from casino_lobby.domain.epoch import begin_epoch
from casino_lobby.domain.events import RoomChanged
from casino_lobby.domain.room import AWAY, Room
from casino_lobby.errors import StoreFailed
from casino_lobby.service.ingest import EventIngest
from casino_lobby.store import Store
from casino_lobby.tables.directory import Tables
from casino_lobby.tables.replies import TableReply

_BACKOFF = Backoff(first_s=0.1, slowest_s=5.0)
LAUNCHES = 20
"""How many times a launched table is started again before its room fails."""
_REFUSED = "replaced"
"""State of a table that stopped because the lobby refused its events permanently."""
PATIENCE = timedelta(seconds=10)
"""How long a command waits for a room's reconciliation."""

logger = structlog.get_logger(__name__)


class TableReconciler:
    """Reconciles rooms with their tables, one attempt at a time for each room.

    The locks of `ingest` keep a room's events out while its epoch changes. Publishes `RoomChanged`
    for a room that has failed.
    """

    def __init__(self, store: Store, tables: Tables, ingest: EventIngest, bus: MessageBus) -> None:
        self._store = store
        self._tables = tables
        self._ingest = ingest
        self._bus = bus
        self._running: dict[str, asyncio.Event] = {}
        self._behind: dict[str, int] = {}

    async def revive(self, room: Room, *, behind_in: int | None = None) -> None:
        """Retry until a room and its table agree, or the room has failed or ended.

        `behind_in` is an epoch in which the table holds fewer events than the lobby; a
        reconciliation that is already running takes it into account.
        """
        if behind_in is not None:
            self._behind[room.room_id] = behind_in
        if room.room_id in self._running:
            return
        done = self._running[room.room_id] = asyncio.Event()
        try:
            await self._revive(room)
            while self._is_behind(room) and room.phase in {"open", "closing"}:
                await self._revive(room)
        finally:
            del self._running[room.room_id]
            done.set()

    async def ready(self, room: Room) -> None:
        """Wait until a running reconciliation of a room has finished.

        Raises CommandRefused: TABLE_AWAY.
        """
        done = self._running.get(room.room_id)
        if done is None:
            return
        try:
            async with asyncio.timeout(PATIENCE.total_seconds()):
                await done.wait()
        except TimeoutError as error:
            raise CommandRefused(
                Reason.TABLE_AWAY, f"The table of room {room.room_id} is away; try again later."
            ) from error

    def forget(self, room: Room) -> None:
        """Release the state of a room that is over."""
        self._behind.pop(room.room_id, None)

    def _is_behind(self, room: Room) -> bool:
        return self._behind.get(room.room_id) == room.epoch

    async def _revive(self, room: Room) -> None:
        failures = 0
        while room.phase in {"open", "closing"}:
            try:
                await self._tables.find(room)
                await self._compare(room)
            except (CommandRefused, StoreFailed) as error:
                failures += 1
                is_hopeless = room.is_launched and failures >= LAUNCHES
                if is_hopeless or error.reason == Reason.TABLE_DAMAGED:
                    await self._fail(room, f"its table cannot be reached again: {error.message}")
                    return
                if room.state != AWAY:
                    logger.warning("table_away", room=room.room_id, reason=error.reason)
                room.lose_table()
                await asyncio.sleep(_BACKOFF.pause_s(failures))
            else:
                room.find_table()
                logger.info("table_reconciled", room=room.room_id, epoch=room.epoch)
                return

    async def _compare(self, room: Room) -> None:
        """Compare a room with its table and configure the table; raises CommandRefused."""
        recorded = room.numbered  # before the call: events may arrive meanwhile
        table = await self._tables.call(room, room.skills.summary, NoInput(), TableReply)
        if table.table_id and table.table_id != room.table_id:
            await self._fail(room, f"its table serves {table.table_id} now")
            return
        holds_less = (
            self._is_behind(room)
            or table.state == _REFUSED
            or table.table_id == ""
            or (table.epoch is not None and table.epoch != room.epoch)
            or (table.sequence is not None and table.sequence < recorded)
            or (table.kept_from is not None and table.kept_from > room.numbered + 1)
        )
        seats, continuation = None, None
        if holds_less and (unreachable_players := room.unreachable_players):
            names = ", ".join(unreachable_players)
            await self._fail(room, f"the addresses of the agents of {names} are unknown")
            return
        if holds_less:
            async with self._ingest.lock(room):  # no batch of the old epoch is being recorded
                seats, continuation = begin_epoch(room, above=table.epoch or 0)
                await self._store.save(room)  # before the table gets the new epoch
            logger.warning("table_replaced", room=room.room_id, epoch=room.epoch)
        if holds_less or table.epoch is not None:
            # Not a table that knows only the document: to be configured again would reset it.
            await self._tables.configure(room, table.epoch or room.epoch, seats, continuation)
        await self._store.save(room)
        if room.goes_on:
            await self._resume_session(room)

    async def _resume_session(self, room: Room) -> None:
        """Resume the interrupted session with its remaining hands."""
        if room.phase == "open" and room.hands_left:
            start = StartGameInput(
                max_hands=room.hands_left, request_id=f"{room.room_id}:{room.epoch}:goes-on"
            )
            await self._tables.call(room, room.skills.start, start, TableReply)
        room.end_resuming()
        await self._store.save(room)

    async def _fail(self, room: Room, cause: str) -> None:
        room.fail(cause)
        self._bus.publish(RoomChanged(room))
        await self._store.save(room)
        logger.error("table_lost", room=room.room_id, table=room.table_card_url, cause=cause)
