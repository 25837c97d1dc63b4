"""Fold a table's events into its room. Pure."""

from casino_contracts import HOLDEM
from casino_contracts.events.content import (
    ActionTaken,
    HandCompleted,
    HandStarted,
    PlayerBusted,
    PlayerRegistered,
    StatusChanged,
    TableFailed,
)

from casino_lobby.domain.player_agent import PlayerAgent
from casino_lobby.domain.room import Room
from casino_lobby.domain.table_events.reported_event import ReportedEvent, said_by

_STATES = {"paused": "paused", "started": None, "street_dealt": None, "finished": None}
"""The state of a room after a status of this kind; other kinds leave it as it is."""


def apply(room: Room, event: ReportedEvent) -> None:
    """Fold one event into a room; fields that cannot be read leave their state unchanged."""
    room.note(event)
    content = said_by(event)
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


def big_blind_of(room: Room) -> float | None:
    """Return the big blind of a room's hands that state none; None in games without blinds."""
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
