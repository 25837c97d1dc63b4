"""Messages to agents: state, outcome of an action, push, error."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from casino_contracts import HOLDEM, WaitReason
from casino_lobby_client.errors import LobbyAway
from casino_seats.errors import ActionRefused, RefusedAction
from casino_seats.turns import Answer

from casino_gateway.boardgame.boardgame_messages import VERSION, Core, ErrorCode, MessageRefused
from casino_gateway.domain.match import MatchStatus
from casino_gateway.domain.updates import Asked, RoomEvent, SeatClosed, Update
from casino_gateway.errors import ListenerLagged
from casino_gateway.seats.live_seat import LiveSeat

Json = dict[str, Any]

_OUTSIDE_A_HAND = ("waiting", "between_hands", "over")
_GIVEN_BACK, _BUSTED = {"left", "away"}, "busted"
_WITH_OFFERS = (RefusedAction.ILLEGAL_ACTION, RefusedAction.INVALID_AMOUNT)
LOBBY_AWAY = WaitReason.LOBBY_AWAY.what.capitalize()
ACTION_REQUESTED = "action_requested"
SEAT_CLOSED = "seat_closed"


def core_of(seat: LiveSeat) -> Core:
    identity = seat.identity
    return Core(identity.game_type, identity.room_id, identity.player_id)


def envelope(kind: str, core: Core) -> Json:
    return {
        "version": VERSION,
        "type": kind,
        "game": core.game,
        "match_id": core.match_id,
        "agent_id": core.agent_id,
    }


def error(refusal: MessageRefused) -> Json:
    return {
        **envelope("error", refusal.core),
        "error": {
            "version": VERSION,
            "message": refusal.message,
            "data": {"code": refusal.code, **refusal.data},
        },
    }


def push(seat: LiveSeat, message: str, data: Json) -> Json:
    return {
        **envelope("push_message", core_of(seat)),
        "message_response": {"version": VERSION, "message": message, "data": data},
    }


def state(
    seat: LiveSeat, spec_version: str, now: float, wall: datetime, waits: Sequence[Json] = ()
) -> Json:
    """Return the match as a seat sees it.

    `now` is the time of the questions' clock, `wall` that of the day, `waits` what is waited for
    beside the table. A question may come before
    the events of its hand: then it says that the match has started.
    """
    match, data = seat.match, _state_data(seat, now)
    status = status_of(seat)
    if waits:
        data["waits"] = list(waits)
    started_at = match.started_at or (wall if seat.question else None)
    return {
        **envelope("get_state_response", core_of(seat)),
        "status": status,
        "phase": _phase(seat),
        "turn": 0 if status == "waiting" else seat.turn,
        "stage": _stage(seat),
        "started_at": _time(started_at),
        "ended_at": _time(_ended_at(seat)),
        "active_agent_id": active_agent(seat),
        "agents": _agents(seat),
        "state": {"version": spec_version, "data": data},
    }


def performed(seat: LiveSeat, answer: Answer) -> Json:
    """Return the response to an action that was taken, with the reason of a default."""
    taken, data = answer.action, {"action": answer.action, "turn": answer.turn}
    text = f"Action performed successfully: {taken['action_type']}"
    if "amount" in taken:
        text += f" {taken['amount']}"
    if answer.defaulted is not None:
        text += ", by default"
        data["defaulted"] = {"reason": answer.defaulted.reason}
    return _action_response(seat, "success", text, data)


def not_performed(seat: LiveSeat, refusal: ActionRefused) -> Json:
    """Return the response to an action that the game refuses; the question stays open."""
    data: Json = {"code": str(refusal.reason)}
    if refusal.reason in _WITH_OFFERS:
        data["available_actions"] = list(refusal.offers)
    elif refusal.reason is RefusedAction.NOT_YOUR_TURN:
        data["active_agent_id"] = active_agent(seat)
    elif refusal.reason is RefusedAction.STALE_TURN:
        data["turn"] = seat.turn
    return _action_response(seat, "error", refusal.message, data)


def status_of(seat: LiveSeat) -> MatchStatus:
    status, closed = seat.match.stage, seat.closed
    if seat.question is not None:
        return "started"
    if closed is None:
        return status
    if closed.reason in _GIVEN_BACK:
        return "abandoned"
    return "ended" if status == "ended" or closed.reason == _BUSTED else "abandoned"


def active_agent(seat: LiveSeat) -> str | None:
    """Return the agent whose action is awaited, the seat's own while its question is open.

    An event may name it before the table asks: then an action would still be refused.
    """
    own, active = seat.identity.player_id, seat.match.active_player_id
    return own if seat.question else None if active == own else active


def _action_response(seat: LiveSeat, status: str, message: str, data: Json) -> Json:
    return {
        **envelope("perform_action_response", core_of(seat)),
        "action_response": {"version": VERSION, "status": status, "message": message, "data": data},
    }


def _phase(seat: LiveSeat) -> str:
    """Return the phase, that of an open question if its hand's events are still on their way."""
    phase, question = seat.match.phase, seat.question
    if question is None or phase not in _OUTSIDE_A_HAND:
        return phase
    public = question.state.get("public", {})
    name = public.get("betting_round" if question.game_type == HOLDEM else "phase")
    return name if isinstance(name, str) and name else "main"


