"""The rooms in memory by id and by table, and the member of the group that owns each."""

from casino_agentkit import CommandRefused
from casino_contracts import Reason

from casino_lobby.domain.room import Room
from casino_lobby.domain.rooms_by_table import TablesInUse
from casino_lobby.store.cursors import DeletedCursors
from casino_lobby.store.projection import StoredRooms


class RoomIndex:
    """Rooms and their owners' numbers: None outside a group. `in_use` is kept up to date."""

    def __init__(self, in_use: TablesInUse) -> None:
        self._in_use = in_use
        self.member: int | None = None
        """The number of this lobby; None outside a group."""
        self.deleted = DeletedCursors()
        self._rooms: dict[str, Room] = {}
        self._by_table: dict[str, Room] = {}
        self._owners: dict[str, int | None] = {}
        self._saved: dict[str, int | None] = {}
        self._lost_ids: set[str] = set()
        self._lost_table_ids: set[str] = set()

    def load(self, stored: StoredRooms) -> None:
        """Keep the rooms of a database that was opened, and the ids of unreadable ones."""
        self._owners.update(stored.owners)
        for room in stored.rooms:
            self.keep(room, stored.owners[room.room_id], stored.saved[room.room_id])
        self._lost_ids.update(stored.lost_ids)
        self._lost_table_ids.update(stored.lost_table_ids)

    def room(self, room_id: str) -> Room | None:
        return self._rooms.get(room_id)

    def room_of_table(self, table_id: str) -> Room | None:
        return self._by_table.get(table_id)

    def rooms(self) -> list[Room]:
        return list(self._rooms.values())

    def has(self, room: Room) -> bool:
        """Return whether this very object is a room of the book."""
        return self._rooms.get(room.room_id) is room

    def owner(self, room_id: str) -> int | None:
        return self._owners.get(room_id)

    def owners(self) -> set[int | None]:
        return set(self._owners.values())

    def saved(self, room_id: str) -> int | None:
        """Return the hash of the stored content to which another lobby's room was last set."""
        return self._saved.get(room_id)

    def keep(self, room: Room, owner: int | None, saved: int | None = None) -> None:
        self._rooms[room.room_id] = room
        self._by_table[room.table_id] = room
        self.set_owner(room.room_id, owner, saved)

    def set_owner(self, room_id: str, owner: int | None, saved: int | None = None) -> None:
        """Note who owns a room, and the hash of its stored content; its state may be another."""
        self._owners[room_id], self._saved[room_id] = owner, saved
        room = self._rooms.get(room_id)
        if room is not None:  # else it is unreadable
            self._in_use.add(room, is_own=owner == self.member)

    def drop(self, room: Room) -> bool:
        """Remove a room; False if its id is not in the book, or is that of another room."""
        if self._by_table.get(room.table_id) is room:
            del self._by_table[room.table_id]
        if not self.has(room):
            return False
        del self._rooms[room.room_id], self._owners[room.room_id], self._saved[room.room_id]
        self._in_use.remove(room)
        self.deleted.forget(room.room_id)
        return True

    def refuse_taken(self, room: Room, *, in_group: bool) -> None:
        """Check that no unreadable room has an id of a new one, because its rows still exist.

        In a group another room of the book may have them since the caller has looked.
        Raises CommandRefused: ROOM_EXISTS, TABLE_ID_TAKEN.
        """
        if room.room_id in self._lost_ids:
            raise CommandRefused(
                Reason.ROOM_EXISTS,
                f"There is a room {room.room_id} that cannot be read; choose another roomId.",
            )
        if room.table_id in self._lost_table_ids:
            raise CommandRefused(
                Reason.TABLE_ID_TAKEN,
                f"Table {room.table_id} has a room that cannot be read; choose another tableId.",
            )
        if in_group and self.room(room.room_id) is not None:
            raise room_exists(room)
        if in_group and self.room_of_table(room.table_id) is not None:
            raise table_id_taken(room)


def room_exists(room: Room) -> CommandRefused:
    """Return why a room cannot be added: there is one with its id."""
    return CommandRefused(
        Reason.ROOM_EXISTS, f"There is a room {room.room_id}; choose another roomId."
    )


def table_id_taken(room: Room) -> CommandRefused:
    """Return why a room cannot be added: its table has one."""
    return CommandRefused(
        Reason.TABLE_ID_TAKEN, f"Table {room.table_id} has a room; choose another tableId."
    )
