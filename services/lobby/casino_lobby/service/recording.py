"""Record the events that tables report: deduplicated, in sequence, of the current epoch only."""

import asyncio
import logging
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import structlog
from casino_agentkit import CommandRefused
from casino_agentkit.process.logs import frequent_level
from casino_contracts import Reason, RecordGameEventOutput, Waiting

from casino_lobby.domain.lobby_events import EventsRefused, EventsRepeated, MessageBus, RoomChanged
from casino_lobby.domain.reported_event import ReportedEvent
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_fold import new_events
from casino_lobby.domain.told_summary import says_too_little
from casino_lobby.errors import StoreFailed
from casino_lobby.service.dependencies import Dependencies
from casino_lobby.service.room_lifecycle import RoomCommands, start_if_full
from casino_lobby.store import Store

_is_logged = logging.getLogger(__name__).isEnabledFor
"""Asked first: a line that is not written costs as much as the record of an event."""

logger = structlog.get_logger(__name__)


class EventIngest:
    """Ingests one batch of a room at a time; publishes `EventsRepeated`."""

    def __init__(self, store: Store, bus: MessageBus) -> None:
        self._store = store
        self._bus = bus
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def lock(self, room: Room) -> asyncio.Lock:
        return self._locks[room.room_id]

    def forget(self, room: Room) -> None:
        self._locks.pop(room.room_id, None)

    async def record(self, room: Room, events: Sequence[ReportedEvent]) -> list[ReportedEvent]:
        """May raise as `new_events`, and StoreFailed: the table then delivers the batch again."""
        async with self.lock(room):
            recorded = await _recorded_events(self._store, room, events)
            accepted, unnumbered = new_events(room, events, recorded)
            if unnumbered is not None and room.unnumbered is None:
                room.begin_numbering(unnumbered)
                await self._store.save(room)  # the events alone do not say who numbered them
            if accepted:
                await self._store.record(room, accepted)
            if repeated := len(events) - len(accepted):
                self._bus.publish(EventsRepeated(repeated))
            return accepted


async def _recorded_events(
    store: Store, room: Room, events: Sequence[ReportedEvent]
) -> dict[int, ReportedEvent]:
    """Return the recorded events that have the numbers of a batch, by sequence."""
    before = room.unnumbered or 0
    repeated = [
        event.sequence + before
        for event in events
        if event.sequence and event.sequence + before <= room.last_sequence
    ]
    if not repeated:
        return {}
    first = min(repeated)
    recorded = await store.events(room, first - 1, max(repeated) - first + 1)
    return {event.sequence: event for event in recorded if event.sequence is not None}


_LOST: Final = frozenset(
    {
        Reason.EVENT_TOO_LARGE,
        Reason.EVENT_UNREADABLE,
        Reason.SEQUENCE_CONFLICT,
        Reason.SEQUENCE_MISSING,
    }
)
"""Reasons for which a table's event is lost, or the table has to begin anew."""


class RefusedEvents:
    """Makes refused events visible: in the log, and in the message of their room.

    A call without the table's token may be anybody's: it changes no message of a room whose table
    has a room key, or has reported an event. What is shown are reasons and counts, in words of the
    lobby. The log gets the first, the tenth, the hundredth … of a room and reason.
    """

    def __init__(self, bus: MessageBus) -> None:
        self._bus = bus
        self._counts: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def note(self, refused: EventsRefused) -> None:
        room, reason = refused.room, refused.reason
        counts = self._counts[room.room_id if room else ""]
        counts[reason] += 1
        is_shown = room is not None and not room.is_over and _is_of_table(room, refused)
        if room is not None and is_shown:
            room.refused[reason] += 1
        count = str(counts[reason])
        if count.rstrip("0") != "1":
            return
        logger.warning(
            "events_refused",
            room=room.room_id if room else None,
            reason=reason,
            calls=counts[reason],
            of_table=refused.is_proved,
        )
        if room is not None and is_shown and room.phase == "open":
            self._bus.publish(RoomChanged(room))

    def forget(self, room: Room) -> None:
        self._counts.pop(room.room_id, None)


