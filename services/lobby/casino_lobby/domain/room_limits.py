"""Limits on open rooms and on tables that the lobby launches. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

from casino_agentkit import CommandRefused
from casino_contracts import Reason

from casino_lobby.domain.room import Room


@dataclass(frozen=True)
class RoomCaps:
    """Maximum number of rooms that are not over, and of launched tables among them.

    None means unlimited.
    """

    rooms: int | None = 200
    launched_tables: int | None = 20

    def refuse_room_beyond(self, rooms: Iterable[Room]) -> None:
        """Check that another room may be opened.

        Raises CommandRefused: TOO_MANY_ROOMS.
        """
        if self.rooms is not None and sum(not room.is_over for room in rooms) >= self.rooms:
            raise CommandRefused(
                Reason.TOO_MANY_ROOMS,
                f"{self.rooms} rooms are open, which is the maximum (CASINO_LOBBY_ROOMS);"
                " close one.",
            )

    def refuse_launch_beyond(self, rooms: Iterable[Room]) -> None:
        """Check that another table may be launched.

        Raises CommandRefused: NO_TABLE.
        """
        limit = self.launched_tables
        launched = sum(room.is_launched and not room.is_over for room in rooms)
        if limit is not None and launched >= limit:
            raise CommandRefused(
                Reason.NO_TABLE,
                f"No announced table is free, and the lobby has launched {limit} tables, which is"
                " the maximum (CASINO_LOBBY_LAUNCHED_TABLES): close a room, start a table agent"
                " that announces itself, or set tableAgentCardUrl.",
            )
