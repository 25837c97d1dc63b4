"""How a room goes on, pure.

Which events of its table are new and under which numbers they are recorded, which hands they
complete, what they change in the room, and how a new epoch begins.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import structlog
from casino_agentkit import CommandRefused
from casino_contracts import HOLDEM, Continuation, Reason, SeatAssignment, seat_token
from casino_contracts.events.content import (
    ActionTaken,
    HandCompleted,
    HandStarted,
    PlayerBusted,
    PlayerRegistered,
    StatusChanged,
    TableFailed,
    hand_number_of,
)

from casino_lobby.domain.observed_hand import Highlight, ObservedHand
from casino_lobby.domain.reported_event import ReportedEvent, content_of_event, model_of
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_addresses import PlayerAgent
from casino_lobby.domain.room_books import DISCREPANCY, LedgerEntry
from casino_lobby.domain.room_views import player_type, profile

_STATES = {"paused": "paused", "started": None, "street_dealt": None, "finished": None}
"""The state of a room after a status of this kind; other kinds leave it as it is."""


class EndedHand(NamedTuple):
    """A numbered hand that an event completes, and its score."""

    number: int
    first_sequence: int | None
    """Sequence of its `hand_started`; None if that was not reported."""
    sequence: int
    content: HandCompleted
    highlight: Highlight


def ended_hands(room: Room, events: Sequence[ReportedEvent]) -> list[EndedHand]:
    """Return the hands that a room's next events complete; they are not folded into it."""
    if "hand_completed" not in [event.event_type for event in events]:  # most batches
        return []
    epoch, begun, results = room.epoch, room.newest_hand, room.results
    hand = results.hand.draft() if results.epoch == epoch else ObservedHand()
    ended = []
    for event in events:
        if event.event_type == "action_taken":
            hand.act(event.payload or {})
            continue
        match content_of_event(event):
            case HandStarted() as content:
                hand = ObservedHand.begin(content)
                if content.hand_number is not None:
                    begun = (epoch, content.hand_number, event.sequence or 0)
            case HandCompleted(hand_number=number) as content:
                if number is not None:
                    first = begun[2] if begun and begun[:2] == (epoch, number) else None
                    highlight = hand.highlight(content)
                    ended.append(EndedHand(number, first, event.sequence or 0, content, highlight))
                hand = ObservedHand()
            case StatusChanged(kind="hand_cancelled"):
                hand = ObservedHand()
    return ended


def apply(room: Room, event: ReportedEvent) -> list[LedgerEntry]:
    """Fold one event into a room, and return what its ledger has booked.

    Fields that cannot be read leave their state unchanged.
    """
    room.note(event)
    content = content_of_event(event)
    if not room.is_keyed and isinstance(content, HandCompleted) and not content.stacks:
        room.results.drop_hand()  # its table's summary says how it ended, and what hands there were
    else:
        room.results.add(content, room.epoch, big_blind_of(room), event.timestamp)
    if isinstance(content, ActionTaken):  # most events
        room.set_stack(content.player_id, content.stack)
        room.faults.note(event, content, room.epoch)
        return []
    if isinstance(content, PlayerRegistered):
        return register(room, content)
    booked = room.ledger.book(content, room.unit)
    match content:
        case HandStarted():
            _start_hand(room, content)
        case HandCompleted():
            _complete_hand(room, content)
        case PlayerBusted():
            room.remove_player(content.player_id)
        case StatusChanged():
            _change_status(room, content)
        case TableFailed(status=status):
            room.set_status(status, room.state)
    return booked


def big_blind_of(room: Room) -> float | None:
    """None in games without blinds."""
    return room.config.big_blind if room.game_type == HOLDEM else None


def _start_hand(room: Room, content: HandStarted) -> None:
    room.start_hand(content.hand_number)
    posters = {bet.kind: bet.player_id for bet in content.posted}
    for bet in content.posted:
        room.post(bet.player_id, bet.amount or 0)
    if "big-blind" in posters:
        room.set_blinds(posters.get("small-blind"), posters["big-blind"])


def _complete_hand(room: Room, content: HandCompleted) -> None:
    for after in content.stacks:
        room.set_stack(after.player_id, after.stack)
    room.complete_hand()


