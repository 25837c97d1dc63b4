"""Begin a new epoch of a room. Pure."""

from casino_contracts import Continuation, SeatAssignment, seat_token

from casino_lobby.domain.room import Room
from casino_lobby.domain.room_views import player_type


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
