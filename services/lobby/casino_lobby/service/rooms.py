"""Open and close rooms."""

import asyncio
from datetime import timedelta

import structlog
from casino_agentkit import CommandRefused
from casino_contracts import (
    NoInput,
    Reason,
    RoomSnapshot,
    TableSummary,
)

from casino_lobby.domain.lobby_events import RoomChanged
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_fold import unreachable_players
from casino_lobby.domain.room_limits import RoomCaps, RoomOrder
from casino_lobby.domain.room_views import room_snapshot
from casino_lobby.errors import StoreFailed
from casino_lobby.service.idempotency import CommandRun
from casino_lobby.service.parts import LobbyParts
from casino_lobby.service.sessions import NOT_REACHED, start_if_full

CLOSE_TIMEOUT = timedelta(minutes=2)
CLOSE_SKILL = "closeTable"

logger = structlog.get_logger(__name__)


class RoomCommands:
    """Opens and closes rooms within `caps`."""

    def __init__(self, parts: LobbyParts, caps: RoomCaps) -> None:
        self._parts = parts
        self._caps = caps
        self._closing: dict[str, asyncio.Event] = {}

    async def create(self, request: RoomOrder, run: CommandRun) -> RoomSnapshot:
        """Open a room; raises as `LobbyService.create_room`."""
        self._parts.refuse_while_draining()
        room = self._parts.store.room(run.notes.get("roomId", ""))
        if room is None:
            room = self._new_room(request, run.notes.get("roomId"))
            await run.note(roomId=room.room_id)
            await self._parts.store.refuse_archived(room)
            self._refuse_if_taken(room)  # again: another request may have taken the ids meanwhile
            await self._parts.store.add(room)  # before its table may call back
        if room.phase != "opening":  # opened before a crash
            return room_snapshot(room)
        try:
            await self._parts.tables.provide(room)
        except BaseException:
            await self._parts.store.remove(room)
            self._parts.context.bus.publish(RoomChanged(room))
            await self._parts.tables.release(room)
            raise
        room.open()
        await self._parts.store.save(room)
        self._parts.context.bus.publish(RoomChanged(room))
        logger.info("room_opened", room=room.room_id, table=room.table_card_url)
        return room_snapshot(room)

    def _new_room(self, request: RoomOrder, noted_id: str | None) -> Room:
        room_id = request.room_id or noted_id or self._parts.context.new_id("room")
        room = Room(
            room_id,
            request.table_id or room_id,
            request.config,
            request.game_type,
            request.table_agent_skills,
            game_config=request.game_config,
            owner=request.owner,
            entry=request.seats or "open",
            launch_port=request.launch_options.port if request.launch_options else None,
            table_card_url=request.table_agent_card_url or "",
            secret=self._parts.context.new_secret(),
        )
        self._refuse_if_taken(room)
        return room

    def _refuse_if_taken(self, room: Room) -> None:
        self._caps.refuse_room_beyond(self._parts.store.own_rooms(), room.owner)
        room_id, table_id, url = room.room_id, room.table_id, room.table_card_url
        if self._parts.store.room(room_id):
            raise CommandRefused(
                Reason.ROOM_EXISTS, f"There is a room {room_id}; choose another roomId."
            )
        if self._parts.store.room_of_table(table_id):
            raise CommandRefused(
                Reason.TABLE_ID_TAKEN, f"Table {table_id} has a room; choose another tableId."
            )
        if url and self._parts.store.in_use.has(url):
            raise CommandRefused(Reason.TABLE_IN_USE, f"The table at {url} serves another room.")

    async def close(self, room_id: str) -> RoomSnapshot:
        """Close a room after its running hand; returns without waiting for it.

        Raises CommandRefused: ROOM_NOT_FOUND, ROOM_CLOSED.
        """
        room = await self._parts.room_of_command(room_id)
        if room.phase == "open":
            room.begin_closing()
            await self._parts.store.save(room)
            self._parts.background.begin(self._close(room))
        elif room.phase == "failed":
            room.close()
            await self._parts.store.save(room)
        return room_snapshot(room)

    async def _close(self, room: Room) -> None:
        closed = self._closing[room.room_id] = asyncio.Event()
        try:
            await self._close_table(room, closed)
        except (CommandRefused, StoreFailed, TimeoutError) as error:
            logger.warning("close_incomplete", room=room.room_id, error=str(error))
        finally:
            self._closing.pop(room.room_id, None)
        await self._parts.tables.release(room)
        room.close("the room is closed")
        await self._parts.store.save(room)
        self._parts.context.bus.publish(RoomChanged(room))
        logger.info("room_closed", room=room.room_id)

    async def _close_table(self, room: Room, changed: asyncio.Event) -> None:
        """Have the table cash every player out, and another one if it is replaced meanwhile.

        Raises CommandRefused, StoreFailed, TimeoutError.
        """
        reconciler = self._parts.reconciler
        while not room.table_is_closed and self._parts.tables.offers(room, CLOSE_SKILL):
            may_move = room.is_from_fleet and not unreachable_players(room)
            await (reconciler.settle(room) if may_move else reconciler.revive(room))
            if room.is_over or room.table_is_closed:
                return
            changed.clear()
            try:
                await self._parts.tables.call(room, CLOSE_SKILL, NoInput(), TableSummary)
            except CommandRefused as refusal:
                if not may_move or refusal.reason not in NOT_REACHED:
                    raise
                continue  # it comes back, or the room moves
            try:
                async with asyncio.timeout(CLOSE_TIMEOUT.total_seconds()):
                    await changed.wait()
            except TimeoutError:
                if not may_move or not reconciler.is_running(room):
                    raise

    def table_closed(self, room: Room) -> None:
        """End the wait of `close` after the table's last event."""
        if room.table_is_closed and room.room_id in self._closing:
            self._closing[room.room_id].set()

    def table_replaced(self, room: Room) -> None:
        """Have `close` call the table of the new epoch."""
        if room.room_id in self._closing:
            self._closing[room.room_id].set()

    async def restore(self, room: Room) -> None:
        """Go on with a room after a restart of the lobby."""
        if room.phase == "closing":
            await self._close(room)
        else:
            await self._parts.reconciler.revive(room)
            start_if_full(self._parts, room)
