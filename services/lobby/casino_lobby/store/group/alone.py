"""Answers about a group of lobbies from a store that is in none."""

from abc import abstractmethod
from collections.abc import Sequence

from casino_lobby.domain.member import Member
from casino_lobby.domain.room import Room


class Alone:
    """Part of a store whose lobby is the only active one: every room is its own."""

    @abstractmethod
    def rooms(self) -> list[Room]:
        """Return all rooms, the oldest first."""

    @abstractmethod
    def room(self, room_id: str) -> Room | None:
        """Return a room by id."""

    def owns(self, _room: Room) -> bool:
        """Return True: there is no other lobby."""
        return True

    def own_rooms(self) -> list[Room]:
        """Return all rooms, the oldest first."""
        return self.rooms()

    def owner_of(self, _room: Room) -> Member | None:
        """Return None: there is no other lobby."""
        return None

    def others(self) -> Sequence[Member]:
        """Return nothing: there is no other lobby."""
        return ()

    async def find(self, room_id: str) -> Room | None:
        """Return a room by id: memory has them all."""
        return self.room(room_id)

    async def reach(self, _cursor: int) -> None:
        """Do nothing: what is committed is in memory."""

    async def command_owner(self, _key: str) -> Member | None:
        """Return None: there is no other lobby."""
        return None
