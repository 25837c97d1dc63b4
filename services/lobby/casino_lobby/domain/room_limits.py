"""Limits on open rooms and on tables that the lobby launches. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

from casino_agentkit import CommandRefused
from casino_contracts import Reason
from casino_contracts.lobby_messages import Service

from casino_lobby.domain.room import Room
from casino_lobby.domain.services import SCOPES


@dataclass(frozen=True)
class RoomCaps:
    """Maximum number of rooms that are not over, and of launched tables among them.

    None means unlimited.
    """

    rooms: int | None = 200
    launched_tables: int | None = 20

    def refuse_room_beyond(self, rooms: Iterable[Room], owner: Service | None) -> None:
        """Check that another room may be opened, by the operator or by a service.

        Raises CommandRefused: TOO_MANY_ROOMS.
        """
        rooms = [room for room in rooms if not room.is_over]
        if owner is not None and self.rooms is not None:
            share = _share_of(self.rooms, owner)
            if sum(room.owner == owner for room in rooms) >= share:
                raise CommandRefused(
                    Reason.TOO_MANY_ROOMS,
                    f"The {owner}'s share of the rooms, {share} of {self.rooms}"
                    " (CASINO_LOBBY_ROOMS), is used up; it has to close one.",
                )
        if self.rooms is not None and len(rooms) >= self.rooms:
            raise CommandRefused(
                Reason.TOO_MANY_ROOMS,
                f"{self.rooms} rooms are open, which is the maximum (CASINO_LOBBY_ROOMS);"
                " close one.",
            )

    def refuse_launch_beyond(self, rooms: Iterable[Room], owner: Service | None) -> None:
        """Check that another table may be launched, for a room of the operator or of a service.

        Raises CommandRefused: NO_TABLE.
        """
        limit = self.launched_tables
        launched = [room for room in rooms if room.is_launched and not room.is_over]
        if owner is not None and limit is not None:
            share = _share_of(limit, owner)
            if sum(room.owner == owner for room in launched) >= share:
                raise CommandRefused(
                    Reason.NO_TABLE,
                    f"No announced table is free, and the {owner}'s share of launched tables,"
                    f" {share} of {limit} (CASINO_LOBBY_LAUNCHED_TABLES), is used up: it has to"
                    " close a room, or the operator starts a table agent that announces itself.",
                )
        if limit is not None and len(launched) >= limit:
            raise CommandRefused(
                Reason.NO_TABLE,
                f"No announced table is free, and the lobby has launched {limit} tables, which is"
                " the maximum (CASINO_LOBBY_LAUNCHED_TABLES): close a room, start a table agent"
                " that announces itself, or set tableAgentCardUrl.",
            )


def _share_of(limit: int, owner: Service) -> int:
    return max(1, int(limit * SCOPES[owner].share))
