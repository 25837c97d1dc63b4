"""Turns a seat's updates into the messages that are pushed to its agent."""

from typing import Any

from casino_lobby_client.errors import LobbyAway

from casino_gateway.bgp import replies
from casino_gateway.bgp.codes import ErrorCode
from casino_gateway.bgp.refusal import Core, MessageRefused
from casino_gateway.domain.updates import Asked, RoomEvent, SeatClosed, Update
from casino_gateway.errors import Lagged
from casino_gateway.seats.live_seat import LiveSeat

Json = dict[str, Any]

ACTION_REQUESTED = "action_requested"
SEAT_CLOSED = "seat_closed"


def push_of(update: Update, seat: LiveSeat, now: float) -> Json | None:
    """Return the push of an update, None if the table's events say the same.

    Table events have a `sequence`; what concerns only this seat has none.
    """
    match update:
        case RoomEvent(event=event):
            data: Json = {
                "event": event.event_type,
                "sequence": event.sequence,
                "payload": event.payload or {},
            }
            return replies.push(seat, event.message, data)
        case Asked(question=question):
            payload: Json = {
                "turn": question.turn,
                "available_actions": list(question.offers),
                "deadline_ms": question.left_ms(now),
            }
            if question.hand_number is not None:
                payload["hand_number"] = question.hand_number
            return replies.push(
                seat, "Your action is awaited", {"event": ACTION_REQUESTED, "payload": payload}
            )
        case SeatClosed(reason=reason):
            data = {"event": SEAT_CLOSED, "payload": {"reason": reason}}
            return replies.push(seat, f"The seat is closed: {reason}", data)
        case _:
            return None


def not_pushed(error: Lagged | LobbyAway, core: Core) -> MessageRefused:
    """Return what the last message says when no more can be pushed."""
    resume = "connect again with after=<last sequence>."
    if isinstance(error, Lagged):
        text = f"Pushes are read too slowly; {resume}"
        return MessageRefused(ErrorCode.LAGGED, text, core)
    text = f"The lobby does not answer, so earlier events are missing; {resume}"
    return MessageRefused(ErrorCode.LOBBY_UNAVAILABLE, text, core)
