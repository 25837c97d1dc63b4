"""Which events of a batch are new, and under which numbers they are recorded. Pure."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from casino_agentkit import CommandRefused
from casino_contracts import Reason, TableEvent

from casino_lobby.domain.room import Room


class NewEvents(NamedTuple):
    """The events of a batch that are not recorded yet, each with a sequence."""

    events: list[TableEvent]
    unnumbered: int | None
    """The value of `Room.unnumbered` once they are recorded."""


def new_events(
    room: Room, events: Sequence[TableEvent], recorded: Mapping[int, TableEvent]
) -> NewEvents:
    """Return the events of a batch that are new; `recorded` has those of its numbers.

    Recorded events with the same content are ignored. Events without a sequence are numbered in
    order of arrival, until the table numbers one.
    Raises CommandRefused: STALE_EPOCH, SEQUENCE_MISSING, SEQUENCE_CONFLICT, or SEQUENCE_GAP with
    the `wanted` sequence; then no event of the batch is accepted.
    """
    accepted: list[TableEvent] = []
    last, unnumbered = room.last_sequence, room.unnumbered
    by_number = dict(recorded)
    for event in events:
        _refuse_other_epoch(room, event)
        if event.sequence is None or (room.is_keyed and event.epoch is None):
            if room.is_keyed or unnumbered is not None:
                raise _missing(room)
            last += 1
            accepted.append(event.model_copy(update={"sequence": last, "epoch": room.epoch}))
            continue
        if unnumbered is None:
            unnumbered = _count_unnumbered(event, event.sequence, last, by_number)
        sequence = event.sequence + unnumbered
        own = event if not unnumbered else event.model_copy(update={"sequence": sequence})
        if sequence == last + 1:
            last = sequence
            accepted.append(own)
            by_number[last] = own
        elif sequence > last:
            raise _gap(event.sequence, last + 1 - unnumbered)
        elif by_number.get(sequence, own) != own:
            raise CommandRefused(
                Reason.SEQUENCE_CONFLICT,
                f"Event {event.sequence} of table {room.table_id} was recorded with other content.",
            )
    return NewEvents(accepted, unnumbered)


def _count_unnumbered(
    event: TableEvent, sequence: int, last: int, recorded: Mapping[int, TableEvent]
) -> int:
    """Return how many of the `last` events are none of the table's numbered ones.

    `event` is the first event with a number that the epoch gets. Of a room of an older release it
    may also be the next one, or a repeated one; then the table has numbered all events.
    Raises CommandRefused: SEQUENCE_GAP.
    """
    if sequence > last or recorded.get(sequence) == event:
        return 0
    if sequence > 1:
        raise _gap(sequence, 1)
    return last


def _refuse_other_epoch(room: Room, event: TableEvent) -> None:
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
