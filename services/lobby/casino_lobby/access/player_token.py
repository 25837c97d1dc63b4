"""Recognise a player of a room by its seat token, which it got in `signup`."""

from casino_agentkit.authority import is_token
from casino_contracts import seat_token, view_key

from casino_lobby.domain.room import Room


def is_of_player(token: str, room: Room, player_id: str) -> bool:
    """Return whether a token is the seat token of a player that the lobby invited and seated."""
    return _is_invited(room, player_id) and is_token(token, seat_token(room.secret, player_id))


def is_view_key(token: str, room: Room, player_id: str) -> bool:
    """Return whether a token is the view key that such a player derived from its seat token."""
    if not _is_invited(room, player_id):
        return False
    return is_token(token, view_key(seat_token(room.secret, player_id)))


def _is_invited(room: Room, player_id: str) -> bool:
    return bool(room.secret) and room.is_keyed and player_id in room.invited_ids