def _is_of_table(room: Room, refused: EventsRefused) -> bool:
    if refused.is_proved:
        return refused.reason in _LOST
    return not room.is_keyed and not room.last_sequence


class EventRecording:
    """Records events through `ingest`, and does what follows from them."""

    def __init__(self, parts: Dependencies, ingest: EventIngest, rooms: RoomCommands) -> None:
        self._parts = parts
        self._ingest = ingest
        self._rooms = rooms

    async def record(
        self, events: Sequence[ReportedEvent], waits: Sequence[Waiting] | None = None
    ) -> RecordGameEventOutput:
        """Record a table's events, and why it waits; raises as `UseCases.record`."""
        room = self._parts.store.room_of_table(events[0].table_id)
        try:
            recorded = await self._record(room, events)
        except CommandRefused as refusal:
            if refusal.reason != Reason.SEQUENCE_GAP:  # it sends those that are missing
                refused = EventsRefused(room, refusal.reason, is_proved=True)
                self._parts.context.bus.publish(refused)
            raise
        if room is not None and waits is not None and room.waits.tell(waits):
            await self._tell(room)
        return recorded

    async def _tell(self, room: Room) -> None:
        """Tell everybody why a room waits; the other lobbies of a group by its stored state."""
        if room.phase == "open":
            self._parts.context.bus.publish(RoomChanged(room))
        with suppress(StoreFailed):
            await self._parts.store.save(room)

    async def _record(
        self, room: Room | None, events: Sequence[ReportedEvent]
    ) -> RecordGameEventOutput:
        if room is None or any(event.table_id != room.table_id for event in events):
            raise CommandRefused(
                Reason.UNKNOWN_TABLE,
                "No table of this lobby has the id of these events: stop sending.",
            )
        if room.is_over:
            raise CommandRefused(
                Reason.ROOM_CLOSED, f"Room {room.room_id} is {room.phase}: stop sending."
            )
        try:
            accepted = await self._ingest.record(room, events)
        except StoreFailed as failed:
            # An environment fault: the cause is enough, a traceback adds nothing.
            logger.error("store_failed", room=room.room_id, error=str(failed))  # noqa: TRY400
            raise
        except CommandRefused as refusal:
            if room.phase in {"open", "closing"}:
                self._help(room, refusal)
            raise
        completed = [event for event in accepted if event.event_type == "hand_completed"]
        if completed and _is_logged(level := frequent_level()):
            for event in completed:
                logger.log(
                    level,
                    "hand_completed",
                    room=room.room_id,
                    hand=event.hand_id,
                    detail=event.message,
                )
        if accepted:
            self._follow(room, accepted)
        elif (events[-1].sequence or 0) < room.table_sequence and room.phase in {"open", "closing"}:
            # It may have no more: a table that lost its tail, and does not play, sends nothing new.
            self._parts.background.begin(self._parts.reconciler.revive(room))
        return RecordGameEventOutput(sequence=room.table_sequence)

    def _follow(self, room: Room, accepted: Sequence[ReportedEvent]) -> None:
        if not room.is_keyed:
            if any(says_too_little(room, event) for event in accepted):
                self._parts.summaries.ask(room)
            self._parts.summaries.go_on(room)
        if room.may_start_itself:
            start_if_full(self._parts, room)
        if room.table_is_closed:
            self._rooms.go_on_closing(room)

    def _help(self, room: Room, refusal: CommandRefused) -> None:
        """Begin a new epoch for a table that stops because its journal lost what is recorded.

        It may have lost the room's epoch as well. In a room of the fleet an event of another epoch
        is one of a table that was replaced.
        """
        revive = self._parts.reconciler.revive
        if refusal.reason == Reason.SEQUENCE_CONFLICT:
            self._parts.background.begin(revive(room, behind_in=room.epoch))
        elif refusal.reason == Reason.STALE_EPOCH and not room.is_from_fleet:
            self._parts.background.begin(revive(room))
