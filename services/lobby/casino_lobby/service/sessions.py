"""Start a session at a room's table, on request or when the room is full."""

import structlog
from casino_agentkit import CommandRefused
from casino_contracts import (
    NoInput,
    Reason,
    StartGameInput,
    StartOverrides,
    StartRoomInput,
    TableSummary,
)

from casino_lobby.domain.room import Room
from casino_lobby.domain.room_views import table_summary
from casino_lobby.service.idempotency import CommandRun
from casino_lobby.service.parts import LobbyParts
from casino_lobby.table_directory import Tables
from casino_lobby.table_messages import TableReply

NOT_REACHED = frozenset({Reason.AGENT_UNREACHABLE, Reason.AGENT_TIMED_OUT, Reason.TABLE_AWAY})
"""Reasons of commands that did not reach a table, or whose answer did not come."""

logger = structlog.get_logger(__name__)


async def start_room(parts: LobbyParts, request: StartRoomInput, run: CommandRun) -> TableSummary:
    """Start a session once; raises as `LobbyService.start_room`."""
    parts.refuse_while_draining()

    async def start(room: Room) -> TableSummary:
        sessions_before = run.notes.get("sessions")
        if sessions_before is not None and room.sessions > int(sessions_before):
            # Started before a crash, or at the table before.
            return table_summary(room)
        await run.note(sessions=str(room.sessions))
        overrides = request.overrides or StartOverrides()
        await _note_end(parts.tables, room)
        return await begin(parts.tables, room, overrides, run.request_id)

    return await parts.at_table(request.room_id, start)


async def _note_end(tables: Tables, room: Room) -> None:
    """Ask a table that numbers no events whether its session is over.

    Its events may not say so: the protocol document demands only the summary's status.
    """
    if room.is_playing and room.unnumbered is None:
        reply = await tables.call(room, room.skills.summary, NoInput(), TableReply)
        room.set_status(reply.status, room.state)


def start_if_full(parts: LobbyParts, room: Room) -> None:
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
            Reason.ALREADY_RUNNING,
            f"Room {room.room_id} is playing; a full room starts by itself.",
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
    """Return the summary if the call timed out but events show that the session is running.

    A minimal third-party table replies only at the end of the session. Raises CommandRefused.
    """
    if refusal.reason == Reason.AGENT_TIMED_OUT and room.is_playing:
        return table_summary(room)
    raise refusal


async def begin_by_itself(parts: LobbyParts, room: Room) -> None:
    """Start a session in a full room, if one is due; again if its table is replaced meanwhile."""
    tried: int | None = None
    while room.may_start_itself and room.epoch != tried:
        tried = await _try_to_begin(parts, room)
        if room.epoch != tried and not room.is_playing:  # what the former table began is void
            room.postpone_start()


async def _try_to_begin(parts: LobbyParts, room: Room) -> int:
    """Start a session that is due; return the epoch of the table that was called."""
    epoch = room.epoch
    try:
        await parts.reconciler.ready(room)
        epoch = room.epoch
        if room.may_start_itself:  # still: the table may have been replaced
            request_id = f"{room.room_id}:{epoch}:{room.sessions}:full"
            await begin(parts.tables, room, StartOverrides(), request_id)
    except CommandRefused as refusal:
        logger.warning("auto_start_refused", room=room.room_id, reason=refusal.reason)
        if room.is_from_fleet and refusal.reason in NOT_REACHED:
            room.postpone_start()  # until the table returns, or the room moves
    return epoch
