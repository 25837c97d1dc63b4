"""Fold a table's events into its room. Pure."""

from typing import get_args

from casino_contracts import PlayerSeat, TableEvent, TableStatus
from casino_contracts.event_content import (
    ActionTaken,
    HandCompleted,
    HandStarted,
    PlayerBusted,
    PlayerRegistered,
    StatusChanged,
    content_of,
)

from casino_lobby.domain.player_agent import PlayerAgent
from casino_lobby.domain.room import Room

_STATUSES: dict[str, TableStatus] = {status: status for status in get_args(TableStatus)}
_STATES = {"paused": "paused", "started": None, "street_dealt": None, "finished": None}
"""The state of a room after a status of this kind; other kinds leave it as it is."""


def apply(room: Room, event: TableEvent) -> None:
    """Fold one event into a room; fields that cannot be read leave their state unchanged."""
    room.note(event)
    match content_of(event):
        case ActionTaken() as content:
            room.set_stack(content.player_id, content.stack)
        case PlayerRegistered() as content:
            _register(room, content)
        case HandStarted() as content:
            room.start_hand(content.hand_number)
            for bet in content.posted:
                room.post(bet.player_id, bet.amount or 0)
                if bet.kind == "big-blind":
                    room.set_big_blind(bet.player_id)
        case HandCompleted() as content:
            for after in content.stacks:
                room.set_stack(after.player_id, after.stack)
            room.complete_hand(is_numbered=content.hand_number is not None)
        case PlayerBusted() as content:
            room.remove_player(content.player_id)
        case StatusChanged() as content:
            _change_status(room, content)


def _register(room: Room, content: PlayerRegistered) -> None:
    seat = content.seat
    if seat.seat_number is None:
        return
    agent = (
        None
        if content.agent_card_url is None
        else PlayerAgent(
            content.agent_card_url,
            content.action_skill or "act",
            plays_any_game=content.plays_any_game,
        )
    )
    room.report_seat(
        PlayerSeat(
            player_id=seat.player_id,
            seat_number=seat.seat_number,
            display_name=seat.display_name or seat.player_id,
            stack=seat.stack or 0,
        ),
        agent,
    )


def _change_status(room: Room, content: StatusChanged) -> None:
    state = _STATES.get(content.kind or "", room.state)
    room.set_status(_STATUSES.get(content.status or ""), state)
    match content.kind:
        case "started":
            room.start_session(content.hands_left)
        case "rebought" if content.player_id is not None:
            room.set_stack(content.player_id, content.stack)
            room.settle()
        case "hand_cancelled":
            room.roll_back_hand()
        case "left" if content.player_id is not None:
            room.remove_player(content.player_id)
        case "closed":
            room.close_table()
