"""The commands about rooms: open and close them, seat players, start sessions at their tables.

A full room starts by itself.
"""

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

import structlog
from casino_agentkit import CommandRefused, Violation
from casino_contracts import (
    CreateRoomInput,
    LeaveRoomInput,
    LeaveTableInput,
    NoInput,
    PlayerSeat,
    Reason,
    RegisteredPlayer,
    RegisterPlayerInput,
    RoomSnapshot,
    StartGameInput,
    StartOverrides,
    StartRoomInput,
    TableSummary,
    WireModel,
)

from casino_lobby.domain.lobby_events import RoomChanged
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_fold import unreachable_players
from casino_lobby.domain.room_limits import RoomCaps, RoomOrder, SeatOrder
from casino_lobby.domain.room_views import room_snapshot, table_summary
from casino_lobby.domain.told_summary import is_silent
from casino_lobby.errors import StoreFailed
from casino_lobby.service.command_replies import CommandRun, CommandType, room_command
from casino_lobby.service.dependencies import Dependencies
from casino_lobby.service.player_seating import Invitations, find_earlier_seat
from casino_lobby.table_directory import Tables
from casino_lobby.table_messages import TableReply

NOT_REACHED = frozenset({Reason.AGENT_UNREACHABLE, Reason.AGENT_TIMED_OUT, Reason.TABLE_AWAY})
"""Reasons of commands that did not reach a table, or whose answer did not come."""

CLOSE_TIMEOUT = timedelta(minutes=2)
CLOSE_SKILL = "closeTable"
LEAVE_SKILL = "leaveTable"

logger = structlog.get_logger(__name__)


async def _note_end(tables: Tables, room: Room) -> None:
    """Ask a table that numbers no events whether its session is over.

    Its events may not say so: the protocol document demands only the summary's status.
    """
    if room.is_playing and is_silent(room):
        sequence = room.last_sequence
        reply = await tables.call(room, room.skills.summary, NoInput(), TableReply)
        reply.tell(room, is_newest=room.last_sequence == sequence)


def start_if_full(parts: Dependencies, room: Room) -> None:
    """Start a session in the background if the room is full and one is due."""
    if room.may_start_itself and not parts.is_draining:
        parts.background.begin(begin_by_itself(parts, room))


async def begin(
    tables: Tables, room: Room, overrides: StartOverrides, request_id: str
) -> TableSummary:
    """Start a session at a room's table.

    Raises CommandRefused: ALREADY_RUNNING, AGENT_…, and refusal reasons of the table.
    """
    if room.is_playing or room.is_starting:
        raise CommandRefused(
            Reason.ALREADY_RUNNING, f"Room {room.room_id} is playing; a full room starts by itself."
        )
    room.mark_starting()
    sessions, epoch = room.sessions, room.epoch
    start = StartGameInput(**overrides.model_dump(by_alias=False), request_id=request_id)
    try:
        reply = await tables.call(room, room.skills.start, start, TableReply)
    except CommandRefused as refusal:
        return _summary_if_playing(room, refusal)
    finally:
        room.end_starting()
    if (room.sessions, room.epoch) == (sessions, epoch):  # its event has not arrived yet
        room.end_starting(reply.status)
    return reply.completed(table_summary(room))


def _summary_if_playing(room: Room, refusal: CommandRefused) -> TableSummary:
    """Raise the refusal unless the call timed out, and events show that the session is running."""
    if refusal.reason == Reason.AGENT_TIMED_OUT and room.is_playing:
        return table_summary(room)
    raise refusal


async def begin_by_itself(parts: Dependencies, room: Room) -> None:
    """Start a session in a full room, if one is due; again if its table is replaced meanwhile."""
    tried: int | None = None
    while room.may_start_itself and room.epoch != tried:
        tried = await _try_to_begin(parts, room)
        if room.epoch != tried and not room.is_playing:  # what the former table began is void
            room.postpone_start()


async def _try_to_begin(parts: Dependencies, room: Room) -> int:
    """Start a session that is due; return the epoch of the table that was called."""
    epoch = room.epoch
    try:
        await parts.reconciler.ready(room)
        epoch = room.epoch
        if room.may_start_itself:  # still: the table may have been replaced
            request_id = f"{room.room_id}:{epoch}:{room.sessions}:full"
            await begin(parts.tables, room, StartOverrides(), request_id)
            parts.summaries.go_on(room)
    except CommandRefused as refusal:
        logger.warning("auto_start_refused", room=room.room_id, reason=refusal.reason)
        if room.is_from_fleet and refusal.reason in NOT_REACHED:
            room.postpone_start()  # until the table returns, or the room moves
    return epoch


class CloseRoomInput(WireModel):
    """Close a room."""

    room_id: str


def _check_seat(room: Room, preferred: int | None) -> None:
    """Raise CommandRefused if the room has no seat of this number: SEAT_OUT_OF_RANGE."""
    last = room.config.max_seats - 1
    if preferred is not None and preferred > last:
        raise CommandRefused(
            Reason.SEAT_OUT_OF_RANGE,
            f"This room has no seat {preferred}: its seats are 0 to {last}.",
            (Violation("preferredSeat", f"must be 0 to {last}"),),
        )


