"""How a room goes on: events of its table are folded into it, and a new epoch begins. Pure."""

from collections.abc import Sequence
from typing import NamedTuple

import structlog
from casino_contracts import HOLDEM, Continuation, SeatAssignment, seat_token
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

from casino_lobby.domain.ledger import DISCREPANCY, LedgerEntry
from casino_lobby.domain.reported_event import ReportedEvent, content_of_event
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_addresses import PlayerAgent
from casino_lobby.domain.room_views import player_type

_STATES = {"paused": "paused", "started": None, "street_dealt": None, "finished": None}
"""The state of a room after a status of this kind; other kinds leave it as it is."""


def apply(room: Room, event: ReportedEvent) -> list[LedgerEntry]:
    """Fold one event into a room, and return what its ledger has booked.

    Fields that cannot be read leave their state unchanged.
    """
    room.note(event)
    content = content_of_event(event)
    booked = room.ledger.book(content, room.unit)
    room.results.add(content, room.epoch, big_blind_of(room))
    match content:
        case ActionTaken():
            room.set_stack(content.player_id, content.stack)
            room.faults.note(event, content, room.epoch)
        case PlayerRegistered():
            room.faults.register(content)
            _register(room, content)
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
    for bet in content.posted:
        room.post(bet.player_id, bet.amount or 0)
        if bet.kind == "big-blind":
            room.set_big_blind(bet.player_id)


def _complete_hand(room: Room, content: HandCompleted) -> None:
    for after in content.stacks:
        room.set_stack(after.player_id, after.stack)
    room.complete_hand()


def _register(room: Room, content: PlayerRegistered) -> None:
    seat = content.seat.complete
    if seat is None:
        return
    agent = (
        None
        if content.agent_card_url is None
        else PlayerAgent(
            content.agent_card_url,
            content.action_skill or "act",
            plays_any_game=content.plays_any_game,
            clock_ms=content.clock_ms,
            player_type=seat.player_type,
        )
    )
    room.report_seat(seat, agent)


def _change_status(room: Room, content: StatusChanged) -> None:
    room.set_status(content.status, _STATES.get(content.kind or "", room.state))
    match content.kind:
        case "configured":
            room.plays_for = "points" if content.plays_for == "points" else None
        case "started":
            room.start_session(content.hands_left)
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
    continuation = Continuation(
        hand_number=room.last_hand,
        hand_count=room.hand_count,
        big_blind_seat=room.big_blind_seat,
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
        for entry in booked if is_recorder else ():
            if entry.account == DISCREPANCY:
                logger.error(
                    "chips_do_not_add_up",
                    room_id=room.room_id,
                    epoch=room.epoch,
                    sequence=event.sequence,
                    hand_number=hand_number_of(event),
                    **entry._asdict(),
                )
