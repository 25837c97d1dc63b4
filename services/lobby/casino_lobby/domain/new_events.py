"""Which events of a batch are new, and under which numbers they are recorded. Pure."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from casino_agentkit import CommandRefused
from casino_contracts import Reason

from casino_lobby.domain.reported_event import ReportedEvent, model_of
from casino_lobby.domain.room import Room


class NewEvents(NamedTuple):
    """The events of a batch that are not recorded yet, each with a sequence."""

    events: list[ReportedEvent]
    unnumbered: int | None
    """The value of `Room.unnumbered` once they are recorded."""


def new_events(
    room: Room, events: Sequence[ReportedEvent], recorded: Mapping[int, ReportedEvent]
) -> NewEvents:
    """Return the events of a batch that are new; `recorded` has those of its numbers.

    Recorded events with the same content are ignored. Events without a sequence are numbered in
    order of arrival, until the table numbers one.
    Raises CommandRefused: STALE_EPOCH, SEQUENCE_MISSING, SEQUENCE_CONFLICT, or SEQUENCE_GAP with
    the `wanted` sequence; then no event of the batch is accepted.
    """
    accepted: list[ReportedEvent] = []
    last, unnumbered = room.last_sequence, room.unnumbered
    by_number = dict(recorded)
    for event in events:
        _refuse_other_epoch(room, event)
        if event.sequence is None or (room.is_keyed and event.epoch is None):
            if room.is_keyed or unnumbered is not None:
                raise _missing(room)
            last += 1
            accepted.append(_numbered(event, sequence=last, epoch=room.epoch))
            continue
        if unnumbered is None:
            unnumbered = _count_unnumbered(event, event.sequence, last, by_number)
        sequence = event.sequence + unnumbered
        own = event if not unnumbered else _numbered(event, sequence=sequence)
        if sequence == last + 1:
            last = sequence
            accepted.append(own)
            by_number[last] = own
        elif sequence > last:
            raise _gap(event.sequence, last + 1 - unnumbered)
        elif not _is_same(by_number.get(sequence, own), own):
            raise CommandRefused(
                Reason.SEQUENCE_CONFLICT,
                f"Event {event.sequence} of table {room.table_id} was recorded with other content.",
            )
    return NewEvents(accepted, unnumbered)


def _count_unnumbered(
    event: ReportedEvent, sequence: int, last: int, recorded: Mapping[int, ReportedEvent]
) -> int:
    """Return how many of the `last` events are none of the table's numbered ones.

    `event` is the first event with a number that is read since the lobby has opened the room. It
    may be the next one, or a repeated one; then the table has numbered all events.
    Raises CommandRefused: SEQUENCE_GAP.
    """
    stored = recorded.get(sequence)
    if sequence > last or (stored is not None and _is_same(stored, event)):
        return 0
    if sequence > 1:
        raise _gap(sequence, 1)
    return last


def _numbered(event: ReportedEvent, **numbers: int) -> ReportedEvent:
    return model_of(event).model_copy(update=numbers)


def _is_same(event: ReportedEvent, other: ReportedEvent) -> bool:
    return event is other or model_of(event) == model_of(other)


def _refuse_other_epoch(room: Room, event: ReportedEvent) -> None:
    if event.epoch is not None and event.epoch != room.epoch:
        raise CommandRefused(
            Reason.STALE_EPOCH,
            f"Table {room.table_id} is in epoch {room.epoch}, not {event.epoch}: stop sending.",
        )


def _missing(room: Room) -> CommandRefused:
    needed = "sequence and epoch" if room.is_keyed else "its sequence"
    return CommandRefused(
        Reason.SEQUENCE_MISSING,
        f"Table {room.table_id} numbers its events: send {needed} with each.",
    )


def _gap(sequence: int, wanted: int) -> CommandRefused:
    return CommandRefused(
        Reason.SEQUENCE_GAP,
        f"Event {sequence} arrived before {wanted}: send {wanted} first.",
        details={"wanted": str(wanted)},
    )