def _stage(seat: LiveSeat) -> str:
    if seat.question:
        return "act"
    return "sitting_out" if seat.is_sitting_out else "wait"


def _ended_at(seat: LiveSeat) -> datetime | None:
    """Return when the match was over for a seat: at its own end, if that came first."""
    ends = (seat.match.ended_at, seat.closed.at if seat.closed else None)
    return min((end for end in ends if end is not None), default=None)


def _agents(seat: LiveSeat) -> list[Json]:
    """Return the agents in the order of their seats; the room may not list this one yet."""
    own = seat.identity
    players = {
        player.player_id: (player.number, player.name, player.kind)
        for player in seat.match.seats.values()
    }
    if own.player_id in players or seat.closed is None:
        players[own.player_id] = (own.seat_number, own.display_name, own.kind)
    agents = sorted(players.items(), key=lambda item: item[1][0])
    return [{"id": agent_id, "name": name, "type": kind} for agent_id, (_, name, kind) in agents]


def _state_data(seat: LiveSeat, now: float) -> Json:
    match, question = seat.match, seat.question
    view = question.state if question else seat.view or {"public": match.public}
    data: Json = {
        "public": view.get("public", {}),
        "private": view.get("private", {}),
        "available_actions": list(question.offers) if question else [],
    }
    hand_number = question.hand_number if question else seat.hand_number
    if hand_number is not None:
        data["hand_number"] = hand_number
    if question:
        data["deadline_ms"] = question.left_ms(now)
        if question.rejected:
            data["rejected"] = question.rejected
    is_over = match.phase in _OUTSIDE_A_HAND and seat.hand_number == match.hand_number
    if seat.result is not None and question is None and is_over:
        data["result"] = seat.result
    return data


def _time(moment: datetime | None) -> str | None:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if moment else None


def push_of(update: Update, seat: LiveSeat, now: float) -> Json | None:
    """Return an update's push, with the `sequence` of a table event; None if those say the same."""
    match update:
        case RoomEvent(event=event):
            data: Json = {
                "event": event.event_type,
                "sequence": event.sequence,
                "payload": event.payload or {},
            }
            return push(seat, event.message, data)
        case Asked(question=question):
            payload: Json = {
                "turn": question.turn,
                "available_actions": list(question.offers),
                "deadline_ms": question.left_ms(now),
            }
            if question.hand_number is not None:
                payload["hand_number"] = question.hand_number
            return push(
                seat, "Your action is awaited", {"event": ACTION_REQUESTED, "payload": payload}
            )
        case SeatClosed(reason=reason):
            data = {"event": SEAT_CLOSED, "payload": {"reason": reason}}
            return push(seat, f"The seat is closed: {reason}", data)
        case _:
            return None


def not_pushed(error: ListenerLagged | LobbyAway, core: Core) -> MessageRefused:
    """Return what the last message says when no more can be pushed."""
    resume = "connect again with after=<last sequence>."
    if isinstance(error, ListenerLagged):
        text = f"Pushes are read too slowly; {resume}"
        return MessageRefused(ErrorCode.LAGGED, text, core)
    text = f"{LOBBY_AWAY}, so earlier events are missing; {resume}"
    return MessageRefused(ErrorCode.LOBBY_UNAVAILABLE, text, core)
