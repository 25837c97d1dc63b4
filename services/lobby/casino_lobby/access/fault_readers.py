"""Who may read why a player's decisions failed: operator, console and the player itself.

A reason may quote an answer, and so hole cards. Everybody else gets the number of each outcome.
"""

from typing import Literal

from casino_agentkit import KitReason
from casino_agentkit.authority import is_token

from casino_lobby.access.operator import Operator
from casino_lobby.access.player_token import is_of_player
from casino_lobby.domain.room import Room
from casino_lobby.errors import NotAdmitted

FaultReader = Literal["anyone", "operator", "player"]


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
