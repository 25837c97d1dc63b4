"""Fold stored events into their rooms."""

from collections.abc import Sequence
from typing import NamedTuple

import structlog

from casino_lobby.domain.room import Room
from casino_lobby.domain.room_fold import apply
from casino_lobby.domain.table_events.reported_event import ReportedEvent

logger = structlog.get_logger(__name__)


class Lost(NamedTuple):
    """An unreadable event: its sequence counts, its content is lost."""

    sequence: int


def fold(room: Room, events: Sequence[ReportedEvent | Lost]) -> None:
    """Fold committed events into their room; events already applied are skipped.

    An event that the room cannot apply (a third-party table's) changes nothing, and a lost one only
    advances the sequence. Neither stops later events or the start of the lobby.
    """
    for event in events:
        if event.sequence is not None and event.sequence <= room.last_sequence:
            continue
        if isinstance(event, Lost):
            room.skip_event(event.sequence)
            continue
        try:
            apply(room, event)
        except ValueError as error:
            logger.warning(
                "event_not_understood",
                room=room.room_id,
                sequence=event.sequence,
                error=str(error),
            )
