"""Who may read what is a player's own: its hands, and why its decisions failed.

A player proves itself by its seat token, which it got in `signup`. A reason may quote an answer,
and so hole cards: everybody else gets the number of each outcome.
"""

from typing import Literal

from casino_agentkit import CommandRefused, KitReason
from casino_agentkit.authority import is_token
from casino_contracts import seat_token, view_key

from casino_lobby.access.operator import Operator
from casino_lobby.domain.room import Room
from casino_lobby.errors import NotAdmitted

FaultReader = Literal["anyone", "operator", "player"]


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


class PlayerReaders:
    """Admits a player with its seat token or view key, and the holder of the operator's key.

    A lobby without an operator's key admits the player alone: everybody would be the operator.
    The player needs no reader's key, because it reads nothing but its own.
    """

    def __init__(self, operator: Operator) -> None:
        self._operator = operator

    def admit(self, token: str, room: Room, player_id: str) -> None:
        """May raise NotAdmitted: UNAUTHORIZED, also without such a player: nobody can try ids."""
        if is_of_player(token, room, player_id) or is_view_key(token, room, player_id):
            return
        try:
            self._operator.admit_to_all_cards(token)
        except CommandRefused as refused:
            raise NotAdmitted(
                KitReason.UNAUTHORIZED,
                "Send the player's seat token, its view key or the operator's key:"
                " `Authorization: Bearer <key>`.",
            ) from refused

    def admit_to_missing(self, token: str) -> None:
        """Authorize learning that a room is missing; raises NotAdmitted: UNAUTHORIZED."""
        self._operator.admit_reader(token)


class FaultReaders:
    """Recognises readers by their token; `faults_key` reads faults of all players, and no more."""

    def __init__(self, operator: Operator, faults_key: str | None) -> None:
        self._operator = operator
        self._faults_key = faults_key

    def reader(self, token: str, room: Room, player_id: str) -> FaultReader:
        """Return whose token it is; `anyone` without a token.

        A player proves itself by its seat token, which it got in `signup`. A lobby without an
        operator key ignores other tokens, as in other reads. Raises NotAdmitted: UNAUTHORIZED.
        """
        if is_of_player(token, room, player_id):
            return "player"
        if self._faults_key is not None and is_token(token, self._faults_key):
            return "operator"
        if not token or not self._operator.is_known:
            return "anyone"
        try:
            self._operator.admit(token)
        except NotAdmitted as refused:
            raise NotAdmitted(
                KitReason.UNAUTHORIZED,
                "Send the operator's key or the player's seat token: `Authorization: Bearer <key>`;"
                " without one you get the number of each outcome.",
            ) from refused
        return "operator"