def register(room: Room, content: PlayerRegistered) -> list[LedgerEntry]:
    """Take a seat that a table reports, and return what it books; nothing without its stack."""
    reported, seat = content.seat, content.seat.complete
    is_known = not room.is_keyed and room.has_reported(reported.player_id)
    booked = [] if is_known else room.ledger.book(content, room.unit)
    room.faults.register(content)
    if seat is None or reported.stack is None:
        return booked
    agent = (
        None
        if content.agent_card_url is None
        else PlayerAgent(
            content.agent_card_url,
            content.action_skill or "act",
            plays_any_game=content.plays_any_game,
            clock_ms=content.clock_ms,
            player_type=seat.player_type,
            profile=seat.profile,
        )
    )
    room.report_seat(seat, agent)
    return booked


def _change_status(room: Room, content: StatusChanged) -> None:
    room.set_status(content.status, _STATES.get(content.kind or "", room.state))
    match content.kind:
        case "configured":
            room.plays_for = "points" if content.plays_for == "points" else None
        case "started":
            room.start_session(content.hands_left)
            room.deals.begin_session()
        case "deal_committed" | "deal_contributed":
            room.deals.take(room, content)
        case "rebought" | "cashed_out" if content.player_id is not None:
            room.set_stack(content.player_id, content.stack)
            room.settle()
        case "hand_cancelled":
            room.roll_back_hand()
        case "left" if content.player_id is not None:
            room.remove_player(content.player_id)
        case "closed":
            room.close_table()


def unreachable_players(room: Room) -> list[str]:
    """Return ids of players whose agent's address is unknown: a third-party table seated them."""
    return [player_id for player_id in room.seats if player_id not in room.agents]


def begin_epoch(room: Room, above: int = 0) -> tuple[tuple[SeatAssignment, ...], Continuation]:
    """Begin a new epoch; return the seats and the hand counters that it continues from.

    Play of the previous epoch that is not recorded here is void. The new epoch is greater than
    `above`, the table's epoch: a lobby that lost its last commits may have begun that one
    itself. There must be no `unreachable_players`. A seat whose registration is not recorded is
    none of the record's: it has to be taken anew, so that its buy-in is booked.
    """
    room.restore_blinds()
    continuation = Continuation(
        hand_number=room.last_hand,
        hand_count=room.hand_count,
        big_blind_seat=room.big_blind_seat,
        small_blind_seat=room.small_blind_seat,
        cancelled_hand=room.running_hand,
    )
    room.stacks = dict(room.settled)
    room.goes_on = room.goes_on or room.is_playing
    room.number_anew(max(room.epoch, above) + 1)
    seats = tuple(
        SeatAssignment(
            player_id=seat.player_id,
            display_name=seat.display_name,
            seat_number=seat.seat_number,
            stack=room.settled[seat.player_id],
            agent_card_url=room.agents[seat.player_id].card_url,
            action_skill=room.agents[seat.player_id].action_skill,
            plays_any_game=room.agents[seat.player_id].plays_any_game or None,
            seat_token=seat_token(room.secret, seat.player_id) if room.is_keyed else None,
            clock_ms=room.agents[seat.player_id].clock_ms,
            player_type=player_type(room, seat),
            profile=profile(room, seat),
        )
        for seat in room.seats.values()
        if seat.player_id in room.reported_ids or not room.is_keyed
    )
    return seats, continuation


logger = structlog.get_logger(__name__)


class Lost(NamedTuple):
    """An unreadable event: its sequence counts, its content is lost."""

    sequence: int


def fold(room: Room, events: Sequence[ReportedEvent | Lost], *, is_recorder: bool = False) -> None:
    """Fold committed events into their room; events already applied are skipped.

    An event that the room cannot apply (a third-party table's) changes nothing, and a lost one only
    advances the sequence. Neither stops later events or the start of the lobby. The lobby that has
    just recorded the events logs where a table's accounting is wrong.
    """
    for event in events:
        if event.sequence is not None and event.sequence <= room.last_sequence:
            continue
        if isinstance(event, Lost):
            room.skip_event(event.sequence)
            continue
        try:
            booked = apply(room, event)
        except ValueError as error:
            logger.warning(
                "event_not_understood", room=room.room_id, sequence=event.sequence, error=str(error)
            )
            continue
        if is_recorder:
            log_discrepancy(room, booked, event.sequence, hand_number_of(event))


def log_discrepancy(
    room: Room, booked: Sequence[LedgerEntry], sequence: int | None, hand_number: int | None
) -> None:
    for entry in booked:
        if entry.account == DISCREPANCY:
            logger.error(
                "chips_do_not_add_up",
                room_id=room.room_id,
                epoch=room.epoch,
                sequence=sequence,
                hand_number=hand_number,
                **entry._asdict(),
            )


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
