"""What the use cases of the lobby share: identity, store, tables, background tasks."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from casino_agentkit import CommandRefused

from casino_lobby.domain.room import Room
from casino_lobby.service.background import Background
from casino_lobby.service.reconciler import TableReconciler
from casino_lobby.store import Store
from casino_lobby.tables.directory import Tables


@dataclass(frozen=True)
class LobbyContext:
    """Identity of a lobby and the functions and keys that it depends on.

    `new_id` returns a new id of a kind, `new_secret` an unguessable token.
    `fleet_key` authorizes the lobby at free announced tables, `launch_key` at launched ones.
    `changed` is called when a room has opened or ended, `repeated` with the number of events that
    were delivered again.
    """

    name: str
    url: str
    signup_timeout: timedelta
    new_id: Callable[[str], str]
    new_secret: Callable[[], str]
    changed: Callable[[Room], None]
    repeated: Callable[[int], None]
    fleet_key: str | None = None
    launch_key: str | None = None


@dataclass
class LobbyParts:
    """The parts that every use case works with."""

    context: LobbyContext
    store: Store
    tables: Tables
    reconciler: TableReconciler
    background: Background
    is_draining: bool = False
    """Whether the lobby shuts down and refuses new commands."""

    def room(self, room_id: str) -> Room:
        """Return a room; raises CommandRefused: ROOM_NOT_FOUND."""
        room = self.store.room(room_id)
        if room is None:
            raise CommandRefused("ROOM_NOT_FOUND", f"There is no room {room_id[:128]}.")
        return room

    async def ready_room(self, room_id: str) -> Room:
        """Return an open room once its table is reconciled.

        Raises CommandRefused: ROOM_NOT_FOUND, ROOM_CLOSED, TABLE_AWAY.
        """
        room = self.room(room_id)
        await self.reconciler.ready(room)
        if room.phase != "open":
            raise CommandRefused("ROOM_CLOSED", f"Room {room_id} is {room.phase}: {room.message}.")
        return room

    def refuse_while_draining(self) -> None:
        """Raise CommandRefused: DRAINING while the lobby shuts down."""
        if self.is_draining:
            raise CommandRefused("DRAINING", "The lobby is shutting down; try again later.")