class RoomCommands:
    """The commands about rooms, and what goes on after them; rooms are opened within `caps`."""

    def __init__(self, parts: Dependencies, caps: RoomCaps, invitations: Invitations) -> None:
        self._parts = parts
        self._caps = caps
        self._invitations = invitations
        self._closing: dict[str, asyncio.Event] = {}

    @room_command("createRoom", CreateRoomInput, sender="owner", opens_room=True)
    async def create(self, request: RoomOrder, run: CommandRun) -> RoomSnapshot:
        """Open a room on the requested table, a free announced one, or one that is launched.

        Raises CommandRefused: ROOM_EXISTS, TABLE_ID_TAKEN, TABLE_IN_USE, TOO_MANY_ROOMS,
        PORT_TAKEN, NO_TABLE, DRAINING, AGENT_…, and refusal reasons of the table.
        """
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

    @room_command("closeRoom", CloseRoomInput)
    async def close(self, request: CloseRoomInput, _run: CommandRun) -> RoomSnapshot:
        """Close a room after its running hand; returns without waiting for it.

        Raises CommandRefused: ROOM_NOT_FOUND, ROOM_CLOSED if it is archived.
        """
        room = await self._parts.room_of_command(request.room_id)
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

    def go_on_closing(self, room: Room) -> None:
        """End the wait of `close`: the table's last event has come, or the table was replaced."""
        if room.room_id in self._closing:
            self._closing[room.room_id].set()

    async def restore(self, room: Room) -> None:
        if room.phase == "closing":
            await self._close(room)
        else:
            await self._parts.reconciler.revive(room)
            self._parts.summaries.go_on(room)
            start_if_full(self._parts, room)

    # Players and sessions.

    @room_command("registerPlayer", RegisterPlayerInput, sender="registrar")
    async def register_player(self, request: SeatOrder, run: CommandRun) -> RegisteredPlayer:
        """Invite a player agent and have the table seat it.

        Raises CommandRefused: ROOM_NOT_FOUND, ROOM_CLOSED, ROOM_FULL, SEAT_OUT_OF_RANGE,
        INVALID_AMOUNT, DRAINING, AGENT_…, and refusal reasons of the player and the table.
        """
        self._parts.refuse_while_draining()

        async def seat_at(room: Room) -> PlayerSeat:
            return await self._seat(room, request, run)

        seat = await self._parts.at_table(request.room_id, seat_at)
        room = self._parts.room(request.room_id)
        logger.info("player_seated", room=room.room_id, player=seat.player_id)
        start_if_full(self._parts, room)
        return RegisteredPlayer(room_id=room.room_id, **seat.model_dump(by_alias=False))

    async def _seat(self, room: Room, request: SeatOrder, run: CommandRun) -> PlayerSeat:
        earlier = await find_earlier_seat(self._parts.tables, room, request, run)
        if earlier is not None:
            return earlier
        _check_seat(room, request.preferred_seat)
        if room.is_full:
            raise CommandRefused(Reason.ROOM_FULL, f"All {room.config.max_seats} seats are taken.")
        epoch = room.epoch
        seat, agent = await self._invitations.seat(room, request, run)
        if room.epoch == epoch:  # else the seat is void
            room.seat(seat, agent)
            await self._parts.store.save(room)
        return seat

    @room_command("leaveRoom", LeaveRoomInput)
    async def leave(self, request: LeaveRoomInput, run: CommandRun) -> TableSummary:
        """Release a player's seat: at once between hands, otherwise after the running hand.

        Raises CommandRefused: ROOM_NOT_FOUND, ROOM_CLOSED, UNKNOWN_PLAYER, UNSUPPORTED, AGENT_….
        """

        async def leave_from(room: Room) -> TableSummary:
            if request.player_id not in room.seats:
                if "leaving" in run.notes:  # left before a crash, or at the table before
                    return table_summary(room)
                raise CommandRefused(
                    Reason.UNKNOWN_PLAYER,
                    f"No player with the id {request.player_id} sits in this room.",
                )
            if not self._parts.tables.offers(room, LEAVE_SKILL):
                raise CommandRefused(Reason.UNSUPPORTED, "This room's table cannot release a seat.")
            await run.note(leaving=request.player_id)
            leaving = LeaveTableInput(player_id=request.player_id, request_id=run.request_id)
            return await self._parts.tables.call(room, LEAVE_SKILL, leaving, TableSummary)

        return await self._parts.at_table(request.room_id, leave_from)

    @room_command("startRoom", StartRoomInput)
    async def start(self, request: StartRoomInput, run: CommandRun) -> TableSummary:
        """Start a session; returns once it has begun.

        Raises CommandRefused: ROOM_NOT_FOUND, ROOM_CLOSED, ALREADY_RUNNING, DRAINING, AGENT_…, and
        refusal reasons of the table (NOT_ENOUGH_PLAYERS, INVALID_BLINDS, …).
        """
        self._parts.refuse_while_draining()

        async def start_at(room: Room) -> TableSummary:
            sessions_before = run.notes.get("sessions")
            if sessions_before is not None and room.sessions > int(sessions_before):
                # Started before a crash, or at the table before.
                return table_summary(room)
            await run.note(sessions=str(room.sessions))
            overrides = request.overrides or StartOverrides()
            await _note_end(self._parts.tables, room)
            summary = await begin(self._parts.tables, room, overrides, run.request_id)
            self._parts.summaries.go_on(room)
            return summary

        return await self._parts.at_table(request.room_id, start_at)


ROOM_COMMANDS: Final[Mapping[str, CommandType[Any, Any]]] = {
    command.name: command
    for command in vars(RoomCommands).values()
    if isinstance(command, CommandType)
}
"""All commands, by name."""
