"""A group of lobbies that are active on one database, as one of them sees it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import NamedTuple

from typing_extensions import override

from casino_lobby.domain.room import Room


class Member(NamedTuple):
    """One lobby of a group. `url` is the address where the other members reach it."""

    number: int
    url: str


class LobbyGroup(ABC):
    """Which lobby owns a room or executes a command."""

    @abstractmethod
    def owns(self, room: Room) -> bool:
        """Return whether this lobby changes a room; the other ones only show it."""

    @abstractmethod
    def owner_of(self, room: Room) -> Member | None:
        """Return the other lobby that owns a room, from memory; None: this one, or nobody."""

    @abstractmethod
    def others(self) -> Sequence[Member]:
        """Return the other active lobbies, from memory."""

    @abstractmethod
    async def find(self, room_id: str) -> Room | None:
        """Return a room after following all that any lobby has committed; raises StoreFailed."""

    @abstractmethod
    async def reach(self, cursor: int) -> None:
        """Wait until everything up to a cursor is followed; raises StoreFailed after a while."""

    @abstractmethod
    async def command_owner(self, key: str) -> Member | None:
        """Return the other lobby that executes a pending command; raises StoreFailed."""


class NoGroup(LobbyGroup):
    """There is no other lobby: memory has all rooms, and each is this lobby's."""

    def __init__(self, room: Callable[[str], Room | None]) -> None:
        self._room = room

    @override
    def owns(self, room: Room) -> bool:
        return True

    @override
    def owner_of(self, room: Room) -> Member | None:
        return None

    @override
    def others(self) -> Sequence[Member]:
        return ()

    @override
    async def find(self, room_id: str) -> Room | None:
        return self._room(room_id)

    @override
    async def reach(self, cursor: int) -> None:
        pass

    @override
    async def command_owner(self, key: str) -> Member | None:
        return None
