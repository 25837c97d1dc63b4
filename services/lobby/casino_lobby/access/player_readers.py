"""Who may read a player's own hands: the player itself, and the operator."""

from casino_agentkit import CommandRefused, KitReason

from casino_lobby.access.operator import Operator
from casino_lobby.access.player_token import is_of_player, is_view_key
from casino_lobby.domain.room import Room
from casino_lobby.errors import NotAdmitted


class PlayerReaders:
    """Admits a player with its seat token or view key, and the holder of the operator's key.

    A lobby without an operator's key admits the player alone: everybody would be the operator.
    The player needs no reader's key, because it reads nothing but its own.
    """

    def __init__(self, operator: Operator) -> None:
        self._operator = operator

    def admit(self, token: str, room: Room, player_id: str) -> None:
        """Authorize reading a player's hands; raises NotAdmitted: UNAUTHORIZED.

        An id without a player gets the same refusal, so that nobody can try ids.
        """
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
