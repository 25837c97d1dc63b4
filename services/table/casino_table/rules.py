"""Authorize callers of a table agent by room key or fleet key.

Commands of a room with a key admit only the room's lobby. `configureTable` of a free table, and
commands of a room without a key, admit callers with the fleet key. A process without a fleet key
admits all callers there whom no proxy passes on, so it listens on loopback only.
"""

from typing import Any, Protocol

from casino_agentkit import Caller, CommandRefused, KitReason, Rule, Scheme
from casino_agentkit.authority import is_token, refusal_of, refuse_forwarded
from casino_contracts import HandRecordInput, RoomKey

FLEET = Scheme("fleetKey", "the fleet key, which a lobby and its tables share")
ROOM = Scheme("roomKey", "the `table` right of the room's key, which only its lobby can derive")


class Occupied(Protocol):
    """The state of a table agent that the rules depend on."""

    @property
    def room_key(self) -> RoomKey | None:
        """The key of the served room; None: no room, or a room without a key."""
        ...

    @property
    def is_free(self) -> bool:
        """Whether another room may take this table: no seat is taken, no session or lease runs."""
        ...

    def record_key(self, hand_id: str) -> RoomKey | None:
        """Return the key of the room in which a hand was played; None if the room has none."""
        ...


class TableRules:
    """The rules of one table agent's entrypoints."""

    def __init__(self, table: Occupied, fleet_key: str | None) -> None:
        self._table = table
        self.configuring: Rule = _Configuring(table, fleet_key)
        self.playing: Rule = _Playing(table, fleet_key)
        self.recording: Rule = _Recording(table)

    def owns(self, caller: Caller) -> bool:
        """Return whether a caller has the room's `table` token, or the room has no key."""
        key = self._table.room_key
        return is_token(caller.token, key.table) if key else not self._table.is_free

    def is_trusted(self, caller: Caller) -> bool:
        """Return whether a caller may read the full summary of the table."""
        try:
            self.playing.admit(caller, None)
        except CommandRefused:
            return False
        return True


class _Playing:
    """Seat, start, leave, close: for the room's lobby."""

    scheme = ROOM

    def __init__(self, table: Occupied, fleet_key: str | None) -> None:
        self._table = table
        self._fleet_key = fleet_key

    def admit(self, caller: Caller, message: Any) -> None:  # noqa: ARG002  only the token matters
        """Admit the room's lobby; raises CommandRefused: UNAUTHORIZED, FORBIDDEN."""
        key = self._table.room_key
        if key is None:
            _admit_fleet(caller, self._fleet_key)
        elif not is_token(caller.token, key.table):
            raise refusal_of(caller, ROOM)


class _Configuring(_Playing):
    """Configure: for the room's lobby; on a free table for callers with the fleet key."""

    def admit(self, caller: Caller, message: Any) -> None:
        """Admit the lobby; raises CommandRefused: UNAUTHORIZED, FORBIDDEN."""
        key = self._table.room_key
        is_owner = key is not None and is_token(caller.token, key.table)
        if self._table.is_free and not is_owner:
            _admit_fleet(caller, self._fleet_key)
        else:
            super().admit(caller, message)


class _Recording:
    """Hand records: for the lobby of the room in which the hand was played."""

    scheme = ROOM

    def __init__(self, table: Occupied) -> None:
        self._table = table

    def admit(self, caller: Caller, message: HandRecordInput) -> None:
        """Admit the lobby; raises CommandRefused: UNAUTHORIZED, FORBIDDEN."""
        key = self._table.record_key(message.hand_id)
        if key is None:
            raise CommandRefused(
                KitReason.FORBIDDEN, "Hand records cannot be read: configureTable set no room key."
            )
        if not is_token(caller.token, key.table):
            raise refusal_of(caller, ROOM)


def _admit_fleet(caller: Caller, fleet_key: str | None) -> None:
    if fleet_key is None:
        refuse_forwarded(caller, "CASINO_TABLE_FLEET_KEY")
    elif not is_token(caller.token, fleet_key):
        raise refusal_of(caller, FLEET)
