"""Beginning a session at a room's table: because somebody asked for it, or because it is full."""

import structlog
from casino_agentkit import CommandRefused
from casino_contracts import StartGameInput, StartOverrides, TableSummary

from casino_lobby.domain.room import Room
from casino_lobby.tables.directory import Tables

logger = structlog.get_logger(__name__)


async def begin(
    tables: Tables, room: Room, overrides: StartOverrides, request_id: str
) -> TableSummary:
    """Have the table play.

    Raises CommandRefused: ALREADY_RUNNING, AGENT_…, and whatever it refuses.
    """
    if room.is_playing or room.is_starting:
        raise CommandRefused(
            "ALREADY_RUNNING",
            f"Room {room.room_id} is playing; a full room starts by itself.",
        )
    room.mark_starting()
    sessions = room.sessions
    start = StartGameInput(**overrides.model_dump(by_alias=False), request_id=request_id)
    try:
        summary = await tables.call(room, room.skills.start, start, TableSummary)
    except CommandRefused as refusal:
        return _plays_after_all(room, refusal)
    finally:
        room.is_starting = False
    if room.sessions == sessions:  # its event is still on the way
        room.status = summary.status
    return summary


def _plays_after_all(room: Room, refusal: CommandRefused) -> TableSummary:
    """Return how a table stands whose reply is late but whose events tell that it plays.

    One that knows only the protocol document answers when everything is played.
    """
    if refusal.reason == "AGENT_TIMED_OUT" and room.is_playing:
        return room.table_summary()
    raise refusal


async def begin_by_itself(tables: Tables, room: Room) -> None:
    """Have the table of a full room play, where that is due."""
    if not room.may_start_itself:
        return
    request_id = f"{room.room_id}:{room.epoch}:{room.sessions}:full"
    try:
        await begin(tables, room, StartOverrides(), request_id)
    except CommandRefused as refusal:
        logger.warning("auto_start_refused", room=room.room_id, reason=refusal.reason)
