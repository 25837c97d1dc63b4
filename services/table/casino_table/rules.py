"""Who may call a table agent: its room's lobby, and while it has no room whoever has the fleet key.

A table whose lobby sent no room key (a lobby that knows only the protocol document) is open to
whoever has the fleet key; without a fleet key to everybody, which is why a process without one
listens on loopback only.
"""

from typing import Any, Protocol

from casino_agentkit import Caller, CommandRefused, Rule, Scheme
from casino_agentkit.authority import is_token, refusal_of
from casino_contracts import HandRecordInput, RoomKey

FLEET = Scheme("fleetKey", "the fleet key, which a lobby and its tables share")
ROOM = Scheme("roomKey", "the `table` right of the room's key, which only its lobby can derive")


class Occupied(Protocol):
    """What the rules ask of a table agent."""

    @property
    def room_key(self) -> RoomKey | None:
        """The key of the room that it serves; None: no room, or a room without a key."""
        ...

    @property
    def is_free(self) -> bool:
        """Whether another room may have it: nobody is seated and nothing is played."""
        ...

    def record_key(self, hand_id: str) -> RoomKey | None:
        """Return the key of the room in which a hand was played, None where there is none."""
        ...


class TableRules:
    """The rules of one table agent's entrypoints."""

    def __init__(self, table: Occupied, fleet_key: str | None) -> None:
        self._table = table
        self.configuring: Rule = _Configuring(table, fleet_key)
        self.playing: Rule = _Playing(table, fleet_key)
        self.recording: Rule = _Recording(table)

    def owns(self, caller: Caller) -> bool:
        """Whether a caller shows the right of the room, or the table has a room without a key."""
        key = self._table.room_key
        return is_token(caller.token, key.table) if key else not self._table.is_free

    def is_trusted(self, caller: Caller) -> bool:
        """Whether a caller may know everything about the table between hands."""
        try:
            self.playing.admit(caller, None)
        except CommandRefused:
            return False
        return True


class _Playing:
    """Seat, start, leave, close: the room's lobby."""

    scheme = ROOM

    def __init__(self, table: Occupied, fleet_key: str | None) -> None:
        self._table = table
        self._fleet_key = fleet_key

    def admit(self, caller: Caller, message: Any) -> None:  # noqa: ARG002  the table decides
        """Let the room's lobby pass; raises CommandRefused: UNAUTHORIZED, FORBIDDEN."""
        key = self._table.room_key
        if key is None:
            _admit_fleet(caller, self._fleet_key)
        elif not is_token(caller.token, key.table):
            raise refusal_of(caller, ROOM)


class _Configuring(_Playing):
    """Configure: the room's lobby; a free table goes to whoever has the fleet key."""

    def admit(self, caller: Caller, message: Any) -> None:
        """Let the lobby pass; raises CommandRefused: UNAUTHORIZED, FORBIDDEN."""
        key = self._table.room_key
        is_owner = key is not None and is_token(caller.token, key.table)
        if self._table.is_free and not is_owner:
            _admit_fleet(caller, self._fleet_key)
        else:
            super().admit(caller, message)


class _Recording:
    """Hand records show every card: only the lobby of the room in which the hand was played."""

    scheme = ROOM

    def __init__(self, table: Occupied) -> None:
        self._table = table

    def admit(self, caller: Caller, message: HandRecordInput) -> None:
        """Let the lobby pass; raises CommandRefused: UNAUTHORIZED, FORBIDDEN."""
        key = self._table.record_key(message.hand_id)
        if key is None:
            raise CommandRefused(
                "FORBIDDEN", "This table's records are closed: configureTable gave it no room key."
            )
        if not is_token(caller.token, key.table):
            raise refusal_of(caller, ROOM)


def _admit_fleet(caller: Caller, fleet_key: str | None) -> None:
    if fleet_key is not None and not is_token(caller.token, fleet_key):
        raise refusal_of(caller, FLEET)
