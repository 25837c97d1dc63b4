"""What a store answers about its group, if it is in one, and how its changes reach the others."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

from casino_lobby.domain.lobby_events import MessageBus, NamesOwned
from casino_lobby.domain.member import Member
from casino_lobby.domain.room import Room
from casino_lobby.errors import StoreFailed
from casino_lobby.store.group.alone import Alone
from casino_lobby.store.group.group import Group
from casino_lobby.store.names import NewName
from casino_lobby.store.replicas import Item, OwnChange
from casino_lobby.store.statements import NumberedChange, Rows
from casino_lobby.store.writer import Writer


class GroupAnswers(Alone, ABC):
    """Part of a store that may be in a group; otherwise it answers as `Alone`."""

    writer: Writer
    bus: MessageBus
    _group: Group | None = None

    @abstractmethod
    async def _command_owner(self, key: str) -> int | None:
        """Return the number of the member that executes a pending command."""

    def owns(self, room: Room) -> bool:
        """Return whether this lobby changes a room."""
        return self._group is None or self._group.owns(room)

    def own_rooms(self) -> list[Room]:
        """Return the rooms that this lobby owns, the oldest first."""
        return self.rooms() if self._group is None else self._group.own_rooms()

    def owner_of(self, room: Room) -> Member | None:
        """Return the other lobby that owns a room."""
        return None if self._group is None else self._group.owner_of(room)

    def others(self) -> Sequence[Member]:
        """Return the other active lobbies."""
        return () if self._group is None else self._group.others()

    async def find(self, room_id: str) -> Room | None:
        """Return a room by id, after following what any lobby has committed by now."""
        room = self.room(room_id)
        if room is None and self._group is not None:
            await self._group.catch_up()
        return self.room(room_id)

    async def reach(self, cursor: int) -> None:
        """Wait until everything up to a cursor is followed.

        Raises StoreFailed if it cannot be read, or if nothing of that cursor is committed.
        """
        if self._group is None or self._group.position >= cursor:
            return
        await self._group.catch_up()
        if self._group.position < cursor:
            raise StoreFailed(f"nothing with the cursor {cursor} is committed")

    async def command_owner(self, key: str) -> Member | None:
        """Return the other lobby that executes a pending command; raises StoreFailed."""
        if self._group is None:
            return None
        return await self._group.member_of(await self._command_owner(key))

    def _refuse_foreign(self, room: Room) -> None:
        """Raise StoreFailed if a room is another lobby's."""
        if not self.owns(room):
            raise StoreFailed(f"room {room.room_id} is another lobby's")

    async def own_name(self, name_key: str, signer: str) -> None:
        """Store the owner of a name; raises StoreFailed, also if another lobby was first."""
        new = NewName(name_key, signer)
        await self._write_change(new.change)
        if new.owner != signer:
            self.bus.publish(NamesOwned({name_key: new.owner}))
            raise StoreFailed("another lobby has just stored another owner of the name")

    async def _write_change(self, work: Rows | NumberedChange, ended: str | None = None) -> None:
        """Commit a change of a room or of a name; raises StoreFailed."""
        await self.writer.write(work, lambda: self._committed(work, [OwnChange(ended)]))

    def _committed(self, work: Rows | NumberedChange, items: Iterable[Item]) -> None:
        """Publish an own commit in the order of the group."""
        if self._group is not None:
            after = work.after if isinstance(work, Rows) else (work.number or 0) - 1
            self._group.commit(after, items)

    def _end(self, room: Room) -> None:
        """Note that memory does not need a room any more: what is read of it is out of date."""
        if self._group is not None:
            self._group.replicas.end(room.room_id)
