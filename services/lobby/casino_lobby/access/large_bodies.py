"""Who may send bodies of more than 64 KiB to the lobby, by the token in the request's head."""

from collections.abc import Callable, Iterable
from typing import Final

from casino_agentkit import Caller, CommandRefused
from casino_agentkit.authority import is_token
from casino_agentkit.bounded_state import LruDict

from casino_lobby.access.request_budget import RequestBudget
from casino_lobby.domain.room import Room

_REMEMBERED: Final = 4_096


class TableTokens:
    """Recognises the tokens with which tables report the events of their rooms.

    The first large body of a token costs its address as much as a command: it is looked for among
    all `rooms`.
    """

    def __init__(self, rooms: Callable[[], Iterable[Room]], budget: RequestBudget) -> None:
        self._rooms = rooms
        self._budget = budget
        self._recognised = LruDict[str, bool](_REMEMBERED)

    def has(self, caller: Caller) -> bool:
        """Return whether a caller's token is that of a room."""
        if not caller.token:
            return False
        if self._recognised.get(caller.token):
            return True
        try:
            self._budget.take(caller.address)
        except CommandRefused:
            return False
        is_known = any(is_token(caller.token, room.key().events) for room in self._rooms())
        if is_known:
            self._recognised.put(caller.token, True)
        return is_known
